// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Operands like 'src/*.c', which no shell can expand inside an image.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reader/image.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// The paragraph on patterns for manuals.
inline constexpr char kPatternHelp[] =
    "If a PATH contains *, ? or [...] and the image has no such name, it stands for all paths that "
    "match, as in a shell. Quote it, so that the shell does not expand it. Hidden names match only "
    "a pattern that begins with a dot.";

/// The tree in which patterns are expanded. Paths have the form of operands: extra slashes in them
/// mean nothing. Unreadable entries count as absent; the command reports them as missing.
class PatternTree {
 public:
  virtual ~PatternTree() = default;
  PatternTree() = default;
  PatternTree(const PatternTree&) = delete;
  PatternTree& operator=(const PatternTree&) = delete;

  /// Whether an entry has the path, even a link that leads nowhere.
  [[nodiscard]] virtual bool has(const std::string& path) = 0;
  [[nodiscard]] virtual bool is_directory(const std::string& path) = 0;
  /// Reports the names in a directory, sorted by their bytes; reports none if it is no directory.
  virtual void list(const std::string& path,
                    const std::function<void(std::string_view name)>& name) = 0;
};

/// Replaces each operand that names nothing in the tree but contains wildcards by the paths that
/// match it, in the order of their bytes. Keeps an operand without a match, so that it is reported
/// as missing. Reads the directories in which wildcards stand.
[[nodiscard]] std::vector<std::string> expand_patterns(PatternTree& tree,
                                                       const std::vector<std::string>& operands);
/// The same in an image; follows links on the way. If names in such a directory are lost, they
/// could have matched: complains, and sets `sound` to false.
[[nodiscard]] std::vector<std::string> expand_patterns(const Session& session,
                                                       const reader::Image& image,
                                                       const std::vector<std::string>& operands,
                                                       bool& sound);

}  // namespace dgfs::tools
