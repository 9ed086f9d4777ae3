// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Page and DecodedPage: an open index page of any codec.
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
  /// Key of entry `index`, relative to the page's prefix; valid as long as the page lives.
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
  /// All of entry `index`, with its relative key.
  [[nodiscard]] virtual Entry entry(std::size_t index) const = 0;
  /// Mode of entry `index`, without building the entry (a listing needs only the type).
  [[nodiscard]] virtual std::uint32_t mode(std::size_t index) const = 0;
  /// link_inode of entry `index`; 0 for most.
  [[nodiscard]] virtual InodeNumber link_inode(std::size_t index) const = 0;
  /// Running sum of the entries before `index`, to be added to the page's first offset
  /// (extent_offset()). `index` = size() gives the page's total.
  [[nodiscard]] virtual std::uint64_t data_offset(std::size_t index) const = 0;
  /// For the budget of a cache.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

/// One entry of a page with its place. A value.
struct PageEntry {
  std::size_t index = 0;
  Entry entry;                    ///< key relative to the page's prefix
  std::uint64_t data_offset = 0;  ///< as DecodedPage::data_offset(index)
};

/// Some adjacent entries of a page. A value.
struct PageSlice {
  std::shared_ptr<const DecodedPage> rows;
  std::size_t first_index = 0;  ///< index of row 0 in the page
};

/// A page opened for single lookups, at the least cost that its codec allows. For many entries, use
/// slice() or decode(). Immutable, thread-safe. Model and attribute table must outlive it.
///
/// A codec need not check parts that it did not decode yet: each method checks what it decodes. All
/// may give kCorrupt, with an offset in the payload.
class Page {
 public:
  virtual ~Page() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Relative key of entry 0; valid as long as the page lives.
  [[nodiscard]] virtual std::string_view first_key() const = 0;
  /// The entry with this relative key; nullopt if there is none.
  [[nodiscard]] virtual Result<std::optional<PageEntry>> find(std::string_view key) const = 0;
  /// Entry `index`, which must be below size().
  [[nodiscard]] virtual Result<PageEntry> entry(std::size_t index) const = 0;
  /// At least the entries [begin, end); the range must not be empty.
  [[nodiscard]] virtual Result<PageSlice> slice(std::size_t begin, std::size_t end) const = 0;
  /// All entries, all checked.
  [[nodiscard]] virtual Result<std::shared_ptr<const DecodedPage>> decode() const = 0;
  /// Whether all entries are decoded and checked already.
  [[nodiscard]] virtual bool is_decoded() const = 0;
  /// For the budget of a cache.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

}  // namespace dgfs::format
