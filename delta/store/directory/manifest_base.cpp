// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "delta/store/directory/manifest_coding.h"
#include "delta/store/directory/state_name.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

constexpr std::size_t kNameAt = 80;
constexpr std::size_t kKeptAt = kNameAt + kStateNameBytesMax;
constexpr std::size_t kKeptNumbersAt = kKeptAt + 8;
static_assert(kKeptNumbersAt + kKeptBasesMax * 8 == kBaseBytes);

Status check_base(const BaseFacts& base, const Manifest& manifest) {
  const StackedStore& lowest = manifest.stores.front();
  if (base.number == 0 || base.number >= manifest.next_number) {
    return bad_manifest(7605, "an impossible number of a base");
  }
  std::uint64_t before = 0;
  for (const std::uint64_t number : base.kept) {
    if (number <= before || number >= base.number) {
      return bad_manifest(7606, "an impossible number of an earlier base");
    }
    before = number;
  }
  if (is_base(base.state) || lowest.layer.parent != base.state) {
    return bad_manifest(7607, "the lowest store is not over the state of the base");
  }
  if (base.end_of_image > lowest.born_object) {
    return bad_manifest(7608, "the objects of the image do not end before those of the stores");
  }
  if (!base.name.empty() && !is_state_name(base.name)) {
    return bad_manifest(7609, "an impossible name of the state of the base");
  }
  for (const StackedStore& store : manifest.stores) {
    const LayerFacts& layer = store.layer;
    if (is_base(layer.state)) continue;
    if (layer.state == base.state || (!base.name.empty() && layer.name == base.name)) {
      return bad_manifest(7610, "a layer has the id or the name of the base");
    }
    if (layer.sealed_at < base.sealed_at) {
      return bad_manifest(7611, "the times of states fall");
    }
  }
  return ok();
}

}  // namespace

std::string base_file_name(std::uint64_t number) { return fmt::format("base.{:04}.dgfs", number); }

void encode_base(const BaseFacts& base, Buffer& bytes) {
  const std::size_t begin = bytes.size();
  {
    Encoder out(bytes);
    out.fixed(base.number);
    out.raw(base.uuid);
    out.raw(base.state);
    out.fixed(base.end_of_image);
    out.fixed(base.end_of_numbers);
    out.fixed(base.sealed_at.seconds);
    out.fixed(base.sealed_at.nanoseconds);
    out.fixed(base.pins);
    out.fixed(std::uint64_t{base.name.size()});
    out.raw(as_bytes(base.name));
  }
  bytes.resize(begin + kKeptAt);
  {
    Encoder out(bytes);
    out.fixed(std::uint64_t{base.kept.size()});
    for (const std::uint64_t number : base.kept) out.fixed(number);
  }
  bytes.resize(begin + kBaseBytes);
}

Status decode_base(Bytes bytes, Manifest& manifest) {
  BaseFacts base;
  Decoder in(bytes);
  DGFS_TRY(number, in.fixed<std::uint64_t>());
  base.number = number;
  DGFS_TRY(uuid, in.raw(base.uuid.size()));
  std::copy(uuid.begin(), uuid.end(), base.uuid.begin());
  DGFS_TRY(state, in.raw(base.state.size()));
  std::copy(state.begin(), state.end(), base.state.begin());
  DGFS_TRY(end_of_image, in.fixed<std::uint64_t>());
  DGFS_TRY(end_of_numbers, in.fixed<std::uint64_t>());
  DGFS_TRY(seconds, in.fixed<std::int64_t>());
  DGFS_TRY(nanoseconds, in.fixed<std::uint32_t>());
  DGFS_TRY(pins, in.fixed<std::uint32_t>());
  DGFS_TRY(name_bytes, in.fixed<std::uint64_t>());
  base.end_of_image = end_of_image;
  base.end_of_numbers = end_of_numbers;
  base.sealed_at = {seconds, nanoseconds};
  base.pins = pins;
  Decoder kept_in(bytes.subspan(kKeptAt));
  DGFS_TRY(kept, kept_in.fixed<std::uint64_t>());
  if (nanoseconds >= kNsPerSecond || name_bytes > kStateNameBytesMax || kept > kKeptBasesMax) {
    return bad_manifest(7612, "an impossible time, name or number of bases");
  }
  const auto name = bytes.subspan(kNameAt, kStateNameBytesMax);
  base.name = as_text(name.first(static_cast<std::size_t>(name_bytes)));
  for (std::uint64_t i = 0; i < kept; ++i) {
    DGFS_TRY(earlier, kept_in.fixed<std::uint64_t>());
    base.kept.push_back(earlier);
  }
  const auto kept_end = kKeptNumbersAt + static_cast<std::size_t>(kept) * 8;
  if (!are_zeros(name.subspan(static_cast<std::size_t>(name_bytes))) ||
      !are_zeros(bytes.subspan(kept_end))) {
    return bad_manifest(7613, "bytes after the name or the numbers of a base");
  }
  DGFS_CHECK(check_base(base, manifest));
  manifest.base = std::move(base);
  return ok();
}

}  // namespace dgfs::delta
