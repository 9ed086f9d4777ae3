// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/content_table.h"

#include <algorithm>

namespace dgfs::builder {
namespace {

constexpr unsigned kBytesShift = 17;  // the volume has 16 bits, the codec one

// At most seven tenths of the slots are taken, so a search looks at about two slots.
constexpr std::uint64_t slots_for(std::uint64_t contents) {
  return contents + contents / 7 * 3 + 8;
}

}  // namespace

ContentTable::ContentTable(SpoolPlace place, std::uint64_t contents_max, std::size_t memory_bytes)
    : place_(std::move(place)),
      slot_count_(slots_for(contents_max)),
      fits_memory_(slot_count_ <= memory_bytes / sizeof(Slot)) {
  if (fits_memory_) slots_.resize(static_cast<std::size_t>(slot_count_));
}

Result<std::optional<PlacedExtent>> ContentTable::find(const Fingerprint& fingerprint) {
  DGFS_TRY(number, slot_of(fingerprint));
  DGFS_TRY(slot, load(number));
  if (slot->packed == 0) return std::optional<PlacedExtent>();
  return std::optional(PlacedExtent{slot->at_bytes, slot->packed >> kBytesShift,
                                    static_cast<format::ExtentCodec>(slot->packed & 1),
                                    static_cast<format::VolumeNumber>(slot->packed >> 1)});
}

Status ContentTable::add(const Fingerprint& fingerprint, const PlacedExtent& extent) {
  DGFS_TRY(number, slot_of(fingerprint));
  const Slot slot{fingerprint, extent.at_bytes,
                  extent.bytes << kBytesShift | std::uint64_t{extent.volume} << 1 |
                      static_cast<std::uint64_t>(extent.codec)};
  slots_[static_cast<std::size_t>(number - window_begin_)] = slot;
  if (file_ == nullptr) return ok();
  return file_->write_at(number * sizeof(Slot),
                         Bytes(reinterpret_cast<const std::uint8_t*>(&slot), sizeof(slot)));
}

Result<std::uint64_t> ContentTable::slot_of(const Fingerprint& fingerprint) {
  // Scales the high word to the number of slots: all bits of a fingerprint are equally random.
  __extension__ using Wide = unsigned __int128;
  auto number = static_cast<std::uint64_t>(Wide{fingerprint.high} * slot_count_ >> 64);
  while (true) {
    DGFS_TRY(slot, load(number));
    if (slot->packed == 0 || slot->fingerprint == fingerprint) return number;
    number = number + 1 == slot_count_ ? 0 : number + 1;
  }
}

Status ContentTable::open_file() {
  DGFS_TRY(file, place_.env->create_unnamed(place_.directory_path));
  // Slots that were never written are holes of the file, and read as free slots.
  DGFS_CHECK(file->truncate(slot_count_ * sizeof(Slot)));
  file_ = std::move(file);
  window_begin_ = slot_count_;
  return ok();
}

Result<const ContentTable::Slot*> ContentTable::load(std::uint64_t number) {
  if (fits_memory_) return &slots_[static_cast<std::size_t>(number)];
  if (file_ == nullptr) {
    DGFS_CHECK(open_file());
  }
  if (number < window_begin_ || number - window_begin_ >= slots_.size()) {
    const auto begin = number / kWindowSlots * kWindowSlots;
    slots_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(kWindowSlots, slot_count_ - begin)));
    window_begin_ = slot_count_;  // no window, in case the read fails
    DGFS_CHECK(storage::read_exactly(*file_, begin * sizeof(Slot),
                                     MutableBytes(reinterpret_cast<std::uint8_t*>(slots_.data()),
                                                  slots_.size() * sizeof(Slot))));
    window_begin_ = begin;
  }
  return &slots_[static_cast<std::size_t>(number - window_begin_)];
}

}  // namespace dgfs::builder
