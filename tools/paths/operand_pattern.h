// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Operands like 'src/*.c': no shell can expand them inside an image.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reader/image.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// What the manual says about it.
inline constexpr char kPatternHelp[] =
    "A PATH that holds *, ? or [...] and is no name in the image stands for all paths that fit, as "
    "in a shell; quote it, so that the shell leaves it alone. Hidden names fit only a pattern that "
    "begins with a dot.";

/// What patterns are held against. Paths are as operands have them: a slash more or less in them
/// changes nothing. What cannot be read is not there; the command says what is missing.
class PatternTree {
 public:
  virtual ~PatternTree() = default;
  PatternTree() = default;
  PatternTree(const PatternTree&) = delete;
  PatternTree& operator=(const PatternTree&) = delete;

  /// Whether something has the path, be it a link that leads nowhere.
  [[nodiscard]] virtual bool has(const std::string& path) = 0;
  [[nodiscard]] virtual bool is_directory(const std::string& path) = 0;
  /// Tells the names in a directory, sorted by their bytes; those of anything else are none.
  virtual void list(const std::string& path,
                    const std::function<void(std::string_view name)>& name) = 0;
};

/// Each operand that names nothing in the tree but holds wildcards is replaced by the paths that
/// fit it, in the order of their bytes. One that fits nothing stays, to be reported as missing.
/// Reads the directories that wildcards stand in.
[[nodiscard]] std::vector<std::string> expand_patterns(PatternTree& tree,
                                                       const std::vector<std::string>& operands);
/// The same in an image; links on the way are followed. Names that are lost in a directory that a
/// wildcard stands in could have fitted: that is complained of, and `sound` becomes false.
[[nodiscard]] std::vector<std::string> expand_patterns(const Session& session,
                                                       const reader::Image& image,
                                                       const std::vector<std::string>& operands,
                                                       bool& sound);

}  // namespace dgfs::tools
