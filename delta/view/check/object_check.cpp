// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/object_check.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dgfs::view {
namespace {

std::string counted(std::uint64_t is, std::uint64_t should_be) {
  return std::to_string(is) + " instead of " + std::to_string(should_be);
}

}  // namespace

Status ObjectCheck::check(ObjectNumber object) {
  auto found = facts_of(moment_, object, stop_);
  if (!found) return is_of_record(found.error()) ? ok() : Status(std::move(found).error());
  if (!found.value()) return ok();
  const ObjectFacts& facts = *found.value();
  check_mark(facts);
  if (facts.is_lost()) return ok();  // it needs a name first
  check_counts(facts);
  DGFS_CHECK(check_target(facts));
  return facts.is_directory() ? check_directory(facts) : ok();
}

void ObjectCheck::check_mark(const ObjectFacts& facts) const {
  if (facts.is_lost()) {
    tell(Rule::kObjectsHaveANameOrAreMarked, RecordClass::kAttributes, facts.object,
         facts.is_marked ? "the directory was removed but has names" : "no name leads to it");
    return;
  }
  const bool may_have_name = facts.unknown_names != 0 && facts.record.attributes.link_count != 0;
  if (facts.is_marked && (!facts.names.empty() || may_have_name || facts.object == kRoot)) {
    tell(Rule::kMarkedObjectsHaveNoName, RecordClass::kOrphan, facts.object,
         "it is marked to end but has a name");
  }
}

void ObjectCheck::check_counts(const ObjectFacts& facts) const {
  const Attributes& attributes = facts.record.attributes;
  const auto links = attributes.link_count;
  if (links != facts.right_links()) {
    tell(Rule::kLinksAreCounted, RecordClass::kAttributes, facts.object,
         "its link count is " + counted(links, facts.right_links()));
  }
  if (facts.is_directory() && attributes.children != facts.children) {
    tell(Rule::kChildrenAreCounted, RecordClass::kAttributes, facts.object,
         "its count of names is " + counted(attributes.children, facts.children));
  }
}

Status ObjectCheck::check_target(const ObjectFacts& facts) const {
  if (!format::is_symlink(facts.record.attributes.mode)) return ok();
  DGFS_TRY(node, moment_.layers().bottom().node(facts.object));
  if (node && format::is_symlink(node->mode)) return ok();
  DGFS_TRY(has_target, has_record(moment_, key_of(RecordClass::kTarget, facts.object)));
  if (!has_target) {
    tell(Rule::kSymlinksHaveATarget, RecordClass::kAttributes, facts.object,
         "the symlink has no target");
  }
  return ok();
}

Status ObjectCheck::check_directory(const ObjectFacts& facts) {
  if (facts.object == kRoot) {
    if (facts.names.empty()) return ok();
    tell(Rule::kDirectoriesHaveOneName, RecordClass::kName, kRoot, "the root has a name");
    return ok();
  }
  if (facts.names.size() > 1) {
    tell(Rule::kDirectoriesHaveOneName, RecordClass::kName, facts.object,
         "the directory has " + std::to_string(facts.names.size()) + " names");
  } else if (!facts.names.empty()) {
    DGFS_CHECK(check_parent(facts));
    // A directory without subdirectories is on no circle, so it need not be remembered.
    const bool is_leaf = facts.subdirectories == 0;
    DGFS_CHECK(check_ancestors(is_leaf ? facts.names.front().directory : facts.object));
  }
  return ok();
}

Status ObjectCheck::check_parent(const ObjectFacts& facts) {
  const auto parent = moment_.parent(facts.object);
  if (!parent) {
    if (!is_of_record(parent.error())) return parent.error();
    DGFS_TRY(is_damaged, has_record(moment_, key_of(RecordClass::kParent, facts.object)));
    if (is_damaged) return ok();  // the record itself was reported
  } else if (parent.value() == facts.names.front().directory) {
    return ok();
  }
  tell(Rule::kParentsAgree, RecordClass::kParent, facts.object,
       "its parent is " + (parent ? paths_.words_of(parent.value()) : "none") +
           ", its name is in " + paths_.words_of(facts.names.front().directory));
  return ok();
}

// Reports a circle once, at the lowest of its numbers.
Status ObjectCheck::check_ancestors(ObjectNumber directory) {
  std::vector<ObjectNumber> path;
  while (directory != 0 && directory != kRoot && followed_.insert(directory).second) {
    DGFS_CHECK(stop_.check());
    path.push_back(directory);
    DGFS_TRY(next, above(directory));
    directory = next;
  }
  const auto begin = std::find(path.begin(), path.end(), directory);
  if (begin == path.end()) return ok();
  tell(Rule::kParentsEndAtTheRoot, RecordClass::kParent, *std::min_element(begin, path.end()),
       "the directory is below itself");
  return ok();
}

// Follows the name, because the parent may be wrong; 0: no name, several names, or damaged ones.
Result<ObjectNumber> ObjectCheck::above(ObjectNumber directory) const {
  if (moment_.layers().is_untouched(RecordClass::kName, directory)) {
    DGFS_TRY(parent, moment_.layers().bottom().parent(directory));
    return parent.value_or(0);
  }
  auto names = moment_.names(directory);
  if (!names) {
    if (is_of_record(names.error())) return ObjectNumber{0};
    return std::move(names).error();
  }
  std::vector<ObjectNumber> directories;
  for (const NamePlace& place : names.value()) {
    auto state = moment_.name(place.directory, place.name);
    if (!state && !is_of_record(state.error())) return std::move(state).error();
    const bool leads = state && state.value().dentry && state.value().dentry->object == directory;
    if (leads) directories.push_back(place.directory);
  }
  return directories.size() == 1 ? directories.front() : ObjectNumber{0};
}

}  // namespace dgfs::view
