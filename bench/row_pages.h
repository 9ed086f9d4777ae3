// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RowPages: index pages built like the blocks of key-value stores, for comparison: rows one after
// the other, each key without the prefix that it shares with the one before, a whole key every 16
// rows, all of it compressed with zstd into 4 KiB.
#pragma once

#include <span>
#include <vector>

#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"

namespace dgfs::bench {

/// Regular files, directories, symlinks and devices without side records. Not thread-safe.
class RowPages {
 public:
  /// @param entries     sorted by key; must outlive the object
  /// @param attributes  the attributes of all entries
  RowPages(std::span<const format::Entry> entries, const format::AttributeTable& attributes);

  [[nodiscard]] std::size_t count() const { return pages_.size(); }
  /// Decompresses the page of an entry, and searches it. @return its size_bytes; -1: not found
  [[nodiscard]] std::int64_t find(std::size_t entry) const;
  /// Decodes all pages. @return total bytes of the keys
  [[nodiscard]] std::size_t list() const;

 private:
  struct Page {
    std::size_t first = 0;  ///< first entry
    Buffer bytes;           ///< compressed
    std::size_t row_bytes = 0;
  };

  [[nodiscard]] Buffer rows(std::span<const format::Entry> entries) const;

  std::span<const format::Entry> entries_;
  const format::AttributeTable& attributes_;
  std::vector<Page> pages_;
};

}  // namespace dgfs::bench
