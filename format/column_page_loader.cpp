// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column_page_loader.h"

#include <array>
#include <cstring>

#include "format/coding.h"
#include "format/extent.h"
#include "format/mode.h"

namespace dgfs::format {
namespace {

/// base + distance modulo 2^64, as the writer subtracted.
std::uint64_t advance(std::uint64_t base, std::uint64_t zigzag_distance) {
  return base + static_cast<std::uint64_t>(unzigzag(zigzag_distance));
}

/// Whether the key that keeps `kept_bytes` of `before` and goes on with `suffix` is greater and
/// shares no more than it says (F-144): one comparison decides both.
bool rises(std::string_view before, std::size_t kept_bytes, std::string_view suffix) {
  if (suffix.empty()) return false;
  return kept_bytes == before.size() || static_cast<unsigned char>(suffix.front()) >
                                            static_cast<unsigned char>(before[kept_bytes]);
}

/// Room made for the shared part of a key; the arena grows where that is too little.
constexpr std::size_t kSharedBytesGuess = 24;
constexpr std::uint64_t kNanosecondsEnd = 1'000'000'000;

}  // namespace

Status ColumnPage::Loader::load() {
  load_keys();
  load_kinds();
  load_attributes();
  load_times();
  load_extents();
  load_links();
  load_other_times(Column::kChangeTimes, page_.change_times_);
  load_other_times(Column::kAccessTimes, page_.access_times_);
  load_refs(Column::kXattrs, page_.xattrs_, [this](std::size_t index) { return !is_link(index); });
  load_targets();
  load_data_offsets();
  return in_.finish();
}

void ColumnPage::Loader::load_keys() {
  std::vector<std::uint64_t> lengths(in_.has(Column::kNameLengths) ? count_ : 0);
  for (auto& length : lengths) length = in_.small();
  std::vector<std::string_view> suffixes(count_);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    suffixes[i] = lengths.empty() ? in_.text_until('/') : in_.text(lengths[i]);
    bytes += suffixes[i].size();
  }
  if (in_.failed()) return;
  page_.key_begins_.resize(count_ + 1);
  page_.keys_.resize(bytes + count_ * kSharedBytesGuess);
  append_key(0, 0, suffixes[0]);
  auto directory = directory_bytes(suffixes[0]);
  for (std::size_t i = 1; i < count_ && !in_.failed(); ++i) {
    const auto before = page_.key(i - 1);
    const auto shared = static_cast<std::int64_t>(directory) + unzigzag(in_.small());
    if (shared < 0 || shared > static_cast<std::int64_t>(before.size())) {
      return in_.fail("shared prefix is longer than the key before");
    }
    const auto kept = before.substr(0, static_cast<std::size_t>(shared));
    if (!rises(before, kept.size(), suffixes[i])) return in_.fail("keys do not rise");
    const auto in_suffix = directory_bytes(suffixes[i]);
    if (in_suffix > 0) {
      directory = kept.size() + in_suffix;
    } else if (kept.size() < directory) {
      directory = directory_bytes(kept);
    }
    append_key(i, kept.size(), suffixes[i]);
  }
  page_.keys_.resize(page_.key_begins_[count_]);
}

/// Writes key `index`: `kept_bytes` of the one before, then `suffix`.
void ColumnPage::Loader::append_key(std::size_t index, std::size_t kept_bytes,
                                    std::string_view suffix) {
  auto& keys = page_.keys_;
  const std::size_t begin = page_.key_begins_[index];
  const auto end = begin + kept_bytes + suffix.size();
  if (kept_bytes + suffix.size() > kKeyBytesMax || end > kPageKeysBytesMax) {
    return in_.fail("keys are too long");
  }
  if (end > keys.size()) keys.resize(2 * end);
  if (kept_bytes > 0) {
    std::memcpy(keys.data() + begin, keys.data() + page_.key_begins_[index - 1], kept_bytes);
  }
  suffix.copy(keys.data() + begin + kept_bytes, suffix.size());
  page_.key_begins_[index + 1] = static_cast<std::uint32_t>(end);
}

