// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenCursor: the entries of one block of a token page, one after the other, out of untrusted
// bits. What most entries have is in plain members; the rest is in an Entry of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "format/column/entry_columns.h"
#include "format/content/extent.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/token/bit_reader.h"
#include "format/token/key.h"
#include "format/token/model.h"
#include "format/token/text.h"

namespace dgfs::format {

/// The last distinct mtimes, the one that holds at the front. A value.
class RecentTimes {
 public:
  [[nodiscard]] const Time& front() const { return times_[front_]; }
  /// As many as there are different ones, at most kTimeSymbols.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Time& operator[](std::size_t place) const { return times_[at(place)]; }
  /// Place of `time`; size() where it is none of them.
  [[nodiscard]] std::size_t find(const Time& time) const {
    std::size_t place = 0;
    while (place < size_ && (*this)[place] != time) ++place;
    return place;
  }
  /// Brings the time at `place`, below size(), to the front.
  void use(std::size_t place) {
    const auto time = (*this)[place];
    for (; place > 0; --place) times_[at(place)] = times_[at(place - 1)];
    times_[front_] = time;
  }
  /// Puts `time` before the others; the last of too many goes.
  void push(const Time& time) {
    front_ = at(kTimeSymbols - 1);
    times_[front_] = time;
    if (size_ < kTimeSymbols) ++size_;
  }
  /// Puts `time`, which there must be room for, behind the others.
  void append(const Time& time) { times_[at(size_++)] = time; }

 private:
  [[nodiscard]] std::size_t at(std::size_t place) const { return (front_ + place) % kTimeSymbols; }

  std::array<Time, kTimeSymbols> times_{};  ///< a ring
  std::size_t front_ = 0;
  std::size_t size_ = 0;
};

/// What the blocks of a page begin with.
struct TokenPageHead {
  RecentTimes times;                                   ///< at least one
  std::array<std::uint32_t, kTypeCount> attributes{};  ///< by type: the numbers before them
};

/// What the bits of entries are for.
enum class TokenPart : std::uint8_t {
  kRows,
  kNames,
  kSizes,
  kAttributes,
  kTimes,
  kTargets,
  kOthers
};
inline constexpr std::size_t kTokenParts = 7;
using TokenPartBits = std::array<std::uint64_t, kTokenParts>;

/// Not thread-safe. What it is made from must outlive it.
class TokenCursor {
 public:
  TokenCursor(const TokenModel& model, const AttributeTable& attributes, const TokenPageHead& head,
              BitReader in, std::size_t end_bits, std::string_view first_key);

  /// Goes to the next entry; the caller knows how many there are. False where the bits make none.
  /// A part of the loop over entries, whose state so stays in registers.
  [[gnu::always_inline]] bool next() {
    const auto ahead = in_.ahead();
    const auto row = model_.rows().find(row_class_, ahead);
    row_class_ = row.next_class;
    const auto size_bits = (row.symbol >> kRowFlagBits) - 1u;
    const bool is_next_file = (row.symbol & kRowFlags) == kRowSuccessor && size_bits < kSizeBits;
    if (!is_next_file || !is_steady_) return next_of_any_sort(row);
    return next_file(row.bits, size_bits, ahead << row.bits);
  }
  /// From now on next() adds the bits that it takes; `parts` must outlive the cursor.
  void measure_into(TokenPartBits& parts) { parts_ = &parts; }
  /// What made next() fail.
  [[nodiscard]] const char* problem() const { return problem_; }
  [[nodiscard]] std::size_t bit_offset() const { return in_.bit_offset(); }

