// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ExtractWalk: visits the entries of an image that an extraction has to write.
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

/// Single use, for one thread. Failures go to the log. Ends when the log says so. References must
/// outlive it.
class ExtractWalk {
 public:
  /// @{
  /// As those of ExtractTree.
  using MakeParent = std::function<bool(const std::string& path, const Node& node)>;
  using Visit = std::function<void(const std::string& path, const Node& node)>;
  /// @}

  ExtractWalk(const Image& image, const ExtractOptions& options, ExtractLog& log)
      : image_(image), options_(options), log_(log) {}

  /// Calls `visit` for each chosen entry, for a directory before the entries below it. Before it
  /// visits a chosen path, calls `make_parent` for the directories on the way to it.
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
  // Entries of one directory come together, so only the answer for the last parent is kept.
  std::string last_parent_;
  bool last_parent_wanted_ = true;
  std::string last_made_;  ///< directory of the last path for which parents were made, and '/'
};

}  // namespace dgfs::reader
