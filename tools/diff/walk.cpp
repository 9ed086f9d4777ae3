// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/diff/walk.h"

#include <iterator>
#include <utility>

#include "base/json.h"
#include "format/entry/mode.h"
#include "tools/paths/image_path.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

bool is_missing(const Result<DiffEntry>& entry) {
  return !entry && (entry.error().kind() == ErrorKind::kNotFound ||
                    entry.error().kind() == ErrorKind::kNotDirectory);
}

}  // namespace

void DiffWalk::run(const std::string& path) {
  const auto first = first_.find(path);
  const auto second = second_.find(path);
  if (is_missing(first) && is_missing(second)) {
    const auto kind = first.error().kind();
    return sink_.trouble(
        path,
        Error(kind, 6110,
              kind == ErrorKind::kNotDirectory ? "Not a directory" : "No such file or directory"));
  }
  if (!first && (!is_missing(first) || !second)) return sink_.trouble(path, first.error());
  if (!second && !is_missing(second)) return sink_.trouble(path, second.error());
  if (!first) return only_in(DiffSide::kSecond, path, second.value());
  if (!second) return only_in(DiffSide::kFirst, path, first.value());
  compare(path, first.value(), second.value(), pending_);
  while (!pending_.empty() && !options_.stop) {
    const auto directory = std::move(pending_.back());
    pending_.pop_back();
    compare_directory(directory);
  }
}

// Only names that the scope names can differ; the others need not even be listed.
Result<std::vector<DiffEntry>> DiffWalk::entries_of(DiffTree& tree, const Pending& directory,
                                                    const DiffTree::Trouble& trouble) const {
  if (!directory.inode) return tree.list(directory.path, trouble);
  std::vector<DiffEntry> entries;
  const auto* names = options_.scope(*directory.inode);
  if (names == nullptr) return entries;
  for (const std::string& name : *names) {
    const auto path = joined_path(directory.path, name);
    auto entry = tree.find(path);
    if (entry) {
      entries.push_back(std::move(entry).value());
    } else if (!is_missing(entry)) {
      trouble(path, entry.error());
    }
  }
  return entries;
}

// If a directory could not be listed completely, a name missing in the list may still exist.
void DiffWalk::compare_directory(const Pending& directory) {
  const std::string& path = directory.path;
  bool first_is_whole = true;
  bool second_is_whole = true;
  const auto note_in = [&](bool& is_whole) {
    return [&](const std::string& at, const Error& error) {
      is_whole = false;
      sink_.trouble(at, error);
    };
  };
  const auto first = entries_of(first_, directory, note_in(first_is_whole));
  if (!first) return sink_.trouble(path, first.error());
  const auto second = entries_of(second_, directory, note_in(second_is_whole));
  if (!second) return sink_.trouble(path, second.error());
  std::vector<Pending> subdirectories;
  auto a = first.value().begin();
  auto b = second.value().begin();
  const auto a_end = first.value().end();
  const auto b_end = second.value().end();
  while ((a != a_end || b != b_end) && !options_.stop) {
    if (b == b_end || (a != a_end && a->name < b->name)) {
      const auto at = joined_path(path, a->name);
      if (second_is_whole || is_missing(second_.find(at))) only_in(DiffSide::kFirst, at, *a);
      ++a;
    } else if (a == a_end || b->name < a->name) {
      const auto at = joined_path(path, b->name);
      if (first_is_whole || is_missing(first_.find(at))) only_in(DiffSide::kSecond, at, *b);
      ++b;
    } else {
      compare(joined_path(path, a->name), *a, *b, subdirectories);
      ++a;
      ++b;
    }
  }
  std::move(subdirectories.rbegin(), subdirectories.rend(), std::back_inserter(pending_));
}

void DiffWalk::compare(const std::string& path, const DiffEntry& first, const DiffEntry& second,
                       std::vector<Pending>& subdirectories) {
  if (!is_wanted(path, first) || !is_wanted(path, second)) return;
  sink_.compared();
  compare_objects(path, first, second);
  if (format::is_directory(first.mode) && format::is_directory(second.mode)) {
    const bool is_same = options_.scope && first.inode == second.inode;
    subdirectories.push_back({path, is_same ? std::optional(first.inode) : std::nullopt});
  }
}

// Further names of an object that both sides share were compared under the first name.
void DiffWalk::compare_objects(const std::string& path, const DiffEntry& first,
                               const DiffEntry& second) {
  const auto first_path = first_links_.first_path(first, path);
  const auto second_path = second_links_.first_path(second, path);
  if (first_path == second_path && first_path != path) return;
  auto found = differences_of(first_, first, second_, second, path, options_.ignore, options_.stop);
  if (!found) return sink_.trouble(path, found.error());
  auto& differences = found.value();
  if (first_path != second_path) {
    const auto text = [&](const std::string& linked) {
      return linked == path ? std::string("none") : shell_quoted(linked);
    };
    const auto json = [&](const std::string& linked) {
      return linked == path ? std::string("null") : json_string(linked);
    };
    differences.push_back(
        {"link", text(first_path), text(second_path), json(first_path), json(second_path)});
  }
  if (!differences.empty()) sink_.differs(path, differences);
}

void DiffWalk::only_in(DiffSide side, const std::string& path, const DiffEntry& entry) {
  if (is_wanted(path, entry)) sink_.only_in(side, path, entry);
}

bool DiffWalk::is_wanted(const std::string& path, const DiffEntry& entry) const {
  return options_.rules.includes(path, format::is_directory(entry.mode));
}

}  // namespace dgfs::tools
