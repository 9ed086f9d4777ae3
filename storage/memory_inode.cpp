// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/memory_inode.h"

#include "storage/file_mode.h"
#include "storage/mix.h"

namespace dgfs::storage {
namespace {

// What disks write as one: a sector is old or new, never mixed.
constexpr std::uint64_t kSectorBytes = 512;

void apply(const ContentChange& change, MemoryContent& content) {
  if (change.new_size_bytes) {
    content.resize(*change.new_size_bytes);
  } else {
    content.write(change.offset_bytes, change.data);
  }
}

// Keeps the front of a write, up to a sector boundary of the file inside of it (if there is one).
void apply_torn(const ContentChange& change, std::uint64_t dice, MemoryContent& content) {
  const std::uint64_t end = change.offset_bytes + change.data.size();
  const std::uint64_t first_boundary = (change.offset_bytes / kSectorBytes + 1) * kSectorBytes;
  if (change.new_size_bytes || first_boundary >= end) return;
  const std::uint64_t boundaries = (end - 1 - first_boundary) / kSectorBytes + 1;
  const std::uint64_t cut = first_boundary + dice % boundaries * kSectorBytes;
  content.write(change.offset_bytes, Bytes(change.data).first(cut - change.offset_bytes));
}

enum class Fate : std::uint8_t { kKept, kLost, kTorn };

Fate fate_of(std::uint64_t dice) { return static_cast<Fate>(dice % 3); }

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
  current.allocated_bytes = content.page_count() * MemoryContent::kPageBytes;
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
    const std::uint64_t dice = mix(seed, change.id);
    const Fate fate = fate_of(dice);
    if (loss == CrashLoss::kDropUnsynced) continue;
    if (loss == CrashLoss::kKeepAll || fate == Fate::kKept) apply(change, inode.durable_content);
    if (loss == CrashLoss::kRandomSubset && fate == Fate::kTorn) {
      apply_torn(change, mix(dice, change.id), inode.durable_content);
    }
  }
  for (const NameChange& change : inode.name_changes) {
    const bool kept = loss == CrashLoss::kKeepAll ||
                      (loss == CrashLoss::kRandomSubset && mix(seed, change.id) % 2 == 0);
    if (kept) apply(change, inode.durable_entries);
  }
  inode.content_changes.clear();
  inode.name_changes.clear();
  inode.content = inode.durable_content;
  inode.entries = inode.durable_entries;
  inode.reserved_pages = 0;
}

}  // namespace dgfs::storage
