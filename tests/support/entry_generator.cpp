// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/entry_generator.h"

#include <algorithm>
#include <limits>

#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::test {

using format::Entry;

namespace {

constexpr std::uint32_t kPermissions[] = {0644, 0755, 0444, 04755, 01777, 0};
constexpr const char* kStems[] = {"alpha", "beta_", "config", "Makefile", "test-", "x", "index."};
constexpr const char* kEndings[] = {"", ".c", ".h", ".txt", ".tar.gz", "~"};

}  // namespace

std::uint64_t EntryGenerator::below(std::uint64_t end) { return random_() % end; }

/// All widths are equally likely: small numbers and huge ones.
std::uint64_t EntryGenerator::any_width() { return random_() >> below(64); }

std::string EntryGenerator::name(bool wild) {
  if (!wild || chance(80)) {
    // In two statements: in a single expression the compiler would choose the order of the draws.
    std::string name = kStems[below(std::size(kStems))];
    name += std::to_string(below(1000));
    return name += kEndings[below(std::size(kEndings))];
  }
  std::string name(1 + below(chance(20) ? format::kNameBytesMax : 20), ' ');
  for (auto& c : name) {
    do {
      c = static_cast<char>(below(256));
    } while (c == '/' || c == '\0');
  }
  return format::is_valid_name(name) ? name : "_" + name;
}

