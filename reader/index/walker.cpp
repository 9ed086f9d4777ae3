// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/walker.h"

#include <algorithm>

#include "format/entry/key.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

// Pages announced in advance: enough to keep the device's queue filled, and few enough to waste
// little if the walk ends early.
constexpr std::size_t kAnnouncedPages = 64;

}  // namespace

Status Walker::walk(std::string_view path, const Visit& visit, const Damaged& damaged) const {
  DGFS_TRY(key, format::key_of_path(path));
  const auto start_path = format::path_of_key(key).value();
  const auto node = visit_start(key);
  if (node && !visit(start_path, node.assume_value())) return ok();
  if (!node && node.assume_error().kind() == ErrorKind::kNotFound) return node.assume_error();
  const auto directory = node ? node : names_.lost_directory(key);
  if (!directory) return node.assume_error();
  const auto ordinal = directory.assume_value().ordinal;
  const auto range = tables_.directories.children(ordinal);
  const bool is_empty = !range || range->count == 0;
  Course course{format::subtree_prefix(key), visit, damaged};
  // If the walk below meets the lost page again, it reports the page there, with all names that it
  // costs.
  const bool is_met_again =
      !is_empty && tables_.pages.find_ordinal(ordinal) == tables_.pages.find_ordinal(range->first);
  if (!node && (!is_met_again || pages_.get(*tables_.pages.find_ordinal(ordinal)))) {
    DGFS_CHECK(skip(losing_attributes(node.assume_error(), start_path), course));
  }
  return is_empty ? ok() : walk_below(range->first, course);
}

Result<Node> Walker::visit_start(std::string_view key) const {
  DGFS_TRY(start, names_.find_key(key));
  return names_.resolve(start);
}

// The entries below a directory are consecutive ordinals that begin with its first child. Names and
// link records share no page (F-243, F-320).
Status Walker::walk_below(Ordinal first, Course& course) const {
  std::size_t announced_end = 0;
  const auto& directory = tables_.pages;
  for (auto next = first; next < tables_.directories.entry_count() && !course.ended;) {
    const auto number = directory.find_ordinal(next).value_or(0);
    // A bound lies above the key before it, so if the bound is outside the subtree, all following
    // keys are too.
    if (next != first && !directory.bound(number).starts_with(course.prefix)) break;
    if (number >= announced_end) {
      const auto count = std::min(kAnnouncedPages, directory.size() - number);
      announced_end = number + count;
      if (next != first && count > 1) pages_.announce(number, count);
    }
    DGFS_CHECK(visit_page(number, next, course));
    next = directory.end_ordinal(number);
  }
  return ok();
}

// Link records come behind all names, in pages of their own (F-320).
Status Walker::walk_nameless(const std::function<bool(const Node& node)>& visit,
                             const Damaged& damaged) const {
  if (!tables_.may_be_nameless) return ok();
  const auto unseen = [](std::string_view, const Node&) { return true; };
  const Course course{{}, unseen, damaged};
  const auto first = tables_.pages.find_ordinal(tables_.directories.entry_count());
  for (auto number = first.value_or(tables_.pages.size()); number < tables_.pages.size();
       ++number) {
    const auto page = pages_.get(number);
    if (!page) {
      DGFS_CHECK(skip(page.assume_error(), course));
      continue;
    }
    const auto& loaded = page.assume_value();
    const auto range = pages_.range(loaded, 0, loaded->size());
    if (!range) {
      DGFS_CHECK(skip(range.assume_error(), course));
      continue;
    }
    for (std::size_t index = 0; index < loaded->size(); ++index) {
      const auto& entries = range.assume_value();
      const auto entry = entries.entry(index);
      if (entry.entry.link_count != 0 || entry.entry.link_inode != 0) continue;
      const auto inode = format::inode_of_link_key(entries.full_key(index));
      const auto node = inode ? names_.by_inode(*inode)
                              : names_.bad_entry(3047, {loaded, entry}, "no key of a link record");
      if (!node) {
        DGFS_CHECK(skip(node.assume_error(), course));
      } else if (!visit(node.assume_value())) {
        return ok();
      }
    }
  }
  return ok();
}

Status Walker::visit_page(std::size_t number, Ordinal first, Course& course) const {
  auto page = pages_.get(number);
  if (!page) return skip(names_.losing_page(page.assume_error(), number), course);
  const auto& loaded = page.assume_value();
  const auto entries = pages_.range(loaded, loaded->index_of(first), loaded->size());
  if (!entries) return skip(names_.losing_page(entries.assume_error(), number), course);
  const auto& range = entries.assume_value();
  for (auto index = loaded->index_of(first); index < loaded->size(); ++index) {
    const auto key = range.full_key(index);
    course.ended = !std::string_view(key).starts_with(course.prefix);
    if (course.ended) return ok();
    const auto path = format::path_of_key(key).value();  // range() has checked the keys
    const auto node = names_.resolve({loaded, range.entry(index)});
    if (!node) {
      DGFS_CHECK(skip(losing_attributes(node.assume_error(), path), course));
      continue;
    }
    course.ended = !course.visit(path, node.assume_value());
    if (course.ended) return ok();
  }
  return ok();
}

Status Walker::skip(const Error& error, const Course& course) {
  if (course.damaged && course.damaged(error)) return ok();
  return error;
}

}  // namespace dgfs::reader
