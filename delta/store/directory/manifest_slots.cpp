// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The two slots of the file MANIFEST.
#include <optional>
#include <utility>

#include "delta/store/directory/manifest_coding.h"

namespace dgfs::delta {
namespace {

struct ManifestSlot {
  std::optional<Manifest> manifest;  ///< none: the slot is not valid
  /// It says that it is of another version, and its checksum does not fit: damage, or a version
  /// whose checksum is elsewhere.
  std::optional<Error> foreign;
};

Result<ManifestSlot> read_slot(const storage::File& file, std::uint64_t number,
                               std::size_t slot_bytes) {
  Buffer bytes(slot_bytes);
  DGFS_TRY(count, file.read_at(number * slot_bytes, bytes));
  bytes.resize(count);
  ManifestSlot slot;
  auto found = decode_manifest(bytes);
  if (!found && found.error().kind() == ErrorKind::kUnsupported) {
    auto error = std::move(found).error().in_file(file.path()).at_offset(number * slot_bytes);
    if (has_manifest_checksum(bytes, kManifestChecksumAt)) return error;
    slot.foreign = std::move(error);
  }
  if (found && found.value().generation % 2 == number) slot.manifest = std::move(found).value();
  return slot;
}

struct Slots {
  ManifestSlot first;
  ManifestSlot second;

  [[nodiscard]] unsigned whole() const {
    return unsigned{first.manifest.has_value()} + unsigned{second.manifest.has_value()};
  }
};

Result<Slots> read_slots(const storage::File& file, std::size_t slot_bytes) {
  DGFS_TRY(first, read_slot(file, 0, slot_bytes));
  DGFS_TRY(second, read_slot(file, 1, slot_bytes));
  return Slots{std::move(first), std::move(second)};
}

// A file has slots of one version only.
Result<Slots> read_slots(const storage::File& file) {
  DGFS_TRY(slots, read_slots(file, kStatesManifestSlotBytes));
  if (slots.whole() != 0) return std::move(slots);
  return read_slots(file, kManifestSlotBytes);
}

}  // namespace

Result<Manifest> read_manifest(const storage::File& file) {
  DGFS_TRY(slots, read_slots(file));
  auto& first = slots.first.manifest;
  auto& second = slots.second.manifest;
  if (!first && !second) {
    for (const auto& foreign : {slots.first.foreign, slots.second.foreign}) {
      if (foreign) return *foreign;
    }
    return bad_manifest(7140, "neither of the two slots is whole").in_file(file.path());
  }
  if (!first || !second) return first ? std::move(*first) : std::move(*second);
  if (first->delta != second->delta || first->image != second->image) {
    return bad_manifest(7141, "the two slots are of different deltas").in_file(file.path());
  }
  return first->generation > second->generation ? std::move(*first) : std::move(*second);
}

Result<unsigned> count_whole_slots(const storage::File& file) {
  DGFS_TRY(slots, read_slots(file));
  return slots.whole();
}

Status write_manifest(storage::File& file, const Manifest& manifest) {
  DGFS_CHECK(
      file.write_at(manifest.generation % 2 * manifest.slot_bytes(), encode_manifest(manifest)));
  return file.sync();
}

Status write_both_slots(storage::File& file, Manifest& manifest) {
  DGFS_CHECK(write_manifest(file, manifest));
  ++manifest.generation;
  return write_manifest(file, manifest);
}

}  // namespace dgfs::delta