Time EntryGenerator::time(bool wild) {
  if (wild && chance(3)) {
    return {chance(50) ? std::numeric_limits<std::int64_t>::min()
                       : std::numeric_limits<std::int64_t>::max(),
            999'999'999};
  }
  if (chance(60)) return {1'700'000'000, 0};
  const auto seconds = static_cast<std::int64_t>(1'600'000'000 + below(100'000'000));
  return {seconds, chance(50) ? static_cast<std::uint32_t>(below(1'000'000'000)) : 0};
}

format::SideRef EntryGenerator::ref() {
  return {below(std::uint64_t{1} << (1 + below(50))),
          1 + static_cast<std::uint32_t>(below(1 << 20))};
}

void EntryGenerator::fill_regular(Entry& entry, const EntryOptions& options) {
  entry.size_bytes = any_width() >> (options.wild_values ? 16 : 40);
  entry.stored_bytes = format::raw_extent_bytes(entry.size_bytes);
  if (chance(options.feature_percent)) {
    entry.codec = format::ExtentCodec::kZstd;
    entry.stored_bytes = below(entry.stored_bytes + 1);
  }
  if (chance(options.feature_percent)) return fill_fragment(entry);
  if (chance(options.feature_percent)) {
    entry.sparse_map = ref();
    entry.stored_bytes = below(entry.stored_bytes + 1);
    if (options.wild_values) entry.size_bytes = any_width() & format::kFileBytesMax;
  }
  if (chance(options.feature_percent)) {
    entry.address =
        format::DataAddress{static_cast<format::VolumeNumber>(below(0x10000)), any_width() >> 2};
  }
}

/// Mostly continues the frame of the entry before.
void EntryGenerator::fill_fragment(Entry& entry) {
  entry.size_bytes = 1 + below(format::kFragmentFrameBytesMax / 4);
  if (chance(20) || last_fragment_.stored_bytes == 0 ||
      last_fragment_.end > format::kFragmentFrameBytesMax - entry.size_bytes) {
    last_fragment_ = {
        1 + below(70'000), static_cast<std::uint32_t>(chance(80) ? 0 : below(10'000)), {}};
    if (chance(30)) last_fragment_.address = format::DataAddress{0, any_width() >> 2};
  }
  entry.codec = format::ExtentCodec::kZstd;
  entry.stored_bytes = last_fragment_.stored_bytes;
  entry.address = last_fragment_.address;
  entry.fragment_offset = last_fragment_.end;
  last_fragment_.use(entry);
}

void EntryGenerator::fill_symlink(Entry& entry, const EntryOptions& options) {
  if (chance(options.feature_percent)) {
    entry.long_target = ref();
    entry.size_bytes = format::kInlineTargetBytesMax + 1 +
                       below(format::kTargetBytesMax - format::kInlineTargetBytesMax);
    return;
  }
  entry.target = chance(50) ? "../" : "/usr/lib/";
  entry.target += name(options.wild_names);
  entry.target.resize(std::min(entry.target.size(), format::kInlineTargetBytesMax));
  entry.size_bytes = entry.target.size();
}

void EntryGenerator::fill(Entry& entry, std::uint32_t type, const EntryOptions& options) {
  entry.mode = type | kPermissions[chance(80) ? 0 : below(std::size(kPermissions))];
  if (options.wild_values && chance(10)) {
    entry.uid = static_cast<std::uint32_t>(any_width());
    entry.gid = static_cast<std::uint32_t>(any_width());
  }
  entry.mtime = time(options.wild_values);
  if (chance(options.feature_percent)) entry.ctime = time(options.wild_values);
  if (chance(options.feature_percent)) entry.atime = time(options.wild_values);
  if (chance(options.feature_percent)) entry.xattrs = ref();
  if (format::is_regular(type)) fill_regular(entry, options);
  if (format::is_symlink(type)) fill_symlink(entry, options);
  if (format::is_device(type)) entry.rdev = any_width();
}

std::uint32_t EntryGenerator::special_type() {
  constexpr std::uint32_t kSpecial[] = {format::kTypeSymlink,         format::kTypeSymlink,
                                        format::kTypeSymlink,         format::kTypeFifo,
                                        format::kTypeCharacterDevice, format::kTypeBlockDevice,
                                        format::kTypeSocket};
  return kSpecial[below(std::size(kSpecial))];
}

std::vector<Entry> EntryGenerator::tree(const EntryOptions& options) {
  std::vector<Entry> entries(1);
  entries[0].key = std::string(1, '\0');
  fill(entries[0], format::kTypeDirectory, options);
  std::vector<std::string> directories{entries[0].key};
  for (std::size_t i = 0; i < options.entry_count; ++i) {
    Entry entry;
    entry.key = format::children_prefix(directories[below(directories.size())]);
    entry.key += name(options.wild_names);
    if (entry.key.size() > 2000) continue;  // other tests try deep chains of long names
    if (chance(options.directory_percent)) {
      fill(entry, format::kTypeDirectory, options);
      directories.push_back(entry.key);
    } else {
      const auto type = chance(options.special_percent) ? special_type() : format::kTypeRegular;
      fill(entry, type, options);
      if (chance(options.link_percent)) {
        Entry link;
        link.key = entry.key;
        link.mode = type;
        link.link_inode = 1 + below(options.entry_count);
        if (format::is_regular(type) && chance(50)) link.stored_bytes = below(100'000);
        entry = link;
      }
    }
    entries.push_back(std::move(entry));
  }
  const auto by_key = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  const auto same_key = [](const Entry& a, const Entry& b) { return a.key == b.key; };
  std::stable_sort(entries.begin(), entries.end(), by_key);
  entries.erase(std::unique(entries.begin(), entries.end(), same_key), entries.end());
  return entries;
}

std::vector<Entry> EntryGenerator::link_records(std::size_t count, const EntryOptions& options) {
  std::vector<Entry> entries(count);
  format::InodeNumber inode = 1;
  for (auto& entry : entries) {
    inode += 1 + below(1000);
    entry.key = format::link_key(inode);
    fill(entry, chance(options.special_percent) ? special_type() : format::kTypeRegular, options);
    entry.link_count = 1 + static_cast<std::uint32_t>(any_width() >> 33);
    if (format::is_regular(entry.mode)) {
      entry.address = format::DataAddress{0, below(std::uint64_t{1} << 40)};
      entry.fragment_offset.reset();
    }
  }
  return entries;
}

bool intern_all(const std::vector<Entry>& entries, format::AttributeTable& table) {
  return std::all_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.link_inode != 0 || table.intern({entry.mode, entry.uid, entry.gid}).has_value();
  });
}

}  // namespace dgfs::test
