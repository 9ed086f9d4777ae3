// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/scatter.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace dgfs::storage {

std::size_t total_size(std::span<const MutableBytes> outs) noexcept {
  std::size_t total = 0;
  for (const MutableBytes& out : outs) total += out.size();
  return total;
}

std::size_t total_size(std::span<const Bytes> parts) noexcept {
  std::size_t total = 0;
  for (const Bytes& part : parts) total += part.size();
  return total;
}

Scatter::Scatter(std::span<const MutableBytes> outs) {
  vectors_.reserve(outs.size());
  for (const MutableBytes& out : outs) {
    if (out.empty()) continue;
    vectors_.push_back({out.data(), out.size()});
    size_bytes_ += out.size();
  }
}

bool Scatter::aligned_to(std::size_t alignment) const noexcept {
  return std::all_of(vectors_.begin() + static_cast<std::ptrdiff_t>(first_), vectors_.end(),
                     [alignment](const iovec& vector) {
                       const auto address = reinterpret_cast<std::uintptr_t>(vector.iov_base);
                       return ((address | vector.iov_len) & (alignment - 1)) == 0;
                     });
}

void Scatter::advance(std::size_t count) noexcept {
  size_bytes_ -= count;
  while (count > 0) {
    iovec& vector = vectors_[first_];
    const std::size_t step = std::min(count, vector.iov_len);
    vector.iov_base = static_cast<std::uint8_t*>(vector.iov_base) + step;
    vector.iov_len -= step;
    count -= step;
    if (vector.iov_len == 0) ++first_;
  }
}

void Scatter::fill(Bytes data) noexcept {
  while (!data.empty()) {
    const iovec& vector = vectors_[first_];
    const std::size_t step = std::min(data.size(), vector.iov_len);
    std::memcpy(vector.iov_base, data.data(), step);
    advance(step);
    data = data.subspan(step);
  }
}

}  // namespace dgfs::storage
