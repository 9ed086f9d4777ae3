// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/namespace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/index/entry_node.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

// Bound of the entries of a directory that are decoded together.
constexpr std::uint64_t kListedAtOnce = 512;

Error no_such_inode(std::uint16_t code, InodeNumber inode) {
  return Error(ErrorKind::kNotFound, code, fmt::format("no inode {}", inode));
}

// `key` without its name: the beginning of the keys of all names in the directory, and of no other
// keys.
std::string directory_part(std::string key) {
  key.resize(key.size() - format::name_of_key(key).size());
  return key;
}

// Begin of a page's contents (F-245), and offset of a file's contents in them (F-162), are both
// below this bound, so their sum cannot overflow.
static_assert(format::kFileBytesMax <= std::numeric_limits<std::uint64_t>::max() / 2);

}  // namespace

Error Namespace::bad_entry(std::uint16_t code, const FoundEntry& found, const char* what) const {
  const Error error(ErrorKind::kCorrupt, code, fmt::format("entry {}: {}", found.at.index, what));
  return pages_.in_page(error, found.page->record.first_ordinal);
}

Result<Node> Namespace::lookup(std::string_view path) const {
  DGFS_TRY(key, format::key_of_path(path));
  DGFS_TRY(found, find_key(key));
  return resolve(found);
}

Result<FoundEntry> Namespace::find_key(std::string_view key) const {
  const auto page = tables_.pages.find(tables_.zone, key);
  if (!page) return Error(ErrorKind::kNotFound, 3050, "no such file or directory");
  DGFS_TRY(loaded, pages_.get(*page));
  DGFS_TRY(found, find_in(std::move(loaded), key));
  if (!found) return Error(ErrorKind::kNotFound, 3051, "no such file or directory");
  return std::move(*found);
}

Result<std::optional<FoundEntry>> Namespace::find_in(PagePointer page, std::string_view key) const {
  auto found = page->find(key);
  if (!found) return pages_.in_page(found.assume_error(), page->record.first_ordinal);
  if (!found.assume_value()) return std::nullopt;
  return FoundEntry{std::move(page), *std::move(found).assume_value()};
}

Result<FoundEntry> Namespace::found_at(PagePointer page, std::size_t index) const {
  auto entry = page->page->entry(index);
  if (!entry) return pages_.in_page(entry.assume_error(), page->record.first_ordinal);
  return FoundEntry{std::move(page), std::move(entry).assume_value()};
}

Result<Node> Namespace::lookup(InodeNumber directory, std::string_view name) const {
  DGFS_TRY(range, children(directory));
  if (name == ".") return by_inode(directory);
  if (name == "..") {
    DGFS_TRY(up, parent(directory));
    return by_inode(up);
  }
  if (!format::is_valid_name(name)) {
    return Error(ErrorKind::kNotFound, 3052, "no such file or directory");
  }
  DGFS_TRY(found, find_child(range, name));
  return resolve(found);
}

Result<format::ChildRange> Namespace::children(InodeNumber directory) const {
  const auto no_directory = [] { return Error(ErrorKind::kNotDirectory, 3054, "not a directory"); };
  const auto ordinal = tables_.inodes.ordinal_of(directory);
  if (!ordinal) {
    // A merge may have left no name with the number of an object that has several, or none.
    const auto record = link_record(directory);
    if (record) return no_directory();
    if (record.error().kind() != ErrorKind::kNotFound) return record.error();
    return no_such_inode(3053, directory);
  }
  const auto range = tables_.directories.children(*ordinal);
  if (!range) return no_directory();
  return *range;
}

