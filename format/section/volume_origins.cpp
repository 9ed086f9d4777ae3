// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/volume_origins.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "format/coding.h"
#include "format/header/section.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kOriginBytesMin = 1 + 16 + 1 + 8 + 1 + 1;
constexpr std::uint64_t kNumberMax = std::numeric_limits<VolumeNumber>::max();
constexpr std::uint64_t kBytesMax = std::numeric_limits<std::int64_t>::max();

Error corrupt_origins(std::uint16_t code, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text)
      .in_section(section_name(SectionKind::kVolumeOrigins));
}

Result<VolumeOrigin> decode_origin(Decoder& decoder) {
  VolumeOrigin origin;
  DGFS_TRY(number, decoder.varint_up_to(kNumberMax));
  DGFS_TRY(image, decoder.raw(origin.image.size()));
  DGFS_TRY(own_number, decoder.varint_up_to(kNumberMax));
  DGFS_TRY(checksum, decoder.fixed<std::uint64_t>());
  DGFS_TRY(dead_bytes, decoder.varint_up_to(kBytesMax));
  DGFS_TRY(is_of_merge, decoder.varint_up_to(1));
  origin.number = static_cast<VolumeNumber>(number);
  std::copy(image.begin(), image.end(), origin.image.begin());
  origin.own_number = static_cast<VolumeNumber>(own_number);
  origin.header_checksum = checksum;
  origin.dead_bytes = dead_bytes;
  origin.is_of_merge = is_of_merge != 0;
  return origin;
}

// F-351, F-352
Status check_origins(const std::vector<VolumeOrigin>& origins) {
  if (origins.empty()) return corrupt_origins(2700, "no volume");
  VolumeNumber last = 0;
  for (const VolumeOrigin& origin : origins) {
    if (origin.number <= last) return corrupt_origins(2701, "volume numbers do not rise from 1");
    last = origin.number;
  }
  auto sorted = origins;
  const auto identity = [](const VolumeOrigin& origin) {
    return std::tie(origin.image, origin.own_number, origin.header_checksum);
  };
  std::ranges::sort(sorted, {}, identity);
  if (std::ranges::adjacent_find(sorted, {}, identity) != sorted.end()) {
    return corrupt_origins(2702, "two numbers lead to one volume");
  }
  return ok();
}

}  // namespace

void encode_volume_origins(const std::vector<VolumeOrigin>& origins, Buffer& out) {
  Encoder encoder(out);
  encoder.varint(origins.size());
  for (const VolumeOrigin& origin : origins) {
    encoder.varint(origin.number);
    encoder.raw(origin.image);
    encoder.varint(origin.own_number);
    encoder.fixed(origin.header_checksum);
    encoder.varint(origin.dead_bytes);
    encoder.varint(origin.is_of_merge ? 1 : 0);
  }
}

Result<std::vector<VolumeOrigin>> decode_volume_origins(Bytes body) {
  auto decoded = [&]() -> Result<std::vector<VolumeOrigin>> {
    Decoder decoder(body);
    DGFS_TRY(count, decoder.varint());
    if (count > decoder.remaining() / kOriginBytesMin) {  // F-002
      return corrupt_origins(2703, "more volumes than bytes");
    }
    std::vector<VolumeOrigin> origins;
    for (std::uint64_t i = 0; i < count; ++i) {
      DGFS_TRY(origin, decode_origin(decoder));
      origins.push_back(origin);
    }
    DGFS_CHECK(decoder.finish());
    DGFS_CHECK(check_origins(origins));
    return origins;
  }();
  return in_section(SectionKind::kVolumeOrigins, std::move(decoded));
}

}  // namespace dgfs::format
