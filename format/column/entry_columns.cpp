// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/entry_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "format/coding.h"
#include "format/column/writer.h"
#include "format/content/extent.h"
#include "format/entry/check.h"
#include "format/entry/key.h"

namespace dgfs::format {
namespace {

using Entries = std::span<const Entry>;

bool is_link_name(const Entry& entry) { return entry.link_inode != 0; }

std::uint8_t kind_of(const Entry& entry) {
  const auto type = static_cast<std::uint8_t>(type_number(entry.mode));
  if (is_link_name(entry)) return static_cast<std::uint8_t>(kKindLink + type);
  if (type != kRegularNumber) return static_cast<std::uint8_t>(kKindOther + type);
  return static_cast<std::uint8_t>(std::bit_width(entry.size_bytes));
}

bool is_object(const Entry& entry) { return !is_link_name(entry); }
bool is_file(const Entry& entry) { return is_object(entry) && is_regular(entry.mode); }
bool is_file_or_link(const Entry& entry) { return is_regular(entry.mode); }
bool is_target(const Entry& entry) { return is_object(entry) && is_symlink(entry.mode); }

/// Writes the positions of the entries that `wanted` picks, as gaps counted among the entries that
/// `may_have` a value. Then calls `write` for each picked entry. If no entry is picked, sets no
/// mark and writes nothing.
template <class MayHave, class Wanted, class Write>
void write_some(Entries entries, Column column, ColumnWriter& out, MayHave may_have, Wanted wanted,
                Write write) {
  std::vector<std::uint32_t> picked;
  std::vector<std::size_t> gaps;
  std::size_t gap = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!may_have(entries[i])) continue;
    if (wanted(entries[i])) {
      picked.push_back(static_cast<std::uint32_t>(i));
      gaps.push_back(std::exchange(gap, 0));
    } else {
      ++gap;
    }
  }
  if (picked.empty()) return;
  out.mark(column);
  out.small(picked.size());
  for (const auto skipped : gaps) out.small(skipped);
  for (const auto at : picked) write(entries[at]);
}

void write_keys(Entries entries, std::size_t prefix_bytes, ColumnWriter& out) {
  const auto key_of = [&](std::size_t i) {
    return std::string_view(entries[i].key).substr(prefix_bytes);
  };
  const bool lengths = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.key.find('/', prefix_bytes) != std::string::npos;
  });
  if (lengths) out.mark(Column::kNameLengths);
  std::vector<std::size_t> shared(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto before = i == 0 ? std::string_view() : key_of(i - 1);
    shared[i] = shared_prefix_bytes(before, key_of(i));
    if (lengths) out.small(key_of(i).size() - shared[i]);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    out.text(key_of(i).substr(shared[i]));
    if (!lengths) out.byte('/');
  }
  out.end_block();
  for (std::size_t i = 1; i < entries.size(); ++i) {
    out.small(zigzag(static_cast<std::int64_t>(shared[i]) -
                     static_cast<std::int64_t>(directory_bytes(key_of(i - 1)))));
  }
  out.end_block();
}

void write_kinds(Entries entries, ColumnWriter& out) {
  for (const auto& entry : entries) {
    const auto kind = kind_of(entry);
    out.byte(kind);
    if (kind < kKindOther && kind > 1) out.bits(entry.size_bytes, kind - 1u);
  }
  out.end_block();
}

Status write_attributes(Entries entries, const AttributeTable& table, ColumnWriter& out) {
  std::array<std::uint32_t, kTypeCount> last;
  last.fill(~std::uint32_t{0});
  std::vector<std::uint32_t> numbers;
  for (const auto& entry : entries) {
    const auto number = is_link_name(entry) ? std::optional<std::uint32_t>(0)
                                            : table.find({entry.mode, entry.uid, entry.gid});
    if (!number) return contradiction(2195, "attribute combination is not in the table");
    numbers.push_back(*number);
  }
  write_some(
      entries, Column::kAttributes, out, is_object,
      [&](const Entry& entry) {
        const auto number = numbers[static_cast<std::size_t>(&entry - entries.data())];
        return std::exchange(last[type_number(entry.mode)], number) != number;
      },
      [&](const Entry& entry) {
        out.small(numbers[static_cast<std::size_t>(&entry - entries.data())]);
      });
  return ok();
}

/// Writes seconds as the distance to `base`. Arithmetic is modulo 2^64, so every pair has a
/// distance.
void write_seconds(std::int64_t seconds, std::int64_t base, ColumnWriter& out) {
  out.number(zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(seconds) -
                                              static_cast<std::uint64_t>(base))));
}

void write_times(Entries entries, ColumnWriter& out) {
  Time last;
  std::vector<Time> changes;
  write_some(
      entries, Column::kTimes, out, is_object,
      [&](const Entry& entry) { return std::exchange(last, entry.mtime) != entry.mtime; },
      [&](const Entry& entry) { changes.push_back(entry.mtime); });
  std::int64_t base = 0;
  for (const auto& time : changes) {
    write_seconds(time.seconds, base, out);
    base = time.seconds;
  }
  const bool fine = std::any_of(changes.begin(), changes.end(),
                                [](const Time& time) { return time.nanoseconds != 0; });
  if (!fine) return;
  out.mark(Column::kNanoseconds);
  for (const auto& time : changes) out.number(time.nanoseconds);
}

