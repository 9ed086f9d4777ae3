// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ExtractWalk: goes over what an extraction is to write, and over nothing else.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "reader/extract/log.h"
#include "reader/extract/options.h"
#include "reader/node.h"

namespace dgfs::reader {

class Image;

/// Single use, one thread. Failures go to the log; ends when the log says so. References outlive
/// it.
class ExtractWalk {
 public:
  /// @{
  /// As those of ExtractTree.
  using MakeParent = std::function<bool(const std::string& path, const Node& node)>;
  using Visit = std::function<void(const std::string& path, const Node& node)>;
  /// @}

  ExtractWalk(const Image& image, const ExtractOptions& options, ExtractLog& log)
      : image_(image), options_(options), log_(log) {}

  /// Calls `visit` for each chosen entry, a directory before what is below it; before those below
  /// a chosen path, `make_parent` for the directories on the way to it.
  void run(const MakeParent& make_parent, const Visit& visit);

 private:
  [[nodiscard]] Status walk_chosen(const std::string& path, const MakeParent& make_parent,
                                   const Visit& visit);
  void make_parents(const std::string& path, const MakeParent& make_parent);
  [[nodiscard]] Status walk(const std::string& start_path, const Visit& visit);
  [[nodiscard]] bool goes_on_behind(const Error& error) const;
  [[nodiscard]] bool is_wanted(std::string_view path, const Node& node);
  [[nodiscard]] bool is_parent_wanted(std::string_view parent);

  const Image& image_;
  const ExtractOptions& options_;
  ExtractLog& log_;
  // Entries of one directory come together, so that the answer for the last one is all to keep.
  std::string last_parent_;
  bool last_parent_wanted_ = true;
  std::string last_made_;  ///< directory of the path that parents were made for last, and '/'
};

}  // namespace dgfs::reader
