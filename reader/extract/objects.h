// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectMaker: writes what is no directory: a file with its contents, a link, a node.
#pragma once

#include <string_view>

#include "base/result.h"
#include "format/section/sparse_map.h"
#include "reader/extract/log.h"
#include "reader/extract/metadata.h"
#include "reader/node.h"
#include "storage/directory.h"

namespace dgfs::reader {

class Image;

/// Thread-safe. References outlive it.
class ObjectMaker {
 public:
  ObjectMaker(const Image& image, const RestoreChoice& choice, ExtractLog& log)
      : image_(image), choice_(choice), log_(log) {}

  /// Makes `node` as `name`, with its attributes. A regular file gets the name when it is
  /// complete, and what else cannot be completed is removed, so that on any failure there is none.
  /// kExists where the name is taken; kPermission for a device node that the system does not let
  /// the user make, then `refused` is set.
  /// @param path  for the log
  [[nodiscard]] Status make(const Node& node, storage::Directory& directory, std::string_view name,
                            const std::string& path, bool& refused) const;

 private:
  [[nodiscard]] Status make_file(const Node& node, storage::Directory& directory,
                                 std::string_view name, const std::string& path) const;
  [[nodiscard]] Status make_special(const Node& node, storage::Directory& directory,
                                    std::string_view name, bool& refused) const;
  [[nodiscard]] LoseAttribute loser_of(const std::string& path) const;
  [[nodiscard]] Status write_contents(const Node& node, storage::File& file) const;
  [[nodiscard]] Status save_contents(const Node& node, storage::File& file,
                                     const std::string& path) const;
  [[nodiscard]] Status write_segment(const Node& node, const format::SparseMap::Segment& segment,
                                     MutableBytes buffer, storage::File& file) const;

  const Image& image_;
  const RestoreChoice& choice_;
  ExtractLog& log_;
};

}  // namespace dgfs::reader
