// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/salvage/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/extract/paths.h"
#include "reader/index/entry_node.h"

namespace dgfs::reader {
namespace {

constexpr std::size_t kLinkPagesKept = 64;
constexpr std::uint32_t kUnknownDirectoryMode = 0040700;
constexpr std::string_view kLostAndFound = "lost+found";

Error lost(std::uint16_t code, std::string what) {
  return {ErrorKind::kCorrupt, code, std::move(what)};
}

// A key as a readable path. The beginning or the end may be missing.
std::string text_of_key(std::string_view key) {
  std::string text;
  for (const char byte : key) {
    if (byte != '\0') {
      text += byte;
    } else if (!text.empty() && text.back() != '/') {
      text += '/';
    }
  }
  return text;
}

// Without its record, a page is known by its counts, which only records of objects without a name
// lack.
bool is_link_page(const SalvagedPage& page, const format::DecodedPage& rows) {
  if (page.record) return page.record->zone == format::kLinkZone;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.entry(i).link_count != 0) return true;
  }
  return false;
}

// F-104
std::optional<InodeNumber> inode_of_key(std::string_view key) {
  if (key.size() != format::kLinkKeyBytes) return std::nullopt;
  InodeNumber inode = 0;
  for (const char byte : key) inode = inode << 8 | static_cast<std::uint8_t>(byte);
  return inode;
}

}  // namespace

void SalvageTree::walk(ExtractLog& log, const MakeParent& make_parent, const Visit& visit) {
  Course course{log, make_parent, visit};
  find_links(log);
  std::uint64_t next = 0;
  std::uint64_t missing = 0;
  std::uint64_t unnumbered = 0;  // some of them may be missing pages
  std::uint64_t unnumbered_walked = 0;
  for (const auto& [number, page] : index_.pages()) {
    if (log.ended()) return;
    if (number < SalvageIndex::kUnnumbered) {
      missing += tell_missing(next, number);
      next = number + 1;
      lost_pages_ += walk_page(number, page, course) ? 0U : 1U;
    } else {
      ++unnumbered;
      unnumbered_walked += walk_page(number, page, course) ? 1U : 0U;
    }
  }
  if (const auto& superblock = index_.superblock()) {
    const auto bytes = superblock->section(format::SectionKind::kPages).length_bytes;
    missing += tell_missing(next, bytes / format::kPageBytes);
  }
  lost_pages_ += std::max(missing, unnumbered) - unnumbered_walked;
  add_nameless_objects(course);
}

// Runs before the walk, because names come before the link records that they need.
void SalvageTree::find_links(ExtractLog& log) {
  for (const auto& [number, page] : index_.pages()) {
    if (log.ended()) return;
    if (!page.file || (page.record && page.record->zone != format::kLinkZone)) continue;
    const auto rows = index_.rows(page);
    if (!rows || !is_link_page(page, *rows.assume_value())) continue;
    for (std::size_t i = 0; i < rows.assume_value()->size(); ++i) {
      // An object that had no name when the image was made has lost none.
      if (rows.assume_value()->entry(i).link_count == 0) continue;
      const LinkPlace place{number, static_cast<std::uint32_t>(i)};
      auto key = page.record ? page.record->prefix : std::string();
      key += rows.assume_value()->key(i);
      if (const auto inode = inode_of_key(key)) {
        links_.emplace(*inode, place);
      } else {
        unnumbered_links_.push_back(place);
      }
    }
  }
}

bool SalvageTree::walk_page(std::uint64_t number, const SalvagedPage& page, Course& course) {
  if (!page.file) {
    tell_lost_page(number, page, "damaged in all copies");
    return false;
  }
  const auto rows = index_.rows(page);
  if (!rows) {
    tell_lost_page(number, page, rows.assume_error().text());
    return false;
  }
  if (is_link_page(page, *rows.assume_value())) return true;
  for (std::size_t i = 0; i < rows.assume_value()->size() && !course.log.ended(); ++i) {
    add_entry(number, page, rows.assume_value(), i, course);
  }
  return true;
}

void SalvageTree::add_entry(std::uint64_t number, const SalvagedPage& page, const Rows& rows,
                            std::size_t index, Course& course) {
  const auto path = path_of(number, page, rows->key(index), index);
  if (!path) {
    return course.log.settle(text_of_key(rows->key(index)), path.assume_error());
  }
  auto node = resolve(page, rows, index);
  if (!node) return course.log.settle(path.assume_value(), node.assume_error());
  emit(path.assume_value(), std::move(node).assume_value(), course);
}

Result<std::string> SalvageTree::path_of(std::uint64_t number, const SalvagedPage& page,
                                         std::string_view key, std::size_t index) {
  if (page.record) {
    DGFS_TRY(path, format::path_of_key(std::string(page.record->prefix).append(key)));
    has_lost_and_found_ = has_lost_and_found_ || path == kLostAndFound;
    return path;
  }
  auto path = lost_and_found(number);
  const auto text = text_of_key(key);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('/', at), text.size());
    const auto name = std::string_view(text).substr(at, end - at);
    at = end + 1;
    path += '/';
    path += format::is_valid_name(name) ? std::string(name) : fmt::format("entry-{}", index);
  }
  return text.empty() ? path + fmt::format("/entry-{}", index) : path;
}

std::string SalvageTree::lost_and_found(std::uint64_t number) const {
  const bool is_numbered = number < SalvageIndex::kUnnumbered;
  return fmt::format("{}{}/{}-{}", kLostAndFound, has_lost_and_found_ ? ".salvage" : "",
                     is_numbered ? "page" : "unnumbered",
                     is_numbered ? number : number - SalvageIndex::kUnnumbered);
}

