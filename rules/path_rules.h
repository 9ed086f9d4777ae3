// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PathRules: an ordered list of include and exclude rules, as in rsync(1), that selects paths of a
// tree.
#pragma once

#include <string_view>
#include <vector>

#include "rules/path_pattern.h"

namespace dgfs::rules {

enum class RuleAction : bool { kExclude, kInclude };

/// A value; thread-safe once it is complete.
class PathRules {
 public:
  /// Adds a rule; an empty pattern adds none.
  void add(RuleAction action, std::string_view pattern);
  /// Adds the rule in `text`: a pattern, or a pattern behind "+ " (include) or "- " (exclude). "!"
  /// drops all rules added so far.
  void add_text(RuleAction action, std::string_view text);

  /// Whether there are no rules, so that every path is included.
  [[nodiscard]] bool empty() const { return rules_.empty(); }
  /// Returns the action of the first rule that matches, true if none does. A caller does not enter
  /// a directory that is not included, so the rules for its parents decide whether a path is
  /// reached at all.
  /// @param path  relative to the root of the tree, "a/b/name"; the root itself ("") is included
  [[nodiscard]] bool includes(std::string_view path, bool is_directory) const;

 private:
  struct Rule {
    RuleAction action;
    PathPattern pattern;
  };
  std::vector<Rule> rules_;
};

}  // namespace dgfs::rules