void write_other_times(Entries entries, Column column, std::optional<Time> Entry::*which,
                       ColumnWriter& out) {
  write_some(
      entries, column, out, is_object,
      [&](const Entry& entry) { return (entry.*which).has_value(); },
      [&](const Entry& entry) {
        write_seconds((entry.*which)->seconds, entry.mtime.seconds, out);
        out.number((entry.*which)->nanoseconds);
      });
}

/// References mostly follow each other or repeat, so each offset is the distance to the one before.
template <class MayHave>
void write_refs(Entries entries, Column column, SideRef Entry::*which, ColumnWriter& out,
                MayHave may_have) {
  std::uint64_t base = 0;
  write_some(
      entries, column, out, may_have, [&](const Entry& entry) { return (entry.*which).present(); },
      [&](const Entry& entry) {
        const auto& ref = entry.*which;
        out.number(zigzag(static_cast<std::int64_t>(ref.offset_bytes - base)));
        out.number(ref.length_bytes);
        base = ref.offset_bytes;
      });
}

void write_extents(Entries entries, ColumnWriter& out) {
  write_refs(entries, Column::kSparseMaps, &Entry::sparse_map, out, is_file);
  write_some(
      entries, Column::kCodecs, out, is_file,
      [](const Entry& entry) { return entry.codec != ExtentCodec::kRaw; },
      [&](const Entry& entry) { out.byte(static_cast<std::uint8_t>(entry.codec)); });
  write_some(
      entries, Column::kStored, out, is_file_or_link,
      [](const Entry& entry) { return entry.stored_bytes != implied_stored_bytes(entry); },
      [&](const Entry& entry) { out.number(entry.stored_bytes); });
  DataAddress base;
  write_some(
      entries, Column::kAddresses, out, is_file,
      [](const Entry& entry) { return entry.address.has_value(); },
      [&](const Entry& entry) {
        out.small(entry.address->volume);
        out.number(
            zigzag(static_cast<std::int64_t>(entry.address->offset_bytes - base.offset_bytes)));
        base = *entry.address;
      });
  write_some(
      entries, Column::kFragmentOffsets, out, is_file,
      [](const Entry& entry) { return entry.fragment_offset.has_value(); },
      [&](const Entry& entry) { out.number(*entry.fragment_offset); });
}

void write_links(Entries entries, ColumnWriter& out) {
  InodeNumber base = 0;
  for (const auto& entry : entries) {
    if (!is_link_name(entry)) continue;
    out.number(zigzag(static_cast<std::int64_t>(entry.link_inode - base)));
    base = entry.link_inode;
  }
  write_some(
      entries, Column::kLinkCounts, out, is_object,
      [](const Entry& entry) { return entry.link_count != 0; },
      [&](const Entry& entry) { out.number(entry.link_count); });
}

void write_targets(Entries entries, ColumnWriter& out) {
  write_refs(entries, Column::kLongTargets, &Entry::long_target, out, is_target);
  for (const auto& entry : entries) {
    if (entry.long_target.present()) out.number(entry.size_bytes);
  }
  for (const auto& entry : entries) {
    if (is_device(entry.mode) && !is_link_name(entry)) out.number(entry.rdev);
  }
  out.end_block();
  for (const auto& entry : entries) {
    if (entry.target.empty()) continue;
    out.text(entry.target);
    out.byte('\0');
  }
  out.end_block();
}

std::size_t keys_bytes(Entries entries, std::size_t prefix_bytes) {
  std::size_t total = 0;
  for (const auto& entry : entries) total += entry.key.size() - prefix_bytes;
  return total;
}

}  // namespace

std::size_t directory_bytes(std::string_view key) {
  if (key.empty()) return 0;
  const void* separator = memrchr(key.data(), '\0', key.size());
  if (separator == nullptr) return 0;
  return static_cast<std::size_t>(static_cast<const char*>(separator) - key.data()) + 1;
}

std::size_t type_number(std::uint32_t mode) {
  std::size_t number = 0;
  while (number < kTypeCount && kTypes[number] != type_of(mode)) ++number;
  return number;
}

std::uint64_t implied_stored_bytes(const Entry& entry) {
  const bool implied = is_regular(entry.mode) && !is_link_name(entry) &&
                       entry.codec == ExtentCodec::kRaw && !entry.sparse_map.present();
  return implied ? raw_extent_bytes(entry.size_bytes) : 0;
}

Result<std::optional<EntryColumns>> encode_columns(Entries entries, std::size_t prefix_bytes,
                                                   const AttributeTable& attributes) {
  if (entries.empty()) return contradiction(2196, "a page needs an entry");
  DGFS_CHECK(check_entries(entries, prefix_bytes));
  if (entries.size() > kPageEntriesMax || keys_bytes(entries, prefix_bytes) > kPageKeysBytesMax) {
    return std::nullopt;
  }
  ColumnWriter out;
  write_keys(entries, prefix_bytes, out);
  write_kinds(entries, out);
  DGFS_CHECK(write_attributes(entries, attributes, out));
  write_times(entries, out);
  write_extents(entries, out);
  write_links(entries, out);
  write_other_times(entries, Column::kChangeTimes, &Entry::ctime, out);
  write_other_times(entries, Column::kAccessTimes, &Entry::atime, out);
  write_refs(entries, Column::kXattrs, &Entry::xattrs, out, is_object);
  write_targets(entries, out);
  EntryColumns columns;
  columns.block_ends = out.block_ends();
  columns.bytes = std::move(out).finish();
  if (columns.bytes.size() > kPageDecodedBytesMax) return std::nullopt;
  return columns;
}

}  // namespace dgfs::format
