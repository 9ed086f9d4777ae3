// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory/inode.h"

#include <algorithm>

#include "storage/file_mode.h"
#include "storage/mix.h"

namespace dgfs::storage {
namespace {

// Disks write a sector as a whole: it is old or new, never mixed.
constexpr std::uint64_t kSectorBytes = 512;

void apply(const ContentChange& change, MemoryContent& content) {
  if (change.new_size_bytes) {
    content.resize(*change.new_size_bytes);
  } else if (change.hole_end_bytes) {
    content.punch(change.offset_bytes, *change.hole_end_bytes);
  } else {
    content.write(change.offset_bytes, change.data);
  }
}

// Keeps the front of a write, up to a sector boundary inside it. Without such a boundary, keeps
// nothing.
void apply_torn(const ContentChange& change, std::uint64_t dice, MemoryContent& content) {
  const std::uint64_t end = change.offset_bytes + change.data.size();
  const std::uint64_t first_boundary = (change.offset_bytes / kSectorBytes + 1) * kSectorBytes;
  if (change.new_size_bytes || change.hole_end_bytes || first_boundary >= end) return;
  const std::uint64_t boundaries = (end - 1 - first_boundary) / kSectorBytes + 1;
  const std::uint64_t cut = first_boundary + dice % boundaries * kSectorBytes;
  content.write(change.offset_bytes, Bytes(change.data).first(cut - change.offset_bytes));
}

// Keeps some sectors of a write and loses the others.
void apply_scattered(const ContentChange& change, std::uint64_t seed, MemoryContent& content) {
  if (change.new_size_bytes || change.hole_end_bytes) return apply(change, content);
  Bytes rest = change.data;
  std::uint64_t at = change.offset_bytes;
  while (!rest.empty()) {
    const std::uint64_t in_sector = kSectorBytes - at % kSectorBytes;
    const Bytes part = rest.first(std::min<std::size_t>(in_sector, rest.size()));
    if (mix(seed, at / kSectorBytes) % 2 == 0) content.write(at, part);
    at += part.size();
    rest = rest.subspan(part.size());
  }
}

enum class Fate : std::uint8_t { kKept, kLost, kTorn };

Fate fate_of(std::uint64_t dice) { return static_cast<Fate>(dice % 3); }

void apply_what_is_left(const ContentChange& change, CrashLoss loss, std::uint64_t dice,
                        MemoryContent& content) {
  switch (loss) {
    case CrashLoss::kDropUnsynced:
      return;
    case CrashLoss::kKeepAll:
      return apply(change, content);
    case CrashLoss::kScattered:
      return apply_scattered(change, dice, content);
    case CrashLoss::kRandomSubset:
      if (fate_of(dice) == Fate::kKept) apply(change, content);
      if (fate_of(dice) == Fate::kTorn) apply_torn(change, mix(dice, change.id), content);
      return;
  }
}

void apply(const NameChange& change, MemoryEntries& entries) {
  if (change.inode) {
    entries.insert_or_assign(change.name, change.inode);
  } else {
    entries.erase(change.name);
  }
}

}  // namespace

bool MemoryInode::is_directory() const noexcept { return is_type(status.mode, kTypeDirectory); }
bool MemoryInode::is_regular() const noexcept { return is_type(status.mode, kTypeRegular); }
bool MemoryInode::is_link() const noexcept { return is_type(status.mode, kTypeLink); }

FileStatus MemoryInode::current_status() const {
  FileStatus current = status;
  current.size_bytes = is_link() ? link_target.size() : content.size_bytes();
  current.allocated_bytes =
      (reserved.count() + content.pages_beside(reserved)) * MemoryContent::kPageBytes;
  if (is_directory() && status.link_count > 0) {
    current.link_count = 2;  // its name and "."; and the ".." of each directory inside
    for (const auto& [name, inode] : entries) current.link_count += inode->is_directory() ? 1U : 0U;
  }
  return current;
}

void make_content_durable(MemoryInode& inode) {
  for (const ContentChange& change : inode.content_changes) apply(change, inode.durable_content);
  inode.content_changes.clear();
}

void make_names_durable(MemoryInode& inode) {
  for (const NameChange& change : inode.name_changes) apply(change, inode.durable_entries);
  inode.name_changes.clear();
}

void lose_unsynced(MemoryInode& inode, CrashLoss loss, std::uint64_t seed) {
  for (const ContentChange& change : inode.content_changes) {
    apply_what_is_left(change, loss, mix(seed, change.id), inode.durable_content);
  }
  for (const NameChange& change : inode.name_changes) {
    const bool kept = loss == CrashLoss::kKeepAll ||
                      (loss != CrashLoss::kDropUnsynced && mix(seed, change.id) % 2 == 0);
    if (kept) apply(change, inode.durable_entries);
  }
  inode.content_changes.clear();
  inode.name_changes.clear();
  inode.content = inode.durable_content;
  inode.entries = inode.durable_entries;
  inode.reserved.clear();
}

}  // namespace dgfs::storage
