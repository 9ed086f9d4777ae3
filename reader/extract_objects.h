// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectMaker: writes what is no directory: a file with its contents, a link, a node.
#pragma once

#include <string_view>

#include "base/result.h"
#include "reader/extract_log.h"
#include "reader/image.h"
#include "storage/directory.h"

namespace dgfs::reader {

/// Thread-safe. References outlive it.
class ObjectMaker {
 public:
  ObjectMaker(const Image& image, bool privileged, ExtractLog& log)
      : image_(image), privileged_(privileged), log_(log) {}

  /// Makes `node` as `name`, with its attributes. A regular file gets the name when it is
  /// complete, so that on any failure there is none. kExists where the name is taken.
  /// @param path  for the log
  [[nodiscard]] Status make(const Node& node, storage::Directory& directory, std::string_view name,
                            const std::string& path) const;

 private:
  [[nodiscard]] Status make_file(const Node& node, storage::Directory& directory,
                                 std::string_view name, const std::string& path) const;
  [[nodiscard]] Status write_contents(const Node& node, storage::File& file) const;
  [[nodiscard]] Status save_contents(const Node& node, storage::File& file,
                                     const std::string& path) const;
  [[nodiscard]] Status write_segment(const Node& node, const format::SparseMap::Segment& segment,
                                     MutableBytes buffer, storage::File& file) const;

  const Image& image_;
  bool privileged_;
  ExtractLog& log_;
};

}  // namespace dgfs::reader
