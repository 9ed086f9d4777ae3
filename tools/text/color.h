// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Colours of names, from the variable LS_COLORS or, without it, those that ls has built in.
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

/// What decides on the colour of an entry, or of the target of a link.
struct ColoredEntry {
  std::string_view name;
  std::uint32_t mode = 0;
  std::uint64_t link_count = 1;
  bool has_capability = false;
  bool missing = false;   ///< the target of a link, but there is none, or it was not looked up
  bool dangling = false;  ///< a link of which the same holds
};

/// Whether colours may be used where LS_COLORS says nothing: COLORTERM is set, or TERM names a
/// terminal that dircolors(1) knows.
[[nodiscard]] bool terminal_has_colors(const storage::Env& env);

class NameColors {
 public:
  /// @param ls_colors  "di=01;34:*.gz=31:..."; what it does not name keeps its default
  explicit NameColors(std::string_view ls_colors);

  /// "01;34"; nullopt where names are printed plainly. Endings of names fit in any case.
  [[nodiscard]] std::optional<std::string_view> code(const ColoredEntry& entry) const;
  /// Whether a key has a colour: "or" for dangling links, "ca" for files with capabilities.
  [[nodiscard]] bool colors(std::string_view key) const;
  /// Links are coloured as what they lead to ("ln=target").
  [[nodiscard]] bool links_as_targets() const;
  /// What ends a colour ("rs") and what stands before each line ("no"); "01;34" as well.
  [[nodiscard]] std::string_view reset() const { return codes_.find("rs")->second; }
  [[nodiscard]] std::string_view normal() const;

 private:
  [[nodiscard]] std::string_view file_key(const ColoredEntry& entry) const;
  [[nodiscard]] std::string_view directory_key(std::uint32_t mode) const;
  [[nodiscard]] std::string_view key_of(const ColoredEntry& entry) const;
  [[nodiscard]] std::optional<std::string_view> code_of_ending(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> codes_;       ///< by two-letter key
  std::vector<std::pair<std::string, std::string>> by_ending_;  ///< later ones win
};

}  // namespace dgfs::tools
