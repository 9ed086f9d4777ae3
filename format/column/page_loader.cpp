// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/page_loader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/coding.h"
#include "format/content/extent.h"
#include "format/entry/mode.h"

namespace dgfs::format {
namespace {

/// Whether a key is greater than `before` and shares no more bytes with it than it states (F-144).
/// The key keeps `kept_bytes` of `before` and goes on with `suffix`. One comparison decides both.
bool rises(std::string_view before, std::size_t kept_bytes, std::string_view suffix) {
  if (suffix.empty()) return false;
  return kept_bytes == before.size() || static_cast<unsigned char>(suffix.front()) >
                                            static_cast<unsigned char>(before[kept_bytes]);
}

/// directory_bytes() of texts that follow one another in memory. Most have no 0x00, so one search
/// for the next 0x00 in all of them costs less than a search in each.
class DirectoryFinder {
 public:
  explicit DirectoryFinder(std::span<const std::string_view> texts)
      : end_(texts.back().data() + texts.back().size()) {
    find_zero_from(texts.front().data());
  }
  std::size_t bytes_in(std::string_view text) {
    const auto* text_end = text.data() + text.size();
    if (zero_ >= text_end) return 0;
    find_zero_from(text_end);
    return directory_bytes(text);
  }

 private:
  void find_zero_from(const char* begin) {
    const void* zero = std::memchr(begin, '\0', static_cast<std::size_t>(end_ - begin));
    zero_ = zero == nullptr ? end_ : static_cast<const char*>(zero);
  }
  const char* end_;
  const char* zero_ = nullptr;
};

/// Room for the shared part of each key; the arena grows if that is too little.
constexpr std::size_t kSharedBytesGuess = 24;
/// Keys are copied in steps of this size, and the arena has one step to spare. Most keys need one
/// step.
constexpr std::size_t kCopyStepBytes = 32;
/// Suffixes up to this length, nearly all, are copied in one step of this size.
constexpr std::size_t kShortSuffixBytes = 16;

}  // namespace

Status ColumnPageLoader::load() {
  load_keys();
  load_kinds();
  load_attributes();
  mark("attributes");
  load_times();
  load_extents();
  load_links();
  mark("links");
  load_other_times(Column::kChangeTimes, page_.change_times_);
  mark("ctimes");
  load_other_times(Column::kAccessTimes, page_.access_times_);
  mark("atimes");
  load_refs(Column::kXattrs, page_.xattrs_, [this](std::size_t index) { return !is_link(index); });
  mark("xattrs");
  load_targets();
  load_data_offsets();
  return in_.finish();
}

std::vector<std::string_view> ColumnPageLoader::load_suffixes() {  // F-141
  std::vector<std::string_view> suffixes;
  suffixes.reserve(count_);
  if (!in_.has(Column::kNameLengths)) {
    for (std::size_t i = 0; i < count_; ++i) suffixes.push_back(in_.text_until('/'));
    return suffixes;
  }
  std::vector<std::uint64_t> lengths(count_);
  for (auto& length : lengths) length = in_.small();
  for (const auto length : lengths) suffixes.push_back(in_.text(length));
  return suffixes;
}

std::size_t ColumnPageLoader::load_shared_bytes(std::string_view before, std::size_t directory,
                                                std::string_view suffix) {
  const auto shared = add_zigzag(directory, in_.small());
  if (shared > before.size()) {  // F-143; a negative length wraps and is too long, too
    in_.fail("shared prefix is longer than the key before");
    return 0;
  }
  const auto kept_bytes = static_cast<std::size_t>(shared);
  if (!rises(before, kept_bytes, suffix)) in_.fail("keys do not rise");  // F-144
  return kept_bytes;
}

void ColumnPageLoader::load_keys() {  // F-140
  const auto suffixes = load_suffixes();
  mark("names");
  if (in_.failed()) return;
  page_.key_begins_.resize(count_ + 1);
  const auto text_end = suffixes.back().data() + suffixes.back().size();
  reserve_keys(static_cast<std::size_t>(text_end - suffixes.front().data()) +
               count_ * kSharedBytesGuess);
  DirectoryFinder directories(suffixes);
  append_key(0, 0, suffixes[0]);
  auto directory = directories.bytes_in(suffixes[0]);
  for (std::size_t i = 1; i < count_; ++i) {
    const auto before = page_.key(i - 1);
    const auto kept_bytes = load_shared_bytes(before, directory, suffixes[i]);
    if (in_.failed()) return;
    const auto in_suffix = directories.bytes_in(suffixes[i]);
    if (in_suffix > 0) {
      directory = kept_bytes + in_suffix;
    } else if (kept_bytes < directory) {
      directory = directory_bytes(before.substr(0, kept_bytes));
    }
    append_key(i, kept_bytes, suffixes[i]);
  }
  mark("shared prefixes");
}

void ColumnPageLoader::reserve_keys(std::size_t bytes) {
  auto keys = std::make_unique_for_overwrite<char[]>(bytes + kCopyStepBytes);
  if (page_.keys_ != nullptr) {
    std::memcpy(keys.get(), page_.keys_.get(), page_.keys_capacity_bytes_);
  }
  page_.keys_ = std::move(keys);
  page_.keys_capacity_bytes_ = bytes;
}

/// Writes key `index`: `kept_bytes` of the key before, then `suffix`.
void ColumnPageLoader::append_key(std::size_t index, std::size_t kept_bytes,
                                  std::string_view suffix) {
  const std::size_t begin = page_.key_begins_[index];
  const auto end = begin + kept_bytes + suffix.size();
  if (kept_bytes + suffix.size() > kKeyBytesMax || end > kPageKeysBytesMax) {  // F-145, F-146
    return in_.fail("keys are too long");
  }
  if (end > page_.keys_capacity_bytes_) reserve_keys(2 * end);
  auto* to = page_.keys_.get() + begin;
  const auto* from = kept_bytes == 0 ? to : page_.keys_.get() + page_.key_begins_[index - 1];
  for (std::size_t at = 0; at < kept_bytes; at += kCopyStepBytes) {
    std::memmove(to + at, from + at, kCopyStepBytes);
  }
  if (suffix.size() <= kShortSuffixBytes && in_.may_read(suffix.data(), kShortSuffixBytes)) {
    std::memcpy(to + kept_bytes, suffix.data(), kShortSuffixBytes);
  } else {
    suffix.copy(to + kept_bytes, suffix.size());
  }
  page_.key_begins_[index + 1] = static_cast<std::uint32_t>(end);
}

void ColumnPageLoader::load_kinds() {
  const auto kinds = as_bytes(in_.text(count_));
  mark("kinds");
  if (in_.failed()) return;
  page_.kinds_.assign(kinds.begin(), kinds.end());
  page_.sizes_.resize(count_);
  page_.data_offsets_.resize(count_ + 1);
  for (std::size_t i = 0; i < count_; ++i) load_kind(i, kinds[i]);
  mark("sizes");
}

void ColumnPageLoader::load_kind(std::size_t index, std::uint8_t kind) {
  if (kind < kKindOther) {
    const auto size = kind < 2 ? kind : std::uint64_t{1} << (kind - 1) | in_.bits(kind - 1u);
    page_.sizes_[index] = size;
    stored(index) = raw_extent_bytes(size);  // F-161
    return;
  }
  const auto bit = kind < kKindEnd ? 1u << (kind - kKindOther) : 0u;
  if ((bit & kKindsKnown) == 0) in_.fail("unknown kind of entry");  // F-150
  kinds_seen_ |= bit;
}

std::uint16_t ColumnPageLoader::add_combination(const AttributeCombination& combination) {
  page_.combinations_.push_back(combination);
  return static_cast<std::uint16_t>(page_.combinations_.size() - 1);
}

void ColumnPageLoader::load_attributes() {
  const auto changes = load_indexes(Column::kAttributes, [this](auto i) { return !is_link(i); });
  if (in_.failed()) return;
  std::array<int, 2 * kTypeCount> last;  // by type, first for objects, then for links
  last.fill(-1);
  page_.combination_of_.resize(count_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto type = type_number_of_kind(page_.kinds_[i]);
    auto& current = last[is_link(i) ? kTypeCount + type : type];
    if (next < changes.size() && changes[next] == i) {
      ++next;
      const auto combination = attributes_.at(static_cast<std::size_t>(in_.small()), kTypes[type]);
      if (!combination) return in_.fail("attribute combination does not fit");  // F-152
      current = add_combination(*combination);
    } else if (is_link(i) && current < 0) {  // F-155
      current = add_combination({kTypes[type], 0, 0});
    }
    if (current < 0) return in_.fail("entry without attributes");  // F-151
    page_.combination_of_[i] = static_cast<std::uint16_t>(current);
  }
}

Time ColumnPageLoader::load_time(std::int64_t base_seconds) {
  Time time;
  time.seconds =
      static_cast<std::int64_t>(add_zigzag(static_cast<std::uint64_t>(base_seconds), in_.number()));
  return time;
}

void ColumnPageLoader::load_nanoseconds(Time& time) {
  const auto nanoseconds = in_.number();
  if (nanoseconds >= kNanosecondsEnd) return in_.fail("nanoseconds out of range");  // F-154
  time.nanoseconds = static_cast<std::uint32_t>(nanoseconds);
}

void ColumnPageLoader::load_times() {
  const auto changes = load_indexes(Column::kTimes, [this](auto i) { return !is_link(i); });
  if (in_.failed()) return;
  auto& times = page_.times_;
  times.resize(2);  // one for links, and one for entries before the first change
  for (std::size_t i = 0; i < changes.size(); ++i) times.push_back(load_time(times.back().seconds));
  mark("times");
  if (in_.has(Column::kNanoseconds)) {
    for (std::size_t i = 2; i < times.size(); ++i) load_nanoseconds(times[i]);
  }
  mark("nanoseconds");
  spread_times(changes);
}

/// An object has the time of the last change up to it (F-153); a link name has none.
void ColumnPageLoader::spread_times(const std::vector<std::uint32_t>& changes) {
  auto& time_of = page_.time_of_;
  time_of.resize(count_);
  for (std::size_t n = 0; n <= changes.size(); ++n) {
    const auto begin = n == 0 ? 0 : changes[n - 1];
    const auto end = n == changes.size() ? count_ : changes[n];
    std::fill(time_of.begin() + begin, time_of.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<std::uint16_t>(1 + n));
  }
  if (!has_links()) return;
  for (std::size_t i = 0; i < count_; ++i) {
    if (is_link(i)) time_of[i] = 0;
  }
}

void ColumnPageLoader::load_other_times(Column column, SparseColumn<Time>& times) {
  for (const auto i : load_indexes(column, [this](auto at) { return !is_link(at); })) {
    auto time = load_time(page_.times_[page_.time_of_[i]].seconds);
    load_nanoseconds(time);
    times.add(i, time);
  }
}

SideRef ColumnPageLoader::load_ref(std::uint64_t& base_offset) {
  SideRef ref;
  ref.offset_bytes = base_offset = add_zigzag(base_offset, in_.number());
  const auto length = in_.number();
  if (length == 0 || length > 0xffffffff || ref.offset_bytes > kFileBytesMax - length) {
    in_.fail("reference out of bounds");  // F-166
    return {};
  }
  ref.length_bytes = static_cast<std::uint32_t>(length);
  return ref;
}

void ColumnPageLoader::load_extents() {
  const auto is_file = [this](std::size_t i) { return is_regular_object(i); };
  for (const auto i : load_refs(Column::kSparseMaps, page_.sparse_maps_, is_file)) stored(i) = 0;
  mark("sparse maps");
  for (const auto i : load_indexes(Column::kCodecs, is_file)) {
    if (in_.byte() != static_cast<std::uint8_t>(ExtentCodec::kZstd)) {
      return in_.fail("unknown extent codec");  // F-160
    }
    page_.codecs_.add(i, ExtentCodec::kZstd);
    stored(i) = 0;
  }
  mark("codecs");
  const auto has_data = [this](std::size_t i) {
    return type_number_of_kind(page_.kinds_[i]) == kRegularNumber;
  };
  for (const auto i : load_indexes(Column::kStored, has_data)) {
    stored(i) = in_.number();
    page_.stored_.add(i, stored(i));
  }
  mark("stored sizes");
  std::uint64_t base = 0;
  for (const auto i : load_indexes(Column::kAddresses, is_file)) {
    const auto volume = static_cast<VolumeNumber>(in_.small_up_to(0xffff));
    base = add_zigzag(base, in_.number());
    if (stored(i) > kFileBytesMax || base > kFileBytesMax - stored(i)) {
      return in_.fail("extent out of bounds");  // F-163
    }
    page_.addresses_.add(i, {volume, base});
    stored(i) = 0;  // no part of the running sum
  }
  mark("addresses");
  for (const auto i : load_indexes(Column::kFragmentOffsets, is_file)) {
    const auto offset = in_.number();
    const auto size = page_.sizes_[i];
    if (size == 0 || size > kFragmentFrameBytesMax || offset > kFragmentFrameBytesMax - size ||
        page_.codecs_.find(i) == nullptr || page_.sparse_maps_.find(i) != nullptr) {
      return in_.fail("content is out of its fragment frame");  // F-156
    }
    page_.fragment_offsets_.add(i, static_cast<std::uint32_t>(offset));
    if (offset != 0) stored(i) = 0;
  }
  mark("fragment frames");
}

void ColumnPageLoader::load_links() {
  InodeNumber inode = 0;
  for (std::uint32_t i = 0; has_links() && i < count_ && !in_.failed(); ++i) {
    if (!is_link(i)) continue;
    inode = add_zigzag(inode, in_.number());
    if (inode == 0) return in_.fail("link to no inode");  // F-164
    page_.link_inodes_.add(i, inode);
  }
  for (const auto i : load_indexes(Column::kLinkCounts, [this](auto at) { return !is_link(at); })) {
    const auto count = in_.number();
    if (count == 0 || count > 0xffffffff) return in_.fail("link count out of range");  // F-165
    if (page_.fragment_offsets_.find(i) != nullptr)
      return in_.fail("hard link in a fragment frame");
    page_.link_counts_.add(i, static_cast<std::uint32_t>(count));
  }
}

void ColumnPageLoader::load_targets() {
  const auto is_target = [this](std::size_t i) {
    return page_.kinds_[i] == kKindOther + kSymlinkNumber;
  };
  for (const auto i : load_refs(Column::kLongTargets, page_.long_targets_, is_target)) {
    page_.sizes_[i] = in_.number();
    if (page_.sizes_[i] <= kInlineTargetBytesMax || page_.sizes_[i] > kTargetBytesMax) {
      return in_.fail("long target out of bounds");  // F-167
    }
  }
  load_devices();
  load_short_targets();
  mark("targets");
}

void ColumnPageLoader::load_devices() {
  if (!has_kind(kKindOther + kCharacterDeviceNumber) &&
      !has_kind(kKindOther + kBlockDeviceNumber)) {
    return;
  }
  for (std::uint32_t i = 0; i < count_; ++i) {
    const auto kind = page_.kinds_[i];
    if (kind == kKindOther + kCharacterDeviceNumber || kind == kKindOther + kBlockDeviceNumber) {
      page_.rdevs_.add(i, in_.number());
    }
  }
}

void ColumnPageLoader::load_short_targets() {
  if (!has_kind(kKindOther + kSymlinkNumber)) return;
  for (std::uint32_t i = 0; i < count_ && !in_.failed(); ++i) {
    if (page_.kinds_[i] != kKindOther + kSymlinkNumber || page_.sizes_[i] != 0) continue;
    const auto target = in_.text_until('\0');
    if (target.empty() || target.size() > kInlineTargetBytesMax) {
      return in_.fail("target out of bounds");  // F-167
    }
    page_.sizes_[i] = target.size();
    page_.target_places_.add(i, {static_cast<std::uint32_t>(page_.targets_.size()),
                                 static_cast<std::uint32_t>(target.size())});
    page_.targets_.append(target);
  }
}

/// Turns the bytes that each entry adds into the sum of the bytes before each entry (F-122).
void ColumnPageLoader::load_data_offsets() {
  if (in_.failed()) return;
  std::uint64_t sum = 0;
  for (auto& offset : page_.data_offsets_) {
    if (offset > kFileBytesMax - sum) return in_.fail("data of the page is too long");  // F-162
    sum += offset;
    offset = sum;
  }
}

Result<std::shared_ptr<const DecodedPage>> decode_columns(Bytes columns, std::size_t entry_count,
                                                          const AttributeTable& attributes) {
  DGFS_TRY(reader, ColumnReader::open(columns));
  auto page = std::make_shared<ColumnPage>();
  DGFS_CHECK(ColumnPageLoader(reader, *page, entry_count, attributes).load());
  return std::shared_ptr<const DecodedPage>(std::move(page));
}

Result<ColumnMarks> measure_columns(Bytes columns, std::size_t entry_count,
                                    const AttributeTable& attributes) {
  DGFS_TRY(reader, ColumnReader::open(columns));
  ColumnPage page;
  ColumnMarks marks;
  DGFS_CHECK(ColumnPageLoader(reader, page, entry_count, attributes, &marks).load());
  return marks;
}

}  // namespace dgfs::format
