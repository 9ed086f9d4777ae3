// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/read_back.h"

#include <algorithm>

namespace dgfs::builder {
namespace {

constexpr std::size_t kAheadBytesMin = std::size_t{16} << 10;
constexpr std::size_t kAheadBytesMax = std::size_t{1} << 20;

}  // namespace

Result<Bytes> ReadBack::read(format::DataAddress at, std::size_t count) {
  const std::uint64_t begin = begin_.offset_bytes;
  const std::uint64_t end = begin + window_.size();
  const bool is_behind = at.volume == begin_.volume && at.offset_bytes >= begin;
  if (is_behind && at.offset_bytes + count <= end) {
    return Bytes(window_).subspan(static_cast<std::size_t>(at.offset_bytes - begin), count);
  }
  const bool follows = is_behind && at.offset_bytes <= end + ahead_bytes_;
  ahead_bytes_ = follows ? std::clamp(2 * ahead_bytes_, kAheadBytesMin, kAheadBytesMax) : 0;
  const AppendFile& volume = volumes_[at.volume];
  const auto left = volume.position() - at.offset_bytes;
  window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count + ahead_bytes_, left)));
  begin_ = at;
  if (auto read = volume.read(at.offset_bytes, window_); !read) {
    window_.clear();
    return std::move(read).error();
  }
  return Bytes(window_).first(count);
}

}  // namespace dgfs::builder