// A page that starts inside a directory has a bound between two keys of the directory, so the bound
// consists of the directory part and the beginning of a name. Comparing names is therefore enough
// to find the page.
std::size_t Namespace::page_of_name(std::size_t first_page, std::size_t last_page,
                                    std::string_view name) const {
  auto low = first_page;
  auto high = last_page + 1;
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    if (format::name_of_key(tables_.pages.bound(middle)) <= name) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

Result<FoundEntry> Namespace::find_child(const format::ChildRange& range,
                                         std::string_view name) const {
  const auto not_found = [] {
    return Error(ErrorKind::kNotFound, 3055, "no such file or directory");
  };
  if (range.count == 0) return not_found();
  const auto first_page = page_number_at(range.first);
  const auto last_page = page_number_at(range.first + range.count - 1);
  DGFS_TRY(page, pages_.get(page_of_name(first_page, last_page, name)));
  DGFS_TRY(key, directory_part_at(*page, range));
  key += name;
  DGFS_TRY(found, find_in(std::move(page), key));
  // The page also has names of other directories, and may be damaged.
  const bool is_child = found && found->page->ordinal(found->at.index) - range.first < range.count;
  if (!is_child) return not_found();
  return std::move(*found);
}

// Takes the directory part from an entry of the directory, because the prefix of the page may not
// hold all of it.
Result<std::string> Namespace::directory_part_at(const LoadedPage& page,
                                                 const format::ChildRange& range) const {
  const auto first = std::max(range.first, page.record.first_ordinal);
  auto entry = page.page->entry(page.index_of(first));
  if (!entry) return pages_.in_page(entry.assume_error(), page.record.first_ordinal);
  return directory_part(page.full_key(entry.assume_value().entry.key));
}

// Each ordinal from the directory table or the inode runs has a page: loading checked that these
// tables have exactly the superblock's entries, and the pages at least as many (F-025, F-052,
// F-061).
std::size_t Namespace::page_number_at(Ordinal ordinal) const {
  return tables_.pages.find_ordinal(ordinal).value_or(0);
}

Result<FoundEntry> Namespace::at_ordinal(Ordinal ordinal) const {
  DGFS_TRY(loaded, pages_.get(page_number_at(ordinal)));
  const auto index = loaded->index_of(ordinal);
  return found_at(std::move(loaded), index);
}

Result<Node> Namespace::by_inode(InodeNumber inode) const {
  if (const auto ordinal = tables_.inodes.ordinal_of(inode)) {
    DGFS_TRY(found, at_ordinal(*ordinal));
    const auto link = found.at.entry.link_inode;
    if (link == 0 || link == inode) return resolve(found);
  }
  // The number belongs to a further name, or to a name that a merge has dropped. It can still be
  // the number of an object with several names.
  return link_record(inode);
}

Result<Node> Namespace::link_record(InodeNumber inode) const {
  const auto key = format::link_key(inode);
  const auto page = tables_.pages.find(format::kLinkZone, key);
  if (!page || inode == 0) return no_such_inode(3058, inode);  // F-060: 0 means none
  DGFS_TRY(loaded, pages_.get(*page));
  DGFS_TRY(found, find_in(std::move(loaded), key));
  if (!found) return no_such_inode(3059, inode);
  DGFS_TRY(node, to_node(*found));
  // True also for an entry with a link number, which is no link record.
  if (node.link_count == 0 && !(tables_.may_be_nameless && found->at.entry.link_inode == 0)) {
    return bad_entry(3044, *found, "a link record without names");
  }
  node.inode = inode;
  return node;
}

InodeNumber Namespace::inode_of(const LoadedPage& page, std::size_t index,
                                InodeNumber link_inode) const {
  // Names of linked objects may have none of their own.
  return link_inode != 0 ? link_inode : tables_.inodes.inode_of(page.ordinal(index)).value_or(0);
}

Result<Node> Namespace::resolve(const FoundEntry& entry) const {
  const auto link = entry.at.entry.link_inode;
  if (link == 0) return to_node(entry);
  // F-321. Most important for the root: a kernel drops the root inode if it gets another object
  // with its number.
  if (const auto first = tables_.inodes.ordinal_of(link);
      first && tables_.directories.children(*first)) {
    return bad_entry(3068, entry, "a hard link has the number of a directory");
  }
  auto node = link_record(link);
  if (!node) {
    if (node.assume_error().kind() != ErrorKind::kNotFound) return node;
    return bad_entry(3060, entry, "a hard link without link record");
  }
  auto resolved = std::move(node).assume_value();
  if (format::type_of(resolved.mode) != format::type_of(entry.at.entry.mode)) {
    return bad_entry(3061, entry, "a hard link of another type than its link record");
  }
  resolved.ordinal = entry.page->ordinal(entry.at.index);
  return resolved;
}

Result<Node> Namespace::to_node(const FoundEntry& found) const {
  const auto& page = *found.page;
  const auto& entry = found.at.entry;
  auto node = node_of_entry(entry);
  node.ordinal = node.object_ordinal = page.ordinal(found.at.index);
  node.inode =
      page.record.zone == format::kLinkZone ? 0 : inode_of(page, found.at.index, entry.link_inode);
  if (node.inode == 0 && page.record.zone != format::kLinkZone) {  // F-062
    return bad_entry(3046, found, "no number, and not a name of a linked object");
  }
  node.link_count = page.record.zone == format::kLinkZone ? entry.link_count : 1;
  if (format::is_directory(node.mode)) {  // F-053; link records are in no table
    const auto children = tables_.directories.children(node.ordinal);
    if (!children) {
      return bad_entry(3064, found, "a directory that the directory table does not have");
    }
    node.size_bytes = format::kPageBytes;
    node.link_count = 2 + children->subdirectory_count;
  }
  // F-310, F-311, F-313
  node.data = entry.address.value_or(format::DataAddress{
      page.record.volume,
      page.record.first_data_offset + format::extent_offset(entry, found.at.data_offset)});
  return node;
}

Result<InodeNumber> Namespace::parent(InodeNumber inode) const {
  const auto ordinal = tables_.inodes.ordinal_of(inode);
  const auto up = ordinal ? tables_.directories.parent(*ordinal) : std::nullopt;
  const auto number = up ? tables_.inodes.inode_of(*up) : std::nullopt;
  if (!number) return no_such_inode(3066, inode);
  return *number;
}

Result<std::string> Namespace::path_of(InodeNumber inode) const {
  const auto ordinal = tables_.inodes.ordinal_of(inode);
  if (!ordinal) return no_such_inode(3067, inode);
  if (*ordinal == 0) return std::string();
  const auto found = at_ordinal(*ordinal);
  if (!found) {
    if (auto path = path_by_contents(inode)) return path;
    return found.assume_error();
  }
  const auto& entry = found.assume_value();
  auto path = format::path_of_key(entry.page->full_key(entry.at.entry.key));
  if (path) return path;
  return bad_entry(3045, entry, "not a path key");  // F-100; lookups do not check keys
}

// Finds the path of a directory from the first key in it, which begins with that path.
Result<std::string> Namespace::path_by_contents(InodeNumber directory) const {
  std::optional<std::string> key;
  const auto see = [&](auto, auto, const EntryRange& range, std::size_t index) -> Result<bool> {
    key = range.full_key(index);
    return false;
  };
  DGFS_CHECK(list(directory, 0, see, [](const LostNames&) { return true; }));
  if (!key) return no_such_inode(3290, directory);
  DGFS_TRY(path, format::path_of_key(*key));
  path.resize(path.size() - format::name_of_key(*key).size());
  if (path.ends_with('/')) path.pop_back();
  return path;
}

// The last page of names with a bound that is not above `key`; the first page if there is none.
std::size_t Namespace::page_before(std::string_view key) const {
  std::size_t low = 0;
  auto high = page_number_at(tables_.directories.entry_count() - 1) + 1;
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    (tables_.pages.bound(middle) <= key ? low : high) = middle;
  }
  return low;
}

