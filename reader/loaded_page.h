// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LoadedPage: a decoded index page together with its record of the page directory, which holds
// what a page does not know: prefix, first ordinal, first data offset, volume.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "format/page.h"
#include "format/page_directory.h"

namespace dgfs::reader {

/// Immutable, thread-safe.
struct LoadedPage {
  format::PageRecord record;
  std::shared_ptr<const format::DecodedPage> decoded;

  [[nodiscard]] std::size_t size() const { return decoded->size(); }
  [[nodiscard]] format::Ordinal ordinal(std::size_t index) const {
    return record.first_ordinal + index;
  }
  /// Index of the ordinal, which must lie in the page.
  [[nodiscard]] std::size_t index_of(format::Ordinal ordinal) const {
    return static_cast<std::size_t>(ordinal - record.first_ordinal);
  }
  [[nodiscard]] std::string full_key(std::size_t index) const {
    return record.prefix + std::string(decoded->key(index));
  }
  /// Name part of entry `index`; points into the page or into `scratch`.
  [[nodiscard]] std::string_view name(std::size_t index, std::string& scratch) const;
  /// Index of the entry with this full key; size() if there is none.
  [[nodiscard]] std::size_t find(std::string_view full_key) const;
  [[nodiscard]] std::size_t memory_bytes() const;
};

}  // namespace dgfs::reader