Result<Node> SalvageTree::resolve(const SalvagedPage& page, const Rows& rows, std::size_t index) {
  const auto inode = rows->link_inode(index);
  if (inode == 0) return node_of(page, rows, index);
  const auto found = links_.find(inode);
  if (found == links_.end()) {
    return lost(3220, "its link record is lost, and with it attributes and contents");
  }
  DGFS_TRY(link_rows, rows_of_link_page(found->second.page));
  DGFS_TRY(node, node_of(index_.pages().at(found->second.page), link_rows, found->second.index));
  if (format::type_of(node.mode) != format::type_of(rows->mode(index))) {
    return lost(3221, "a hard link of another type than its link record");
  }
  found->second.has_name = true;
  node.inode = inode;
  return node;
}

Result<SalvageTree::Rows> SalvageTree::rows_of_link_page(std::uint64_t number) {
  if (const auto found = link_pages_.find(number); found != link_pages_.end()) {
    return found->second;
  }
  DGFS_TRY(rows, index_.rows(index_.pages().at(number)));
  if (link_pages_.size() >= kLinkPagesKept) link_pages_.clear();
  link_pages_.emplace(number, rows);
  return rows;
}

Result<Node> SalvageTree::node_of(const SalvagedPage& page, const Rows& rows, std::size_t index) {
  const auto entry = rows->entry(index);
  auto node = node_of_entry(entry);
  node.link_count = entry.link_count == 0 ? 1 : entry.link_count;
  // F-310, F-311, F-313
  const auto offset = format::extent_offset(entry, rows->data_offset(index));
  if (entry.address) {
    node.data = *entry.address;
  } else if (page.record) {
    node.data = {page.record->volume, page.record->first_data_offset + offset};
  } else if (page.data) {
    node.data = {page.data->volume, page.data->offset_bytes + offset};
  } else if (format::is_regular(node.mode) && node.stored_bytes != 0) {
    return lost(3222, "the place of its contents is lost");
  }
  return node;
}

void SalvageTree::emit(const std::string& path, Node node, Course& course) {
  if (!devices_ && format::is_device(node.mode)) return;
  make_parents(path, course);
  if (format::is_directory(node.mode)) {
    if (!path.empty() && !made_.insert(path).second) return;  // a damaged image may have it twice
    node.inode = directories_.size() + 1;
    directories_.push_back({path, node});
  }
  course.visit(path, node);
}

// Makes directories with lost entries.
void SalvageTree::make_parents(std::string_view path, Course& course) {
  if (made_.empty()) made_.emplace();  // the destination exists
  for (auto slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    const std::string parent(path.substr(0, slash));
    if (made_.contains(parent)) continue;
    Node node;
    node.mode = kUnknownDirectoryMode;
    node.inode = directories_.size() + 1;
    directories_.push_back({parent, node});
    made_.insert(parent);
    if (!course.make_parent(parent, node) || parent.starts_with(kLostAndFound)) continue;
    // The result can be ignored: salvage always goes on.
    static_cast<void>(
        course.log.lose_attribute(parent, {AttributeKind::kAll, "attributes"},
                                  lost(3223, "the attributes of this directory are lost")));
  }
}

void SalvageTree::add_nameless_objects(Course& course) {
  const auto add = [&](const LinkPlace& place, const std::string& name) {
    const auto path = lost_and_found(place.page) + "/" + name;
    const auto rows = rows_of_link_page(place.page);
    auto node = rows ? node_of(index_.pages().at(place.page), rows.assume_value(), place.index)
                     : Result<Node>(rows.assume_error());
    if (!node) return course.log.settle(path, node.assume_error());
    node.assume_value().link_count = 1;
    emit(path, std::move(node).assume_value(), course);
    course.log.settle(path, lost(3225, "all names of this object are lost"));
  };
  for (const auto& [inode, place] : links_) {
    if (course.log.ended()) return;
    if (!place.has_name) add(place, fmt::format("inode-{}", inode));
  }
  for (const auto& place : unnumbered_links_) {
    if (course.log.ended()) return;
    add(place, fmt::format("object-{}", place.index));
  }
}

void SalvageTree::tell_lost_page(std::uint64_t number, const SalvagedPage& page,
                                 std::string_view why) {
  const auto which = number < SalvageIndex::kUnnumbered ? fmt::format("page {}", number)
                                                        : "a page of unknown number";
  if (!page.record) return tell_(fmt::format("{}: {}", which, why));
  const auto& record = *page.record;
  if (record.zone == format::kLinkZone) {
    return tell_(
        fmt::format("{}, {} objects with several names: {}", which, record.entry_count, why));
  }
  tell_(fmt::format("{}, {} entries from '{}' on: {}", which, record.entry_count,
                    text_of_key(record.prefix + record.separator), why));
}

std::uint64_t SalvageTree::tell_missing(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return 0;
  const auto which = end - begin == 1 ? fmt::format("page {}", begin)
                                      : fmt::format("pages {} to {}", begin, end - 1);
  tell_(which + ": damaged in all copies, with their places in the page directory");
  return end - begin;
}

Result<std::string> SalvageTree::directory_path(InodeNumber inode) const {
  return directories_.at(inode - 1).path;
}

Result<Node> SalvageTree::directory_node(InodeNumber inode) const {
  return directories_.at(inode - 1).node;
}

}  // namespace dgfs::reader
