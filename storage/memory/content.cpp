// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory/content.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace dgfs::storage {
namespace {

constexpr std::uint64_t kPageBytes = MemoryContent::kPageBytes;

// The part of one page that [offset, offset + length) covers.
struct PagePart {
  std::uint64_t page;
  std::size_t begin;
  std::size_t count;
};

PagePart first_part(std::uint64_t offset_bytes, std::size_t length) {
  const auto begin = static_cast<std::size_t>(offset_bytes % kPageBytes);
  return {offset_bytes / kPageBytes, begin, std::min<std::size_t>(length, kPageBytes - begin)};
}

}  // namespace

std::size_t MemoryContent::read(std::uint64_t offset_bytes, MutableBytes out) const {
  if (offset_bytes >= size_bytes_) return 0;
  const std::size_t count = std::min<std::uint64_t>(out.size(), size_bytes_ - offset_bytes);
  for (std::size_t done = 0; done < count;) {
    const PagePart part = first_part(offset_bytes + done, count - done);
    const auto page = pages_.find(part.page);
    if (page == pages_.end()) {
      std::memset(out.data() + done, 0, part.count);
    } else {
      std::memcpy(out.data() + done, page->second.data() + part.begin, part.count);
    }
    done += part.count;
  }
  return count;
}

void MemoryContent::write(std::uint64_t offset_bytes, Bytes data) {
  for (std::size_t done = 0; done < data.size();) {
    const PagePart part = first_part(offset_bytes + done, data.size() - done);
    Page& page = pages_[part.page];  // a new page is zero
    std::memcpy(page.data() + part.begin, data.data() + done, part.count);
    done += part.count;
  }
  if (!data.empty()) size_bytes_ = std::max(size_bytes_, offset_bytes + data.size());
}

void MemoryContent::resize(std::uint64_t size_bytes) {
  if (size_bytes < size_bytes_) {
    pages_.erase(pages_.lower_bound(pages_spanned(size_bytes)), pages_.end());
    const auto last = pages_.find(size_bytes / kPageBytes);
    // Bytes that were cut off must not come back when the file grows again.
    if (last != pages_.end()) {
      std::fill(last->second.begin() + static_cast<std::ptrdiff_t>(size_bytes % kPageBytes),
                last->second.end(), std::uint8_t{0});
    }
  }
  size_bytes_ = size_bytes;
}

void MemoryContent::punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) {
  const auto first_whole = pages_spanned(begin_bytes);
  const auto end_whole = end_bytes / kPageBytes;
  if (first_whole < end_whole) {
    pages_.erase(pages_.lower_bound(first_whole), pages_.lower_bound(end_whole));
  }
  zero_in_page(begin_bytes, std::min(end_bytes, first_whole * kPageBytes));
  zero_in_page(std::max(begin_bytes, end_whole * kPageBytes), end_bytes);
}

void MemoryContent::zero_in_page(std::uint64_t begin_bytes, std::uint64_t end_bytes) {
  const auto page = pages_.find(begin_bytes / kPageBytes);
  if (begin_bytes >= end_bytes || page == pages_.end()) return;
  std::memset(page->second.data() + begin_bytes % kPageBytes, 0, end_bytes - begin_bytes);
}

DataSegment MemoryContent::next_data(std::uint64_t offset_bytes) const {
  auto page = pages_.lower_bound(offset_bytes / kPageBytes);
  if (offset_bytes >= size_bytes_ || page == pages_.end()) return {size_bytes_, size_bytes_};
  const std::uint64_t begin = std::max(offset_bytes, page->first * kPageBytes);
  std::uint64_t end_page = page->first;
  for (; page != pages_.end() && page->first == end_page; ++page) ++end_page;
  return {begin, std::min(end_page * kPageBytes, size_bytes_)};
}

std::uint64_t MemoryContent::pages_missing(std::uint64_t begin_bytes, std::uint64_t end_bytes,
                                           const PageRanges& reserved) const {
  if (begin_bytes >= end_bytes) return 0;
  std::uint64_t missing = 0;
  for (auto page = begin_bytes / kPageBytes; page < pages_spanned(end_bytes); ++page) {
    if (!reserved.has(page) && pages_.count(page) == 0) ++missing;
  }
  return missing;
}

std::uint64_t MemoryContent::pages_beside(const PageRanges& reserved) const {
  return static_cast<std::uint64_t>(std::count_if(
      pages_.begin(), pages_.end(), [&](const auto& page) { return !reserved.has(page.first); }));
}

}  // namespace dgfs::storage
