// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Colours of names, from the variable LS_COLORS or, without it, the built-in ones of ls.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::tools {

/// The facts that decide the colour of an entry, or of a link target.
struct ColoredEntry {
  std::string_view name;
  std::uint32_t mode = 0;
  std::uint64_t link_count = 1;
  bool has_capability = false;
  bool missing = false;   ///< a link target that does not exist or was not looked up
  bool dangling = false;  ///< a link whose target is `missing`
};

/// Whether colours may be used if LS_COLORS is not set: COLORTERM is set, or TERM names a
/// terminal that dircolors(1) knows.
[[nodiscard]] bool terminal_has_colors(const storage::Env& env);

class NameColors {
 public:
  /// @param ls_colors  "di=01;34:*.gz=31:..."; keys that it does not name keep their defaults
  explicit NameColors(std::string_view ls_colors);

  /// "01;34"; nullopt if the name has no colour. Endings match in upper and lower case.
  [[nodiscard]] std::optional<std::string_view> code(const ColoredEntry& entry) const;
  /// Whether a key has a colour: "or" for dangling links, "ca" for files with capabilities.
  [[nodiscard]] bool colors(std::string_view key) const;
  /// Whether links have the colours of their targets ("ln=target").
  [[nodiscard]] bool links_as_targets() const;
  /// The code that ends a colour ("rs"), and the one before each line ("no"); both like "01;34".
  [[nodiscard]] std::string_view reset() const { return codes_.find("rs")->second; }
  [[nodiscard]] std::string_view normal() const;

 private:
  [[nodiscard]] std::string_view file_key(const ColoredEntry& entry) const;
  [[nodiscard]] std::string_view directory_key(std::uint32_t mode) const;
  [[nodiscard]] std::string_view key_of(const ColoredEntry& entry) const;
  [[nodiscard]] std::optional<std::string_view> code_of_ending(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> codes_;       ///< by two-letter key
  std::vector<std::pair<std::string, std::string>> by_ending_;  ///< the last match counts
};

}  // namespace dgfs::tools
