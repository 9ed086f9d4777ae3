// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/volume/volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "format/coding.h"
#include "format/header/header_page.h"
#include "format/limits.h"
#include "reader/placed_error.h"
#include "reader/unused_bytes.h"

namespace dgfs::reader {
namespace {

constexpr std::uint64_t kSearchIntervalNs = 1'000'000'000;

}  // namespace

Status check_volume(const Volume& volume) {
  for (const auto offset : {std::uint64_t{0}, volume.header.file_bytes - format::kPageBytes}) {
    std::array<std::uint8_t, format::kPageBytes> page{};
    DGFS_CHECK(read_result(storage::read_exactly(*volume.file, offset, page), volume.file->path(),
                           "volume header", offset));
    DGFS_TRY(header, decode_header_page(*volume.file, page, offset));
    if (header != volume.header) {
      return Error(ErrorKind::kCorrupt, 3073, "the two header pages differ")
          .in_file(volume.file->path())
          .in_section("volume header")
          .at_offset(offset);
    }
  }
  return check_unused_of_volume(*volume.file, volume.header);
}

Volumes::Volumes(storage::Env& env, VolumePlaces places, std::vector<format::VolumeRecord> records,
                 std::vector<format::VolumeOrigin> origins)
    : env_(env),
      places_(std::move(places)),
      records_(std::move(records)),
      origins_(std::move(origins)),
      owned_(records_.size()),
      missing_(records_.size()),
      open_(records_.size()) {}

void Volumes::adopt(const FoundVolume& found) {
  const auto slot = slot_of(found.header.number);
  if (slot) adopt_as(*slot, found);
}

void Volumes::adopt_open(const Volumes& others) {
  for (const auto& open : others.open_) {
    const auto* volume = open.load(std::memory_order_acquire);
    if (volume == nullptr) continue;
    const FoundVolume found{volume->file, volume->header, volume->header_checksum};
    const auto slot = slot_of(found);
    if (slot && !owned_[*slot]) adopt_as(*slot, found);
  }
}

void Volumes::adopt_as(std::size_t slot, const FoundVolume& found) {
  auto volume = make(slot, found);
  if (!volume) return;  // get() will search for it again and return the error
  owned_[slot] = std::move(volume).assume_value();
  open_[slot].store(owned_[slot].get(), std::memory_order_release);
}

std::optional<std::size_t> Volumes::slot_of(format::VolumeNumber number) const {
  const auto found = std::lower_bound(
      records_.begin(), records_.end(), number,
      [](const format::VolumeRecord& record, auto wanted) { return record.number < wanted; });
  if (found == records_.end() || found->number != number) return std::nullopt;
  return static_cast<std::size_t>(found - records_.begin());
}

VolumeIdentity Volumes::identity_of(format::VolumeNumber number) const {
  const auto origin = std::ranges::lower_bound(origins_, number, {}, &format::VolumeOrigin::number);
  if (origin == origins_.end() || origin->number != number) return {places_.uuid, number};
  return {origin->image, origin->own_number, origin->header_checksum};
}

std::optional<std::size_t> Volumes::slot_of(const FoundVolume& found) const {
  const auto origin = std::ranges::find_if(origins_, [&](const format::VolumeOrigin& each) {
    return each.image == found.header.image_uuid && each.own_number == found.header.number &&
           each.header_checksum == found.header_checksum;
  });
  if (origin != origins_.end()) return slot_of(origin->number);
  const auto number = found.header.number;
  const bool is_own =
      found.header.image_uuid == places_.uuid && !identity_of(number).header_checksum;
  return is_own ? slot_of(number) : std::nullopt;
}

Result<const Volume*> Volumes::get(format::VolumeNumber number) const {
  const auto slot = slot_of(number);
  if (!slot) {
    return Error(ErrorKind::kCorrupt, 3070, fmt::format("the index has no volume {}", number))
        .in_file(places_.index_path)
        .in_section("volumes")
        .at_offset(places_.table_offset_bytes);
  }
  if (const auto* volume = open_[*slot].load(std::memory_order_acquire)) return volume;
  const std::lock_guard lock(mutex_);
  if (!owned_[*slot]) {
    // Without this pause, each read from a missing volume would search the folders.
    const auto now_ns = env_.monotonic_ns();
    auto& missing = missing_[*slot];
    if (missing && now_ns - missing->at_ns < kSearchIntervalNs) return missing->error;
    auto searched = find_volume(env_, places_, number, identity_of(number), records_[*slot].hint);
    missing.reset();
    if (!searched) {
      // With a clock that stands still, every call searches.
      if (now_ns != 0) missing = Missing{searched.assume_error(), now_ns};
      return searched.assume_error();
    }
    const auto& found = searched.assume_value();
    DGFS_TRY(volume, make(*slot, found));
    owned_[*slot] = std::move(volume);
    open_[*slot].store(owned_[*slot].get(), std::memory_order_release);
  }
  return owned_[*slot].get();
}

// The header of a volume without an index follows from the superblock and the volume table.
Result<format::VolumeOrigin> Volumes::origin_of(format::VolumeNumber number,
                                                std::uint64_t incompat) const {
  const auto foreign = std::ranges::find(origins_, number, &format::VolumeOrigin::number);
  if (foreign != origins_.end()) return *foreign;
  const auto known = identity_of(number);
  // The image has volumes of others, so it comes from a merge itself.
  const bool is_of_merge = !origins_.empty();
  const auto volume = get(number);
  if (volume) {
    return format::VolumeOrigin{
        number, known.image, known.number, volume.assume_value()->header_checksum, 0, is_of_merge};
  }
  const auto slot = slot_of(number);
  if (number == 0 || !slot || volume.assume_error().kind() != ErrorKind::kNotFound) {
    return volume.assume_error();
  }
  format::VolumeHeader header;
  header.incompat = incompat;
  header.image_uuid = places_.uuid;
  header.number = number;
  header.data_end = records_[*slot].data_end;
  const auto pages = (header.data_end + format::kPageBytes - 1) / format::kPageBytes + 1;
  header.file_bytes = pages * format::kPageBytes;
  const auto page = format::encode_volume_header(header);
  return format::VolumeOrigin{number,
                              known.image,
                              known.number,
                              format::load<std::uint64_t>(page, format::kHeaderChecksumOffset),
                              0,
                              is_of_merge};
}

std::optional<std::string> Volumes::path(format::VolumeNumber number) const {
  const auto volume = get(number);
  if (!volume) return std::nullopt;
  return volume.assume_value()->file->path();
}

Status Volumes::check_is_volume(const std::string& path) const {
  // find_volume() reports on the files in a folder if a volume is missing.
  if (env_.open_directory(path)) return ok();
  DGFS_TRY(found, open_volume(env_, path, false, {}));
  if (slot_of(found)) return ok();
  if (!origins_.empty()) {  // the image has volumes of several images
    return Error(ErrorKind::kInvalidArgument, 3077,
                 fmt::format("none of the volumes that the image needs (volume {} of image {})",
                             found.header.number, format::uuid_text(found.header.image_uuid)))
        .in_file(path);
  }
  if (found.header.image_uuid != places_.uuid) {
    return Error(ErrorKind::kInvalidArgument, 3074,
                 fmt::format("a volume of another image (uuid {} instead of {})",
                             format::uuid_text(found.header.image_uuid),
                             format::uuid_text(places_.uuid)))
        .in_file(path);
  }
  return Error(ErrorKind::kInvalidArgument, 3075,
               fmt::format("volume {}, which the image does not have", found.header.number))
      .in_file(path);
}

Result<std::unique_ptr<Volume>> Volumes::make(std::size_t slot, const FoundVolume& found) const {
  DGFS_TRY(file_bytes, found.file->size());
  auto volume = std::make_unique<Volume>();
  volume->file = found.file;
  if (places_.past_page_cache) {
    // Opens a second descriptor, because an index in the same file is read through the page cache.
    // If the path has another volume by now, uses the descriptor that is already open.
    auto direct = open_volume(env_, found.file->path(), true, {});
    if (direct && direct.assume_value().header == found.header) {
      volume->file = std::move(direct).assume_value().file;
    }
  }
  volume->header = found.header;
  volume->header_checksum = found.header_checksum;
  volume->data_end = std::min({found.header.data_end, records_[slot].data_end, file_bytes});
  if (places_.may_be_cut) volume->data_end = records_[slot].data_end;
  return volume;
}

}  // namespace dgfs::reader
