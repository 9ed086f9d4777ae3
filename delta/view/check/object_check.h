// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectCheck: checks the rules for an object as a whole: its names, its counts, its parent.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "base/result.h"
#include "delta/view/check/namespace_finding.h"
#include "delta/view/check/object_facts.h"
#include "delta/view/check/object_paths.h"

namespace dgfs::view {

/// For one thread. It remembers the directories with subdirectories that it has checked, about 50
/// bytes each.
class ObjectCheck {
 public:
  using Found = std::function<void(const Finding&)>;

  /// All must outlive it.
  ObjectCheck(const Moment& moment, ObjectPaths& paths, const Found& found, StopFlag stop)
      : moment_(moment), paths_(paths), found_(found), stop_(stop) {}

  /// Reports nothing for an object that does not exist. Errors: those of Moment, except for damaged
  /// records; kInterrupted.
  [[nodiscard]] Status check(ObjectNumber object);

 private:
  void tell(Rule rule, RecordClass record, ObjectNumber object, std::string text) const {
    found_({rule, record, object, std::nullopt, std::nullopt, std::move(text)});
  }
  void check_mark(const ObjectFacts& facts) const;
  void check_counts(const ObjectFacts& facts) const;
  [[nodiscard]] Status check_target(const ObjectFacts& facts) const;
  [[nodiscard]] Status check_directory(const ObjectFacts& facts);
  [[nodiscard]] Status check_parent(const ObjectFacts& facts);
  [[nodiscard]] Status check_ancestors(ObjectNumber directory);
  [[nodiscard]] Result<ObjectNumber> above(ObjectNumber directory) const;

  const Moment& moment_;
  ObjectPaths& paths_;
  const Found& found_;
  const StopFlag stop_;
  std::unordered_set<ObjectNumber> followed_;  ///< directories whose ancestors were checked
};

}  // namespace dgfs::view
