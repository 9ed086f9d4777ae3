// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/cursor.h"

#include "format/coding.h"
#include "format/entry/check.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kSparseMapRef = 0;
constexpr std::size_t kXattrsRef = 1;
constexpr std::size_t kLongTargetRef = 2;

bool has(unsigned mask, Extra extra) { return (mask & static_cast<unsigned>(extra)) != 0; }

bool is_device_kind(unsigned kind) {
  return kind == kKindOther + kCharacterDeviceNumber || kind == kKindOther + kBlockDeviceNumber;
}

/// End of the rows of regular files that are not names of multiply linked objects.
constexpr unsigned kRowPlainEnd = kKindOther << kRowFlagBits;
constexpr unsigned kRowChanges = kRowAttributes | kRowTime | kRowExtras;

}  // namespace

TokenCursor::TokenCursor(const TokenModel& model, const AttributeTable& attributes,
                         const TokenPageHead& head, bool has_gaps, BitReader in,
                         std::size_t end_bits, std::string_view first_key)
    : model_(model),
      table_(attributes),
      in_(in),
      end_bits_(end_bits),
      has_gaps_(has_gaps),
      row_class_(model.rows().first_class()),
      attributes_(head.attributes),
      times_(head.times) {
  key_.assign(first_key);
}

bool TokenCursor::next_of_any_sort(const ContextCode::Step& row) {
  is_steady_ = false;
  if (!read_sort(row)) return false;
  is_steady_ = row.symbol < kRowPlainEnd && !is_rich_ && parts_ == nullptr;
  if (mtime_.nanoseconds >= kNanosecondsEnd) return fail("nanoseconds out of range");  // F-154
  return in_.bit_offset() <= end_bits_ || fail(kBehindBlock);
}

bool TokenCursor::read_sort(const ContextCode::Step& found) {
  auto from = in_.bit_offset();
  in_.skip(found.bits);
  const unsigned row = found.symbol;
  if (row < kRowPlainEnd && (row & kRowChanges) == 0 && knows_regular() && parts_ == nullptr) {
    return read_plain(row);
  }
  measure(TokenPart::kRows, from);
  if (!read_key((row & kRowSuccessor) != 0)) return false;
  const auto kind = row >> kRowFlagBits;
  measure(TokenPart::kNames, from);
  if (!read_kind(kind)) return false;
  measure(TokenPart::kSizes, from);
  const auto type = type_number_of_kind(static_cast<std::uint8_t>(kind));
  const bool is_link = is_link_kind(static_cast<std::uint8_t>(kind));
  if (is_link) {
    if ((row & (kRowAttributes | kRowTime)) != 0) return fail("link name has attributes");  // F-155
    combination_ = {kTypes[type], 0, 0};
    mtime_ = {};
  } else {
    if (!read_attributes(type, (row & kRowAttributes) != 0)) return false;
    measure(TokenPart::kAttributes, from);
    if (!read_mtime((row & kRowTime) != 0)) return false;
    measure(TokenPart::kTimes, from);
  }
  is_rich_ = (row & kRowExtras) != 0 || is_link || kind == kKindOther + kSymlinkNumber ||
             is_device_kind(kind);
  if (is_rich_ && !read_rich(kind, (row & kRowExtras) != 0)) return false;
  measure(kind == kKindOther + kSymlinkNumber ? TokenPart::kTargets : TokenPart::kOthers, from);
  return true;
}

bool TokenCursor::read_plain(unsigned row) {
  if (!read_key((row & kRowSuccessor) != 0) || !read_kind(row >> kRowFlagBits)) return false;
  combination_ = combinations_[kRegularNumber];
  mtime_ = times_.front();
  is_rich_ = false;
  return true;
}

bool TokenCursor::read_key(bool is_successor) {
  if (is_first_) {
    is_first_ = false;
    return !is_successor || fail("the first key of a block has none before it");  // F-192
  }
  if (is_successor) {  // F-192; it has the same length, so it rises
    return key_.make_successor() || fail(kNoSuccessor);
  }
  problem_ = key_.read_next(model_, in_);
  return problem_ == nullptr;
}