  [[nodiscard]] std::string_view key() const { return key_.view(); }
  /// How many bytes the key certainly shares with the one before; of the first one, all of them.
  [[nodiscard]] std::size_t shared_bytes() const { return key_.shared_bytes(); }
  /// Type and permissions.
  [[nodiscard]] std::uint32_t mode() const { return combination_.mode; }
  [[nodiscard]] const AttributeCombination& combination() const { return combination_; }
  [[nodiscard]] const Time& mtime() const { return mtime_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  /// By what the running sum of data advances behind this entry.
  [[nodiscard]] std::uint64_t running_bytes() const { return running_bytes_; }
  /// Whether the entry is more than key, combination, mtime and size.
  [[nodiscard]] bool is_rich() const { return is_rich_; }
  /// All of the entry but its key.
  [[nodiscard]] Entry entry() const;

 private:
  static constexpr unsigned kRowFlags = (1u << kRowFlagBits) - 1;
  /// So many bits of a size are ahead behind any code of a row.
  static constexpr unsigned kSizeBits = BitReader::kAheadBits - kCodeBitsMax;

  bool fail(const char* problem) {
    problem_ = problem;
    return false;
  }
  /// The successor of a plain file that differs from it in its size alone: what most entries are
  /// where files are numbered. `size_bits`, which the size has below its top one, are ahead.
  bool next_file(unsigned row_bits, unsigned size_bits, std::uint64_t ahead) {
    in_.skip(row_bits + size_bits);
    size_bytes_ = std::uint64_t{1} << size_bits | ahead >> 1 >> (63 - size_bits);
    running_bytes_ = raw_extent_bytes(size_bytes_);         // F-161
    if (!key_.make_successor()) return fail(kNoSuccessor);  // F-192
    return in_.bit_offset() <= end_bits_ || fail(kBehindBlock);
  }
  bool next_of_any_sort(const ContextCode::Step& row);
  bool read_sort(const ContextCode::Step& found);
  /// Counts the bits since `from`, and goes on from here.
  void measure(TokenPart part, std::size_t& from) {
    if (parts_ == nullptr) return;
    (*parts_)[static_cast<std::size_t>(part)] += in_.bit_offset() - from;
    from = in_.bit_offset();
  }
  /// The rest of an entry that differs from the one before in name and size alone.
  bool read_plain(unsigned row);
  static constexpr const char* kNoSuccessor = "key has no successor";
  static constexpr const char* kBehindBlock = "entry goes on behind its block";  // F-193
  bool read_key(bool is_successor);
  bool read_kind(unsigned kind);
  bool read_attributes(std::size_t type, bool changed);
  void read_time(const Time& base, Time& time);
  bool read_mtime(bool changed);
  bool read_rich(unsigned kind, bool has_extras);
  bool read_extras(unsigned mask);
  bool read_extent(unsigned mask);
  bool read_fragment(unsigned mask);
  void read_ref(std::size_t number, SideRef& ref);
  bool read_target();
  /// Whether the combination of regular files was looked up.
  [[nodiscard]] bool knows_regular() const {
    return (combinations_known_ >> kRegularNumber & 1) != 0;
  }
  [[nodiscard]] std::uint64_t number(NumberKind kind) { return read_number(model_, kind, in_); }

  const TokenModel& model_;
  const AttributeTable& table_;
  BitReader in_;
  std::size_t end_bits_;
  const char* problem_ = nullptr;
  TokenPartBits* parts_ = nullptr;

  TokenKey key_;
  std::uint8_t row_class_;  ///< of the next row
  bool is_first_ = true;
  /// Whether the entry is a plain file, and a successor of it with the same attributes and mtime is
  /// to be read as such.
  bool is_steady_ = false;
  TokenText target_;

  // The state that the next entry may differ from.
  std::array<std::uint32_t, kTypeCount> attributes_;
  std::array<AttributeCombination, kTypeCount> combinations_{};
  unsigned combinations_known_ = 0;
  RecentTimes times_;
  std::uint64_t link_inode_ = 0;
  std::uint64_t next_address_ = 0;  ///< where the last extent with an address ends
  LastFragment last_fragment_;
  std::array<SideRef, 3> refs_{};

  AttributeCombination combination_;
  Time mtime_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t running_bytes_ = 0;
  bool is_rich_ = false;
  Entry rich_;
};

}  // namespace dgfs::format
