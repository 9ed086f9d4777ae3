// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LoadedPage: an open index page with its record of the page directory. The page itself does not
// store these fields of the record: prefix, first ordinal, first data offset, volume.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "format/page/directory.h"
#include "format/page/page.h"

namespace dgfs::reader {

/// Immutable, thread-safe. The page directory must outlive it.
struct LoadedPage {
  format::PageRecordView record;
  std::shared_ptr<const format::Page> page;

  [[nodiscard]] std::size_t size() const { return page->size(); }
  [[nodiscard]] format::Ordinal ordinal(std::size_t index) const {
    return record.first_ordinal + index;
  }
  /// Index of the entry with this ordinal, which must be in the page.
  [[nodiscard]] std::size_t index_of(format::Ordinal ordinal) const {
    return static_cast<std::size_t>(ordinal - record.first_ordinal);
  }
  [[nodiscard]] std::string full_key(std::string_view relative_key) const {
    return std::string(record.prefix).append(relative_key);
  }
  /// The entry with this full key, if there is one. Errors: those of format::Page::find.
  [[nodiscard]] Result<std::optional<format::PageEntry>> find(std::string_view full_key) const;
  [[nodiscard]] std::size_t memory_bytes() const;
};

using PagePointer = std::shared_ptr<const LoadedPage>;

/// Some consecutive decoded entries of a page. Every `index` counts from the beginning of the page.
/// A value.
struct EntryRange {
  PagePointer page;
  format::PageSlice slice;

  [[nodiscard]] const format::DecodedPage& rows() const { return *slice.rows; }
  [[nodiscard]] std::size_t row(std::size_t index) const { return index - slice.first_index; }
  [[nodiscard]] std::size_t end_index() const { return slice.first_index + rows().size(); }
  [[nodiscard]] std::uint32_t mode(std::size_t index) const { return rows().mode(row(index)); }
  [[nodiscard]] format::InodeNumber link_inode(std::size_t index) const {
    return rows().link_inode(row(index));
  }
  [[nodiscard]] std::string full_key(std::size_t index) const {
    return page->full_key(rows().key(row(index)));
  }
  /// Name of entry `index`; points into the range or into `scratch`.
  [[nodiscard]] std::string_view name(std::size_t index, std::string& scratch) const;
  [[nodiscard]] format::PageEntry entry(std::size_t index) const {
    return {index, rows().entry(row(index)), rows().data_offset(row(index))};
  }
};

}  // namespace dgfs::reader
