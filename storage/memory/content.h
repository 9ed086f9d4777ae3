// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The bytes of a file in memory, in pages of 4 KiB. Only pages that were written exist, so holes
// are real.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/bytes.h"
#include "storage/file.h"
#include "storage/memory/page_ranges.h"

namespace dgfs::storage {

/// Sparse content. A value: copies are independent. Not thread-safe.
class MemoryContent {
 public:
  static constexpr std::size_t kPageBytes = 4096;

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  [[nodiscard]] std::uint64_t page_count() const noexcept { return pages_.size(); }

  /// Returns the number of bytes read, fewer than asked for only at the end.
  [[nodiscard]] std::size_t read(std::uint64_t offset_bytes, MutableBytes out) const;
  void write(std::uint64_t offset_bytes, Bytes data);
  void resize(std::uint64_t size_bytes);
  /// As File::punch.
  void punch(std::uint64_t begin_bytes, std::uint64_t end_bytes);
  /// As File::next_data, in whole pages.
  [[nodiscard]] DataSegment next_data(std::uint64_t offset_bytes) const;

  /// Number of pages of a range of bytes that neither exist nor are reserved.
  [[nodiscard]] std::uint64_t pages_missing(std::uint64_t begin_bytes, std::uint64_t end_bytes,
                                            const PageRanges& reserved) const;
  /// Number of pages that exist and are not reserved. O(n).
  [[nodiscard]] std::uint64_t pages_beside(const PageRanges& reserved) const;

 private:
  using Page = std::array<std::uint8_t, kPageBytes>;

  void zero_in_page(std::uint64_t begin_bytes, std::uint64_t end_bytes);

  std::map<std::uint64_t, Page> pages_;  // by offset / kPageBytes
  std::uint64_t size_bytes_ = 0;
};

/// Number of pages that `size_bytes` bytes from offset 0 touch.
[[nodiscard]] constexpr std::uint64_t pages_spanned(std::uint64_t size_bytes) {
  return size_bytes / MemoryContent::kPageBytes +
         (size_bytes % MemoryContent::kPageBytes != 0 ? 1 : 0);
}

}  // namespace dgfs::storage