void ColumnPage::Loader::load_kinds() {
  page_.kinds_.resize(count_);
  page_.sizes_.resize(count_);
  stored_.resize(count_);
  for (std::size_t i = 0; i < count_ && !in_.failed(); ++i) {
    const auto kind = in_.byte();
    page_.kinds_[i] = kind;
    if (kind >= kKindOther) {
      const bool known = kind < kKindEnd && type_number_of_kind(kind) < kTypeCount &&
                         kind != kKindOther + kRegularNumber &&
                         kind != kKindLink + kDirectoryNumber;
      if (!known) in_.fail("unknown kind of entry");
      continue;
    }
    const std::uint64_t top = kind == 0 ? 0 : std::uint64_t{1} << (kind - 1);
    page_.sizes_[i] = kind < 2 ? top : top | in_.bits(kind - 1u);
    stored_[i] = raw_extent_bytes(page_.sizes_[i]);
  }
}

std::uint16_t ColumnPage::Loader::add_combination(const AttributeCombination& combination) {
  page_.combinations_.push_back(combination);
  return static_cast<std::uint16_t>(page_.combinations_.size() - 1);
}

void ColumnPage::Loader::load_attributes() {
  const auto changes = load_indexes(Column::kAttributes, [this](auto i) { return !is_link(i); });
  if (in_.failed()) return;
  std::array<int, 2 * kTypeCount> last;  // by type: of objects, then of links
  last.fill(-1);
  page_.combination_of_.resize(count_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto type = type_number_of_kind(page_.kinds_[i]);
    auto& current = last[is_link(i) ? kTypeCount + type : type];
    if (next < changes.size() && changes[next] == i) {
      ++next;
      const auto combination = attributes_.at(static_cast<std::size_t>(in_.small()));
      if (!combination || type_of(combination->mode) != kTypes[type]) {
        return in_.fail("attribute combination does not fit");
      }
      current = add_combination(*combination);
    } else if (is_link(i) && current < 0) {
      current = add_combination({kTypes[type], 0, 0});
    }
    if (current < 0) return in_.fail("entry without attributes");
    page_.combination_of_[i] = static_cast<std::uint16_t>(current);
  }
}

Time ColumnPage::Loader::load_time(std::int64_t base_seconds) {
  Time time;
  time.seconds =
      static_cast<std::int64_t>(advance(static_cast<std::uint64_t>(base_seconds), in_.number()));
  return time;
}

void ColumnPage::Loader::load_nanoseconds(Time& time) {
  const auto nanoseconds = in_.number();
  if (nanoseconds >= kNanosecondsEnd) return in_.fail("nanoseconds out of range");
  time.nanoseconds = static_cast<std::uint32_t>(nanoseconds);
}

void ColumnPage::Loader::load_times() {
  const auto changes = load_indexes(Column::kTimes, [this](auto i) { return !is_link(i); });
  if (in_.failed()) return;
  auto& times = page_.times_;
  times.resize(2);  // of links, and of entries before the first change
  for (std::size_t i = 0; i < changes.size(); ++i) times.push_back(load_time(times.back().seconds));
  if (in_.has(Column::kNanoseconds)) {
    for (std::size_t i = 2; i < times.size(); ++i) load_nanoseconds(times[i]);
  }
  page_.time_of_.resize(count_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (next < changes.size() && changes[next] == i) ++next;
    page_.time_of_[i] = is_link(i) ? 0 : static_cast<std::uint16_t>(1 + next);
  }
}

void ColumnPage::Loader::load_other_times(Column column, SparseColumn<Time>& times) {
  for (const auto i : load_indexes(column, [this](auto at) { return !is_link(at); })) {
    auto time = load_time(page_.times_[page_.time_of_[i]].seconds);
    load_nanoseconds(time);
    times.add(i, time);
  }
}

