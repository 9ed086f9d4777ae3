// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectMaker: writes objects other than directories: files with their contents, symlinks, device
// nodes, pipes and sockets.
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

/// Thread-safe. References must outlive it.
class ObjectMaker {
 public:
  ObjectMaker(const Image& image, const RestoreChoice& choice, ExtractLog& log)
      : image_(image), choice_(choice), log_(log) {}

  /// Makes `node` as `name`, with its attributes. A regular file gets its name when it is complete;
  /// another object is removed if it cannot be completed. So after any failure there is no object.
  /// Errors: kExists if the name is taken; kPermission, with `refused` set, for a device node that
  /// the user may not make.
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
