// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "rules/path_rules.h"

#include <algorithm>

namespace dgfs::rules {

void PathRules::add(RuleAction action, std::string_view pattern) {
  if (!pattern.empty()) rules_.push_back({action, PathPattern(pattern)});
}

void PathRules::add_text(RuleAction action, std::string_view text) {
  if (text == "!") return rules_.clear();
  if (text.starts_with("+ ")) return add(RuleAction::kInclude, text.substr(2));
  if (text.starts_with("- ")) return add(RuleAction::kExclude, text.substr(2));
  add(action, text);
}

bool PathRules::includes(std::string_view path, bool is_directory) const {
  if (path.empty()) return true;
  const auto first = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    return rule.pattern.matches(path, is_directory);
  });
  return first == rules_.end() || first->action == RuleAction::kInclude;
}

}  // namespace dgfs::rules
