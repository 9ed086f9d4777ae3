// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/content/map.h"

#include <array>
#include <bit>

#include "format/checksum.h"

namespace dgfs::reader {
namespace {

constexpr int kImageShift = 36;  // past kind, codec and volume

}  // namespace

std::size_t ContentMap::memory_bytes() const {
  return sizeof *this + segments.memory_bytes() + (seek_table ? seek_table->memory_bytes() : 0);
}

std::size_t ContentKeyHash::operator()(const ContentKey& key) const noexcept {
  // Folds the image into the first of four words. Different keys may have equal hashes.
  const std::array<std::uint64_t, 4> words = {
      std::rotl(key.image, kImageShift) ^
          (static_cast<std::uint64_t>(key.kind) << 32 |
           static_cast<std::uint64_t>(key.codec) << 16 | key.volume),
      key.offset_bytes, key.length_bytes, key.frame};
  return format::checksum64(
      Bytes(reinterpret_cast<const std::uint8_t*>(words.data()), sizeof words));
}

}  // namespace dgfs::reader
