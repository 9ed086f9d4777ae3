// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenCursor: decodes the entries of one block of a token page, one after the other, from
// untrusted bits. Plain members hold the values that most entries have; an Entry holds the others.
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

/// The last distinct mtimes, with the current one at the front. A value.
class RecentTimes {
 public:
  [[nodiscard]] const Time& front() const { return times_[front_]; }
  /// Number of different times, at most kTimeSymbols.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Time& operator[](std::size_t place) const { return times_[at(place)]; }
  /// Place of `time`; size() if it is not one of them.
  [[nodiscard]] std::size_t find(const Time& time) const {
    std::size_t place = 0;
    while (place < size_ && (*this)[place] != time) ++place;
    return place;
  }
  /// Moves the time at `place`, which must be below size(), to the front.
  void use(std::size_t place) {
    const auto time = (*this)[place];
    for (; place > 0; --place) times_[at(place)] = times_[at(place - 1)];
    times_[front_] = time;
  }
  /// Puts `time` before the others; drops the last one if there are too many.
  void push(const Time& time) {
    front_ = at(kTimeSymbols - 1);
    times_[front_] = time;
    if (size_ < kTimeSymbols) ++size_;
  }
  /// Puts `time` behind the others; there must be room.
  void append(const Time& time) { times_[at(size_++)] = time; }

 private:
  [[nodiscard]] std::size_t at(std::size_t place) const { return (front_ + place) % kTimeSymbols; }

  std::array<Time, kTimeSymbols> times_{};  ///< a ring
  std::size_t front_ = 0;
  std::size_t size_ = 0;
};

/// The state at the beginning of each block of a page.
struct TokenPageHead {
  RecentTimes times;                                   ///< at least one
  std::array<std::uint32_t, kTypeCount> attributes{};  ///< by type: numbers before the first change
};

/// The parts of entries, for counting their bits.
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

/// Not thread-safe. The constructor's arguments must outlive it.
class TokenCursor {
 public:
  /// @param has_gaps  kPageGaps of the page
  TokenCursor(const TokenModel& model, const AttributeTable& attributes, const TokenPageHead& head,
              bool has_gaps, BitReader in, std::size_t end_bits, std::string_view first_key);

  /// Goes to the next entry; the caller knows how many there are. Returns false if the bits are
  /// corrupt. Inlined into the caller's loop over entries, so that its state stays in registers.
  [[gnu::always_inline]] bool next() {
    const auto ahead = in_.ahead();
    const auto row = model_.rows().find(row_class_, ahead);
    row_class_ = row.next_class;
    const auto size_bits = (row.symbol >> kRowFlagBits) - 1u;
    const bool is_next_file = (row.symbol & kRowFlags) == kRowSuccessor && size_bits < kSizeBits;
    if (!is_next_file || !is_steady_) return next_of_any_sort(row);
    return next_file(row.bits, size_bits, ahead << row.bits);
  }
  /// From now on next() adds the bits that it reads to `parts`, which must outlive the cursor.
  void measure_into(TokenPartBits& parts) { parts_ = &parts; }
  /// Why next() failed.
  [[nodiscard]] const char* problem() const { return problem_; }
  [[nodiscard]] std::size_t bit_offset() const { return in_.bit_offset(); }

  [[nodiscard]] std::string_view key() const { return key_.view(); }
  /// How many first bytes the key shares with the key before; all bytes for the first key of a
  /// block.
  [[nodiscard]] std::size_t shared_bytes() const { return key_.shared_bytes(); }
  /// Type and permissions.
  [[nodiscard]] std::uint32_t mode() const { return combination_.mode; }
  [[nodiscard]] const AttributeCombination& combination() const { return combination_; }
  [[nodiscard]] const Time& mtime() const { return mtime_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  /// How much the running sum of data advances behind this entry.
  [[nodiscard]] std::uint64_t running_bytes() const { return running_bytes_; }
  /// Whether the entry has more than key, combination, mtime and size.
  [[nodiscard]] bool is_rich() const { return is_rich_; }
  /// The whole entry but its key.
  [[nodiscard]] Entry entry() const;

 private:
  static constexpr unsigned kRowFlags = (1u << kRowFlagBits) - 1;
  /// Behind the code of a row, ahead() holds at least this many bits of a size.
  static constexpr unsigned kSizeBits = BitReader::kAheadBits - kCodeBitsMax;

  bool fail(const char* problem) {
    problem_ = problem;
    return false;
  }
  /// Reads the successor of a plain file that differs from it only in size. Where files are
  /// numbered, most entries are like that. `ahead` begins behind the row's code, with the
  /// `size_bits` bits that the size has below its top one.
  bool next_file(unsigned row_bits, unsigned size_bits, std::uint64_t ahead) {
    in_.skip(row_bits + size_bits);
    size_bytes_ = std::uint64_t{1} << size_bits | ahead >> 1 >> (63 - size_bits);
    running_bytes_ = raw_extent_bytes(size_bytes_);         // F-161
    if (!key_.make_successor()) return fail(kNoSuccessor);  // F-192
    return in_.bit_offset() <= end_bits_ || fail(kBehindBlock);
  }
  bool next_of_any_sort(const ContextCode::Step& row);
  bool read_sort(const ContextCode::Step& found);
  /// Adds the bits since `from` to `part`, and sets `from` to the current offset.
  void measure(TokenPart part, std::size_t& from) {
    if (parts_ == nullptr) return;
    (*parts_)[static_cast<std::size_t>(part)] += in_.bit_offset() - from;
    from = in_.bit_offset();
  }
  /// Reads the rest of an entry that differs from the one before only in name and size.
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
  bool read_gap();
  bool read_fragment(unsigned mask);
  void read_ref(std::size_t number, SideRef& ref);
  bool read_target();
  /// Whether the combination of regular files has been looked up.
  [[nodiscard]] bool knows_regular() const {
    return (combinations_known_ >> kRegularNumber & 1) != 0;
  }
  [[nodiscard]] std::uint64_t number(NumberKind kind) { return read_number(model_, kind, in_); }

  const TokenModel& model_;
  const AttributeTable& table_;
  BitReader in_;
  std::size_t end_bits_;
  const bool has_gaps_;
  const char* problem_ = nullptr;
  TokenPartBits* parts_ = nullptr;

  TokenKey key_;
  std::uint8_t row_class_;  ///< class of the next row
  bool is_first_ = true;
  /// Whether the entry is a plain file whose successor, with the same attributes and mtime,
  /// next_file() may read.
  bool is_steady_ = false;
  TokenText target_;

  // The state of the entries before. The next entry is stored as differences from it.
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