SideRef ColumnPage::Loader::load_ref(std::uint64_t& base_offset) {
  SideRef ref;
  ref.offset_bytes = base_offset = advance(base_offset, in_.number());
  const auto length = in_.number();
  if (length == 0 || length > 0xffffffff || ref.offset_bytes > kFileBytesMax - length) {
    in_.fail("reference out of bounds");
    return {};
  }
  ref.length_bytes = static_cast<std::uint32_t>(length);
  return ref;
}

void ColumnPage::Loader::load_extents() {
  const auto is_file = [this](std::size_t i) { return is_regular_object(i); };
  for (const auto i : load_refs(Column::kSparseMaps, page_.sparse_maps_, is_file)) stored_[i] = 0;
  for (const auto i : load_indexes(Column::kCodecs, is_file)) {
    if (in_.byte() != static_cast<std::uint8_t>(ExtentCodec::kZstd)) {
      return in_.fail("unknown extent codec");
    }
    page_.codecs_.add(i, ExtentCodec::kZstd);
    stored_[i] = 0;
  }
  const auto has_data = [this](std::size_t i) {
    return type_number_of_kind(page_.kinds_[i]) == kRegularNumber;
  };
  for (const auto i : load_indexes(Column::kStored, has_data)) {
    stored_[i] = in_.number();
    page_.stored_.add(i, stored_[i]);
  }
  std::uint64_t base = 0;
  for (const auto i : load_indexes(Column::kAddresses, is_file)) {
    const auto volume = static_cast<VolumeNumber>(in_.small_up_to(0xffff));
    base = advance(base, in_.number());
    if (stored_[i] > kFileBytesMax || base > kFileBytesMax - stored_[i]) {
      return in_.fail("extent out of bounds");
    }
    page_.addresses_.add(i, {volume, base});
    stored_[i] = 0;  // no part of the running sum
  }
}

void ColumnPage::Loader::load_links() {
  InodeNumber inode = 0;
  for (std::uint32_t i = 0; i < count_ && !in_.failed(); ++i) {
    if (!is_link(i)) continue;
    inode = advance(inode, in_.number());
    if (inode == 0) return in_.fail("link to no inode");
    page_.link_inodes_.add(i, inode);
  }
  for (const auto i : load_indexes(Column::kLinkCounts, [this](auto at) { return !is_link(at); })) {
    const auto count = in_.number();
    if (count == 0 || count > 0xffffffff) return in_.fail("link count out of range");
    page_.link_counts_.add(i, static_cast<std::uint32_t>(count));
  }
}

void ColumnPage::Loader::load_targets() {
  const auto is_target = [this](std::size_t i) {
    return page_.kinds_[i] == kKindOther + kSymlinkNumber;
  };
  for (const auto i : load_refs(Column::kLongTargets, page_.long_targets_, is_target)) {
    page_.sizes_[i] = in_.number();
    if (page_.sizes_[i] <= kInlineTargetBytesMax || page_.sizes_[i] > kTargetBytesMax) {
      return in_.fail("long target out of bounds");
    }
  }
  for (std::uint32_t i = 0; i < count_ && !in_.failed(); ++i) {
    const auto type = type_number_of_kind(page_.kinds_[i]);
    if (!is_link(i) && is_device(kTypes[type])) page_.rdevs_.add(i, in_.number());
  }
  for (std::uint32_t i = 0; i < count_ && !in_.failed(); ++i) {
    if (!is_target(i) || page_.sizes_[i] != 0) continue;
    const auto target = in_.text_until('\0');
    if (target.empty() || target.size() > kInlineTargetBytesMax) {
      return in_.fail("target out of bounds");
    }
    page_.sizes_[i] = target.size();
    page_.target_places_.add(i, {static_cast<std::uint32_t>(page_.targets_.size()),
                                 static_cast<std::uint32_t>(target.size())});
    page_.targets_.append(target);
  }
}

void ColumnPage::Loader::load_data_offsets() {
  page_.data_offsets_.resize(count_ + 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count_ && !in_.failed(); ++i) {
    if (stored_[i] > kFileBytesMax - sum) return in_.fail("data of the page is too long");
    sum += stored_[i];
    page_.data_offsets_[i + 1] = sum;
  }
}

}  // namespace dgfs::format
