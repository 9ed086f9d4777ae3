// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RowWriter: turns entries into the symbols, numbers and texts of the token codec, in the order of
// the bits. A sink receives them and makes bits of a page, or counts for training.
//
// A sink has
//   row(symbol, before), share(symbol, before)   before: the symbol before, or kRowNone, kShareNone
//   recent_time(symbol), attribute(symbol), extras(symbol)
//   number(NumberKind, value), bits(value, count)
//   name(text, TextStart, EndingLengths), target(text)   the sink adds kTextEnd
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <string>

#include "format/coding.h"
#include "format/column/entry_columns.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/token/cursor.h"
#include "format/token/row.h"

namespace dgfs::format {

/// The state at the beginning of each block of a page: the commonest mtimes of `entries` and, for
/// each type, the combination that most have, if there is one. All combinations must be in
/// `attributes`.
[[nodiscard]] TokenPageHead choose_page_head(std::span<const Entry> entries,
                                             const AttributeTable& attributes);

/// Writes `key`, which follows `before`: its share symbol, then its suffix.
/// @return the share symbol
template <class Sink>
std::size_t write_next_key(std::string_view before, std::string_view key, std::size_t share_before,
                           Sink& sink) {
  const auto shared = shared_prefix_bytes(before, key);
  const auto directory = directory_bytes(before);
  const auto distance =
      zigzag(static_cast<std::int64_t>(shared) - static_cast<std::int64_t>(directory));
  const auto share = static_cast<std::size_t>(std::min<std::uint64_t>(distance, kShareEscape));
  sink.share(share, share_before);
  if (distance >= kShareEscape) sink.number(NumberKind::kOther, distance);
  const auto text = key.substr(shared);
  const TextStart start{
      shared == 0 ? kContextStart : static_cast<unsigned char>(key[shared - 1]),
      shared < before.size() ? static_cast<unsigned char>(before[shared]) : kPassedNone};
  sink.name(text, start, ending_lengths(before, directory, shared, text));
  return share;
}

template <class Sink>
void write_attribute(std::uint32_t number, Sink& sink) {
  sink.attribute(std::min<std::uint32_t>(number, kAttributeEscape));
  if (number >= kAttributeEscape) sink.number(NumberKind::kOther, number - kAttributeEscape);
}

/// Writes the beginning of a page.
template <class Sink>
void write_page_head(const TokenPageHead& head, unsigned types, Sink& sink) {
  sink.bits(head.times.size() - 1, kTimeCountBits);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < head.times.size(); ++i) {
    const auto seconds = static_cast<std::uint64_t>(head.times[i].seconds);
    sink.number(NumberKind::kSeconds, zigzag(static_cast<std::int64_t>(seconds - before)));
    sink.number(NumberKind::kNanoseconds, head.times[i].nanoseconds);
    before = seconds;
  }
  sink.bits(types, kTypeCount);
  for (std::size_t type = 0; type < kTypeCount; ++type) {
    if ((types >> type & 1) != 0) write_attribute(head.attributes[type], sink);
  }
}

/// Not thread-safe. `attributes` must outlive it and hold the combinations of all entries.
class RowWriter {
 public:
  explicit RowWriter(const AttributeTable& attributes) : table_(attributes) {}

  /// Returns to the state at the beginning of a block.
  void begin_block(const TokenPageHead& head) {
    row_before_ = kRowNone;
    share_before_ = kShareNone;
    attributes_ = head.attributes;
    times_ = head.times;
    link_inode_ = 0;
    next_address_ = 0;
    last_fragment_ = {};
    refs_ = {};
  }
  /// @param before  the key before; nullopt for the first entry of a block, whose key is in the
  ///                head
  template <class Sink>
  void add(const Entry& entry, std::optional<std::string_view> before, Sink& sink) {
    const auto kind = kind_of(entry);
    const auto type = type_number_of_kind(kind);
    const auto number = number_of(entry);
    const auto extras = extras_of(entry);
    unsigned flags = extras != 0 ? kRowExtras : 0;
    if (entry.link_inode == 0) {
      if (number != attributes_[type]) flags |= kRowAttributes;
      if (entry.mtime != times_.front()) flags |= kRowTime;
    }
    if (before && is_successor(*before, entry.key, shared_prefix_bytes(*before, entry.key))) {
      flags |= kRowSuccessor;
    }
    const auto row = (static_cast<std::size_t>(kind) << kRowFlagBits) + flags;
    sink.row(row, row_before_);
    row_before_ = row;
    if (before && (flags & kRowSuccessor) == 0) {
      share_before_ = write_next_key(*before, entry.key, share_before_, sink);
    }
    if (kind > 1 && kind < kKindOther) sink.bits(entry.size_bytes, kind - 1u);
    if ((flags & kRowAttributes) != 0) write_attribute(attributes_[type] = number, sink);
    if ((flags & kRowTime) != 0) write_mtime(entry.mtime, sink);
    write_rich(entry, extras, sink);
  }

