// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read_back.h"

#include <algorithm>

namespace dgfs::builder {
namespace {

constexpr std::size_t kAheadBytesMin = std::size_t{16} << 10;
constexpr std::size_t kAheadBytesMax = std::size_t{1} << 20;

}  // namespace

Result<Bytes> ReadBack::read(std::uint64_t at_bytes, std::size_t count) {
  const auto end = begin_ + window_.size();
  if (at_bytes >= begin_ && at_bytes + count <= end) {
    return Bytes(window_).subspan(static_cast<std::size_t>(at_bytes - begin_), count);
  }
  const bool follows = at_bytes >= begin_ && at_bytes <= end + ahead_bytes_;
  ahead_bytes_ = follows ? std::clamp(2 * ahead_bytes_, kAheadBytesMin, kAheadBytesMax) : 0;
  const auto left = image_.position() - at_bytes;
  window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count + ahead_bytes_, left)));
  begin_ = at_bytes;
  if (auto read = image_.read(at_bytes, window_); !read) {
    window_.clear();
    return std::move(read).error();
  }
  return Bytes(window_).first(count);
}

}  // namespace dgfs::builder
