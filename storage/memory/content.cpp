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
    // What was cut off must not come back when the file grows again.
    if (last != pages_.end()) {
      std::fill(last->second.begin() + static_cast<std::ptrdiff_t>(size_bytes % kPageBytes),
                last->second.end(), std::uint8_t{0});
    }
  }
  size_bytes_ = size_bytes;
}

DataSegment MemoryContent::next_data(std::uint64_t offset_bytes) const {
  auto page = pages_.lower_bound(offset_bytes / kPageBytes);
  if (offset_bytes >= size_bytes_ || page == pages_.end()) return {size_bytes_, size_bytes_};
  const std::uint64_t begin = std::max(offset_bytes, page->first * kPageBytes);
  std::uint64_t end_page = page->first;
  for (; page != pages_.end() && page->first == end_page; ++page) ++end_page;
  return {begin, std::min(end_page * kPageBytes, size_bytes_)};
}

std::uint64_t MemoryContent::pages_missing(std::uint64_t offset_bytes, std::uint64_t length_bytes,
                                           std::uint64_t first_page) const {
  if (length_bytes == 0) return 0;
  const std::uint64_t begin = std::max(first_page, offset_bytes / kPageBytes);
  const std::uint64_t end = pages_spanned(offset_bytes + length_bytes);
  if (begin >= end) return 0;
  const auto there = std::distance(pages_.lower_bound(begin), pages_.lower_bound(end));
  return end - begin - static_cast<std::uint64_t>(there);
}

std::uint64_t MemoryContent::pages_from(std::uint64_t first_page) const {
  return static_cast<std::uint64_t>(std::distance(pages_.lower_bound(first_page), pages_.end()));
}

}  // namespace dgfs::storage
