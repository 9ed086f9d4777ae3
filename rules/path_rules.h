// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PathRules: an ordered list of include and exclude rules, as of rsync(1), that tells which paths
// of a tree are meant.
#pragma once

#include <string_view>
#include <vector>

#include "rules/path_pattern.h"

namespace dgfs::rules {

enum class RuleAction : bool { kExclude, kInclude };

/// A value; thread-safe once it is complete.
class PathRules {
 public:
  /// An empty pattern is no rule.
  void add(RuleAction action, std::string_view pattern);
  /// `text` is a pattern, or one behind "+ " (include) or "- " (exclude), or "!", which drops all
  /// rules so far.
  void add_text(RuleAction action, std::string_view text);

  /// Whether there is no rule, so that everything is included.
  [[nodiscard]] bool empty() const { return rules_.empty(); }
  /// What the first rule says that matches; true if none does. A directory that is not included
  /// is not entered: whether a path is reached at all, the rules for its parents tell.
  /// @param path  from the root of the tree, "a/b/name"; the root itself ("") is included
  [[nodiscard]] bool includes(std::string_view path, bool is_directory) const;

 private:
  struct Rule {
    RuleAction action;
    PathPattern pattern;
  };
  std::vector<Rule> rules_;
};

}  // namespace dgfs::rules