// The first entry of a page with a key that is not below `key`, if there is one.
Result<std::optional<Namespace::KeyPlace>> Namespace::first_from(std::size_t page,
                                                                 std::string_view key) const {
  DGFS_TRY(loaded, pages_.get(page));
  DGFS_TRY(entries, pages_.range(loaded, 0, loaded->size()));
  for (std::size_t index = 0; index < loaded->size(); ++index) {
    auto found = entries.full_key(index);
    if (found >= key) return KeyPlace{std::move(found), loaded->ordinal(index)};
  }
  return std::nullopt;
}

// Keys below a directory begin with `prefix` and stand together. From the first readable one, the
// walk goes up in the directory table, as many steps as the key is deep below the directory.
Result<Node> Namespace::lost_directory(std::string_view key) const {
  const auto prefix = format::subtree_prefix(key);
  auto directory = Ordinal{0};
  if (prefix.empty()) return bare_directory(directory);
  const auto first_page = page_before(prefix);
  const auto end =
      std::min(page_number_at(tables_.directories.entry_count() - 1) + 1, tables_.pages.size());
  for (auto page = first_page; page < end; ++page) {
    if (page != first_page && !tables_.pages.bound(page).starts_with(prefix)) break;
    const auto first = first_from(page, prefix);
    if (!first || !first.assume_value()) continue;
    const auto& below = first.assume_value()->key;
    if (!below.starts_with(prefix)) break;
    directory = first.assume_value()->ordinal;
    for (auto up = std::count(below.begin() + static_cast<std::ptrdiff_t>(prefix.size()),
                              below.end(), '\0');
         up > 0; --up) {
      directory = tables_.directories.parent(directory).value_or(0);
    }
    return bare_directory(directory);
  }
  return Error(ErrorKind::kNotFound, 3295, "nothing is known to be below it");
}

Result<Node> Namespace::bare_directory(Ordinal directory) const {
  const auto children = tables_.directories.children(directory);
  if (!children) return Error(ErrorKind::kNotDirectory, 3296, "not a directory");
  Node node;
  node.inode = tables_.inodes.inode_of(directory).value_or(0);
  node.ordinal = node.object_ordinal = directory;
  node.mode = format::kTypeDirectory;
  node.link_count = 2 + children->subdirectory_count;
  node.size_bytes = format::kPageBytes;
  return node;
}

// Some of the `count` entries from `first` on: only those in one page, and at most kListedAtOnce,
// because a caller may need few.
Result<EntryRange> Namespace::range_from(Ordinal first, std::uint64_t count) const {
  DGFS_TRY(page, pages_.get(page_number_at(first)));
  const auto begin = page->index_of(first);
  const auto wanted = std::min<std::uint64_t>(count, kListedAtOnce);
  const auto end = std::min<std::uint64_t>(page->size(), begin + wanted);
  return pages_.range(page, begin, end);
}

