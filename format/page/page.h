// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Page and DecodedPage: an index page opened, whatever its codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::format {

/// A page opened for searching. Immutable, thread-safe.
class DecodedPage {
 public:
  virtual ~DecodedPage() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Key of entry i relative to the page's prefix; lives as long as the page.
  [[nodiscard]] virtual std::string_view key(std::size_t index) const = 0;
  /// Index of the first entry whose relative key is not less than `wanted`; size() if none.
  [[nodiscard]] std::size_t lower_bound(std::string_view wanted) const {
    std::size_t begin = 0;
    std::size_t end = size();
    while (begin < end) {
      const auto middle = begin + (end - begin) / 2;
      if (key(middle) < wanted) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
  /// All of entry i, key relative.
  [[nodiscard]] virtual Entry entry(std::size_t index) const = 0;
  /// Mode of entry i without building the entry (listing needs only the type).
  [[nodiscard]] virtual std::uint32_t mode(std::size_t index) const = 0;
  /// link_inode of entry i, 0 for most.
  [[nodiscard]] virtual InodeNumber link_inode(std::size_t index) const = 0;
  /// Running sum of the entries before i: what is to be added to the page's first offset
  /// (extent_offset()). index = size() gives the page's total.
  [[nodiscard]] virtual std::uint64_t data_offset(std::size_t index) const = 0;
  /// For the cache's budget.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

/// One entry of a page with its place. A value.
struct PageEntry {
  std::size_t index = 0;
  Entry entry;                    ///< key relative to the page's prefix
  std::uint64_t data_offset = 0;  ///< as DecodedPage::data_offset(index)
};

/// Some entries of a page that stand side by side. A value.
struct PageSlice {
  std::shared_ptr<const DecodedPage> rows;
  std::size_t first_index = 0;  ///< in the page, of row 0
};

/// A page opened for single lookups, at the least cost that its codec allows; slice() and decode()
/// are for who wants many of its entries. Immutable, thread-safe. Model and attribute table must
/// outlive it.
///
/// A codec need not have checked what it did not have to look at: every method checks what it
/// decodes. Errors of all: kCorrupt with an offset in the payload.
class Page {
 public:
  virtual ~Page() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Relative key of entry 0; lives as long as the page.
  [[nodiscard]] virtual std::string_view first_key() const = 0;
  /// The entry with this relative key, if there is one.
  [[nodiscard]] virtual Result<std::optional<PageEntry>> find(std::string_view key) const = 0;
  /// Entry `index`, which must be below size().
  [[nodiscard]] virtual Result<PageEntry> entry(std::size_t index) const = 0;
  /// At least the entries [begin, end), which must not be empty.
  [[nodiscard]] virtual Result<PageSlice> slice(std::size_t begin, std::size_t end) const = 0;
  /// All entries, everything checked.
  [[nodiscard]] virtual Result<std::shared_ptr<const DecodedPage>> decode() const = 0;
  /// Whether all entries are decoded and checked already.
  [[nodiscard]] virtual bool is_decoded() const = 0;
  /// For the cache's budget.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

}  // namespace dgfs::format