 private:
  [[nodiscard]] static std::uint8_t kind_of(const Entry& entry) {
    const auto type = static_cast<std::uint8_t>(type_number(entry.mode));
    if (entry.link_inode != 0) return static_cast<std::uint8_t>(kKindLink + type);
    if (type != kRegularNumber) return static_cast<std::uint8_t>(kKindOther + type);
    return static_cast<std::uint8_t>(std::bit_width(entry.size_bytes));
  }
  [[nodiscard]] std::uint32_t number_of(const Entry& entry) const {
    if (entry.link_inode != 0) return 0;
    return table_.find({entry.mode, entry.uid, entry.gid}).value_or(0);
  }
  [[nodiscard]] unsigned extras_of(const Entry& entry) const;

  template <class Sink>
  void write_mtime(const Time& time, Sink& sink) {
    const auto place = times_.find(time);
    if (place < times_.size()) {
      sink.recent_time(place);
      return times_.use(place);
    }
    sink.recent_time(0);
    write_time(time, times_.front(), sink);
    times_.push(time);
  }
  template <class Sink>
  static void write_time(const Time& time, const Time& base, Sink& sink) {
    sink.number(NumberKind::kSeconds, distance(static_cast<std::uint64_t>(time.seconds),
                                               static_cast<std::uint64_t>(base.seconds)));
    sink.number(NumberKind::kNanoseconds, time.nanoseconds);
  }
  /// Distance modulo 2^64, so that every pair has one.
  [[nodiscard]] static std::uint64_t distance(std::uint64_t value, std::uint64_t base) {
    return zigzag(static_cast<std::int64_t>(value - base));
  }
  template <class Sink>
  void write_ref(const SideRef& ref, SideRef& base, Sink& sink) {
    sink.number(NumberKind::kReference, distance(ref.offset_bytes, base.offset_bytes));
    sink.number(NumberKind::kReference, distance(ref.length_bytes, base.length_bytes));
    base = ref;
  }
  template <class Sink>
  void write_rich(const Entry& entry, unsigned extras, Sink& sink) {
    if (entry.link_inode != 0) {
      sink.number(NumberKind::kLinkInode, distance(entry.link_inode, link_inode_));
      link_inode_ = entry.link_inode;
    }
    if (is_device(entry.mode) && entry.link_inode == 0) {
      sink.number(NumberKind::kOther, entry.rdev);
    }
    if (extras != 0) write_extras(entry, extras, sink);
    if (!entry.target.empty()) {
      target_ = entry.target;
      std::replace(target_.begin(), target_.end(), kTextEnd, '\0');
      sink.target(target_);
    }
  }
  template <class Sink>
  void write_extras(const Entry& entry, unsigned extras, Sink& sink) {
    const auto has = [&](Extra extra) { return (extras & static_cast<unsigned>(extra)) != 0; };
    sink.extras(extras);
    if (has(Extra::kSparseMap)) write_ref(entry.sparse_map, refs_[0], sink);
    if (has(Extra::kStored)) sink.number(NumberKind::kStoredBytes, entry.stored_bytes);
    if (has(Extra::kAddress)) {
      sink.number(NumberKind::kOther, entry.address->volume);
      sink.number(NumberKind::kAddress, distance(entry.address->offset_bytes, next_address_));
      next_address_ = entry.address->offset_bytes + entry.stored_bytes;
    }
    if (entry.fragment_offset) {
      if (has(Extra::kZstd)) sink.number(NumberKind::kOther, *entry.fragment_offset);
      last_fragment_.use(entry);
    }
    if (entry.link_count != 0) sink.number(NumberKind::kOther, entry.link_count);
    if (entry.gap_bytes != 0) sink.number(NumberKind::kStoredBytes, entry.gap_bytes);
    if (has(Extra::kChangeTime)) write_time(*entry.ctime, entry.mtime, sink);
    if (has(Extra::kAccessTime)) write_time(*entry.atime, entry.mtime, sink);
    if (has(Extra::kXattrs)) write_ref(entry.xattrs, refs_[1], sink);
    if (entry.long_target.present()) {
      write_ref(entry.long_target, refs_[2], sink);
      sink.number(NumberKind::kOther, entry.size_bytes);
    }
  }

  const AttributeTable& table_;
  std::size_t row_before_ = kRowNone;
  std::size_t share_before_ = kShareNone;
  std::array<std::uint32_t, kTypeCount> attributes_{};
  RecentTimes times_;
  std::uint64_t link_inode_ = 0;
  std::uint64_t next_address_ = 0;  ///< where the last extent with an address ends
  LastFragment last_fragment_;
  std::array<SideRef, 3> refs_{};
  std::string target_;
};

}  // namespace dgfs::format