// range_from(), checked to hold names of one directory (F-050, F-102). Keys rise, so checking the
// first and the last is enough. Without the check, a damaged page could put names of several
// directories into one list, unsorted and doubled.
Result<EntryRange> Namespace::listed_range(Ordinal first, std::uint64_t count,
                                           std::optional<std::string>& common) const {
  DGFS_TRY(entries, range_from(first, count));
  const auto begin = entries.page->index_of(first);
  const auto end = std::min<std::uint64_t>(begin + count, entries.end_index());
  const auto first_part = directory_part(entries.full_key(begin));
  const auto last_part = directory_part(entries.full_key(end - 1));
  if (!common) common = first_part;
  if (first_part != *common || last_part != *common) {
    return bad_entry(3069, {entries.page, entries.entry(begin)},
                     "names of one directory that have keys of several");
  }
  return std::move(entries);
}

Status Namespace::list(InodeNumber directory, std::uint64_t first_position, const VisitEntry& visit,
                       const Lose& lost) const {
  DGFS_TRY(range, children(directory));
  std::string scratch;
  std::optional<std::string> common;
  for (auto position = first_position; position < range.count;) {
    const auto left = range.count - position;
    const auto entries = listed_range(range.first + position, left, common);
    if (!entries) {
      const auto error =
          losing_page(entries.assume_error(), page_number_at(range.first + position));
      const auto end = position_behind_page(range, position);
      DGFS_CHECK(lose_names(range, position, end, error, lost));
      position = end;
      continue;
    }
    const auto& found = entries.assume_value();
    const auto first = found.page->index_of(range.first + position);
    const auto end = std::min<std::uint64_t>(first + left, found.end_index());
    for (auto index = first; index < end; ++index, ++position) {
      DGFS_TRY(go_on, visit(position, found.name(index, scratch), found, index));
      if (!go_on) return ok();
    }
  }
  return ok();
}

Result<EntryRange> Namespace::names_from(const format::ChildRange& range, std::uint64_t position,
                                         std::optional<std::string>& common) const {
  auto entries = listed_range(range.first + position, range.count - position, common);
  if (entries) return entries;
  return losing_page(entries.assume_error(), page_number_at(range.first + position));
}

Result<std::uint64_t> Namespace::position_of(const format::ChildRange& range,
                                             std::string_view name) const {
  if (range.count == 0) return std::uint64_t{0};
  const auto position = position_of_page(range, name);
  const auto end = position_behind_page(range, position);
  const auto number = page_number_at(range.first + position);
  const auto found = [&]() -> Result<EntryRange> {
    DGFS_TRY(page, pages_.get(number));
    const auto begin = page->index_of(range.first + position);
    return pages_.range(page, begin, begin + static_cast<std::size_t>(end - position));
  }();
  if (!found) return losing_page(found.assume_error(), number);
  const EntryRange& entries = found.assume_value();
  const auto first = entries.page->index_of(range.first + position);
  std::string scratch;
  auto low = first;
  auto high = first + static_cast<std::size_t>(end - position);
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    if (entries.name(middle, scratch) < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return position + (low - first);
}

std::uint64_t Namespace::position_of_page(const format::ChildRange& range,
                                          std::string_view name) const {
  if (range.count == 0) return 0;
  const auto page = page_of_name(page_number_at(range.first),
                                 page_number_at(range.first + range.count - 1), name);
  return std::max(tables_.pages.first_ordinal(page), range.first) - range.first;
}

std::uint64_t Namespace::position_behind_page(const format::ChildRange& range,
                                              std::uint64_t position) const {
  if (position >= range.count) return range.count;
  const auto page = page_number_at(range.first + position);
  return std::min(tables_.pages.end_ordinal(page) - range.first, range.count);
}

Status Namespace::lose_names(const format::ChildRange& range, std::uint64_t position,
                             std::uint64_t end, const Error& error, const Lose& lost) const {
  if (!lost) return error;
  LostNames names{position, end - position, nullptr, {}, error};
  for (auto ordinal = range.first + position; ordinal < range.first + end; ++ordinal) {
    if (!tables_.directories.children(ordinal)) continue;
    if (const auto inode = tables_.inodes.inode_of(ordinal)) names.directories.push_back(*inode);
  }
  return lost(names) ? ok() : Status(error);
}

Error Namespace::losing_page(const Error& error, std::size_t page) const {
  const auto& pages = tables_.pages;
  return losing_names(error, pages.end_ordinal(page) - pages.first_ordinal(page));
}

}  // namespace dgfs::reader
