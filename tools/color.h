// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Colours of names, from the variable LS_COLORS or, without it, those that ls has built in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/image.h"

namespace dgfs::tools {

class NameColors {
 public:
  /// @param ls_colors  "di=01;34:*.gz=31:..."; what it does not name keeps its default
  explicit NameColors(std::string_view ls_colors);

  /// `text` with the colour of the entry around it; as it is where the entry has none.
  /// @param dangling  a symbolic link that leads nowhere
  [[nodiscard]] std::string colored(std::string_view text, std::string_view name,
                                    const reader::Node& node, bool dangling) const;

 private:
  [[nodiscard]] std::string_view code(std::string_view name, const reader::Node& node,
                                      bool dangling) const;
  [[nodiscard]] std::string_view code_of(const char* key) const;

  std::map<std::string, std::string, std::less<>> codes_;       ///< by two-letter key
  std::vector<std::pair<std::string, std::string>> by_ending_;  ///< later ones win
};

}  // namespace dgfs::tools