bool TokenCursor::read_kind(unsigned kind) {
  if (kind < kKindOther) {
    size_bytes_ = kind < 2 ? kind : std::uint64_t{1} << (kind - 1) | in_.long_bits(kind - 1);
    running_bytes_ = raw_extent_bytes(size_bytes_);  // F-161
    return true;
  }
  size_bytes_ = 0;
  running_bytes_ = 0;
  return (kKindsKnown >> (kind - kKindOther) & 1) != 0 || fail("unknown kind of entry");  // F-150
}

bool TokenCursor::read_attributes(std::size_t type, bool changed) {
  const auto bit = 1u << type;
  if (changed) {
    std::uint64_t symbol = model_.attributes().read(in_);
    if (symbol == kAttributeEscape) symbol += number(NumberKind::kOther);
    attributes_[type] = static_cast<std::uint32_t>(std::min<std::uint64_t>(symbol, ~0u));
  }
  if (changed || (combinations_known_ & bit) == 0) {
    const auto combination = table_.at(attributes_[type], kTypes[type]);
    if (!combination) return fail("attribute combination does not fit");  // F-152
    combinations_[type] = *combination;
    combinations_known_ |= bit;
  }
  combination_ = combinations_[type];
  return true;
}

bool TokenCursor::read_mtime(bool changed) {
  if (changed) {
    const std::size_t place = model_.times().read(in_);
    if (place >= times_.size()) return fail("time is none of the last ones");  // F-196
    if (place > 0) {
      times_.use(place);
    } else {
      Time time;
      read_time(times_.front(), time);
      times_.push(time);
    }
  }
  mtime_ = times_.front();
  return true;
}

void TokenCursor::read_time(const Time& base, Time& time) {
  time.seconds = static_cast<std::int64_t>(
      add_zigzag(static_cast<std::uint64_t>(base.seconds), number(NumberKind::kSeconds)));
  const auto nanoseconds = number(NumberKind::kNanoseconds);
  time.nanoseconds = static_cast<std::uint32_t>(std::min<std::uint64_t>(nanoseconds, ~0u));
}

void TokenCursor::read_ref(std::size_t number_of_ref, SideRef& ref) {
  auto& base = refs_[number_of_ref];
  base.offset_bytes = add_zigzag(base.offset_bytes, number(NumberKind::kReference));
  const auto length = add_zigzag(base.length_bytes, number(NumberKind::kReference));
  base.length_bytes = static_cast<std::uint32_t>(length);
  if (length == 0 || length > 0xffffffff || base.offset_bytes > kFileBytesMax - length) {
    fail("reference out of bounds");  // F-166
  }
  ref = base;
}

bool TokenCursor::read_rich(unsigned kind, bool has_extras) {
  rich_ = Entry();
  rich_.mode = combination_.mode;
  rich_.uid = combination_.uid;
  rich_.gid = combination_.gid;
  rich_.mtime = mtime_;
  rich_.size_bytes = size_bytes_;
  if (is_link_kind(static_cast<std::uint8_t>(kind))) {
    link_inode_ = add_zigzag(link_inode_, number(NumberKind::kLinkInode));
    rich_.link_inode = link_inode_;
    if (link_inode_ == 0) return fail("link to no inode");  // F-164
  }
  if (is_device_kind(kind)) rich_.rdev = number(NumberKind::kOther);
  const unsigned mask = has_extras ? model_.extras().read(in_) : 0u;
  if (!read_extras(mask)) return false;
  const bool is_symlink = kind == kKindOther + kSymlinkNumber;
  if (is_symlink && !rich_.long_target.present() && !read_target()) return false;
  if (!check_entry(rich_)) return fail("entry contradicts itself");  // F-194
  return true;
}

