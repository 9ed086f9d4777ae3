// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FileContents: reads regular files, with or without holes, from their extents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "format/section/sparse_map.h"
#include "reader/content/content.h"
#include "reader/content/map.h"
#include "reader/index/side_records.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Checks that a node is a regular file. Errors: kIsDirectory, kInvalidArgument for other types.
[[nodiscard]] Status check_regular(const Node& node);

/// Implements the methods of Image with the same names, with the same errors. Thread-safe.
class FileContents {
 public:
  /// All references must outlive it.
  FileContents(const Content& content, const ContentCaches& caches, const SideRecords& side_records)
      : content_(content), caches_(caches), side_records_(side_records) {}

  [[nodiscard]] Result<std::size_t> read(const Node& node, std::uint64_t offset,
                                         MutableBytes out) const;
  void announce_read(const Node& node, std::uint64_t bytes_max) const;
  /// Content::advise() for the part of the range that lies in the file. Does nothing for files that
  /// are compressed or have holes.
  void advise(const Node& node, storage::Access access, std::uint64_t offset,
              std::uint64_t bytes) const;
  [[nodiscard]] Result<Place> locate(const Node& node, std::uint64_t offset) const;
  [[nodiscard]] Result<std::optional<format::SparseMap>> sparse_map(const Node& node) const;
  [[nodiscard]] Result<std::uint64_t> next_data(const Node& node, std::uint64_t offset) const;
  [[nodiscard]] Result<std::uint64_t> next_hole(const Node& node, std::uint64_t offset) const;
  [[nodiscard]] static bool are_neighbours(const Node* before, const Node& node);
  [[nodiscard]] Status verify_neighbours(std::span<const Node* const> nodes) const;

 private:
  /// Sparse map of a file, which must have one.
  [[nodiscard]] Result<ContentMapPointer> segments(const Node& node) const;
  /// Content bytes of a file: its size without its holes.
  [[nodiscard]] Result<std::uint64_t> content_bytes(const Node& node) const;
  [[nodiscard]] Status read_sparse(const Node& node, std::uint64_t offset, MutableBytes out) const;

  const Content& content_;
  const ContentCaches caches_;
  const SideRecords& side_records_;
};

}  // namespace dgfs::reader