bool TokenCursor::read_extras(unsigned mask) {
  if (has(mask, Extra::kSparseMap)) read_ref(kSparseMapRef, rich_.sparse_map);
  if (!read_extent(mask)) return false;
  if (has(mask, Extra::kGap) && has_gaps_ && !read_gap()) return false;
  if (has(mask, Extra::kLinkCount) && !has_gaps_) {
    const auto count = number(NumberKind::kOther);
    if (count == 0 || count > 0xffffffff) return fail("link count out of range");  // F-165
    rich_.link_count = static_cast<std::uint32_t>(count);
  }
  if (has(mask, Extra::kChangeTime)) read_time(mtime_, rich_.ctime.emplace());
  if (has(mask, Extra::kAccessTime)) read_time(mtime_, rich_.atime.emplace());
  if (has(mask, Extra::kXattrs)) read_ref(kXattrsRef, rich_.xattrs);
  if (has(mask, Extra::kLongTarget) && !is_regular(rich_.mode)) {
    read_ref(kLongTargetRef, rich_.long_target);
    rich_.size_bytes = number(NumberKind::kOther);
  }
  return problem_ == nullptr;
}

bool TokenCursor::read_extent(unsigned mask) {
  if (has(mask, Extra::kZstd)) rich_.codec = ExtentCodec::kZstd;
  rich_.stored_bytes = has(mask, Extra::kStored) ? number(NumberKind::kStoredBytes)
                                                 : implied_stored_bytes(rich_);  // F-161
  if (has(mask, Extra::kAddress)) {
    const auto volume = number(NumberKind::kOther);
    const auto offset = add_zigzag(next_address_, number(NumberKind::kAddress));
    if (volume > 0xffff) return fail("extent out of bounds");  // F-163
    rich_.address = DataAddress{static_cast<VolumeNumber>(volume), offset};
    next_address_ = offset + rich_.stored_bytes;
  }
  const bool is_fragment = has(mask, Extra::kFragment) && is_regular(rich_.mode);
  if (is_fragment && !read_fragment(mask)) return false;
  running_bytes_ = format::running_bytes(rich_);
  return true;
}

bool TokenCursor::read_gap() {
  rich_.gap_bytes = number(NumberKind::kStoredBytes);
  if (rich_.gap_bytes == 0) return fail("gap of no bytes");                  // F-315
  if (rich_.gap_bytes > kFileBytesMax) return fail("gap is out of bounds");  // F-162
  if (rich_.stored_bytes > kFileBytesMax) return fail("extent out of bounds");
  running_bytes_ = format::running_bytes(rich_);
  return true;
}

bool TokenCursor::read_fragment(unsigned mask) {
  if (has(mask, Extra::kZstd)) {
    const auto offset = number(NumberKind::kOther);
    rich_.fragment_offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(offset, ~0u));
  } else {
    const auto beside = static_cast<unsigned>(Extra::kStored) |
                        static_cast<unsigned>(Extra::kAddress) |
                        static_cast<unsigned>(Extra::kSparseMap);
    if (last_fragment_.stored_bytes == 0 || (mask & beside) != 0) {
      return fail("goes on in no fragment frame");  // F-199
    }
    rich_.codec = ExtentCodec::kZstd;
    rich_.stored_bytes = last_fragment_.stored_bytes;
    rich_.address = last_fragment_.address;
    rich_.fragment_offset = last_fragment_.end;
  }
  // check_entry() repeats this, but too large a size or offset would not fit into 32 bits here.
  if (rich_.size_bytes > kFragmentFrameBytesMax ||
      *rich_.fragment_offset > kFragmentFrameBytesMax) {
    return fail("content is out of its fragment frame");  // F-156
  }
  last_fragment_.use(rich_);
  return true;
}

bool TokenCursor::read_target() {
  target_.truncate(0);
  if (!target_.read(model_, model_.token_class(kContextTarget), kInlineTargetBytesMax, in_)) {
    return fail("target out of bounds");  // F-167
  }
  rich_.target = target_.view();
  // '/' ends a text, so 0x00 stands for it in a target (F-195).
  for (auto& byte : rich_.target) {
    if (byte == '\0') byte = kTextEnd;
  }
  rich_.size_bytes = rich_.target.size();
  return true;
}

Entry TokenCursor::entry() const {
  if (is_rich_) return rich_;
  Entry entry;
  entry.mode = combination_.mode;
  entry.uid = combination_.uid;
  entry.gid = combination_.gid;
  entry.mtime = mtime_;
  entry.size_bytes = size_bytes_;
  entry.stored_bytes = running_bytes_;
  return entry;
}

}  // namespace dgfs::format
