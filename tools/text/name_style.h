// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How ls prints names: its quoting styles, and question marks for unprintable characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/text/quoting.h"

namespace dgfs::tools {

enum class QuotingStyle : std::uint8_t {
  kLiteral,            ///< unchanged
  kShell,              ///< in quotes if a shell needs them
  kShellAlways,        ///< always in quotes
  kShellEscape,        ///< as kShell, with $'\n' for unprintable characters
  kShellEscapeAlways,  ///< the same, always in quotes
  kC,                  ///< as a string literal of C
  kCMaybe,             ///< as kC, but only if something must be escaped
  kEscape,             ///< as kC without the quotes
  kLocale,             ///< as kC, but between ‘ and ’
};

/// Words of ls --quoting-style; nullopt for any other.
[[nodiscard]] std::optional<QuotingStyle> quoting_style(std::string_view word);

struct NameStyle {
  QuotingStyle quoting = QuotingStyle::kLiteral;
  /// Prints '?' for unprintable characters that `quoting` does not escape.
  bool hides_controls = false;
  /// Further characters to quote: ":" in headers, the ones that -F appends, the space with -b.
  std::string also;
  Printed printed = Printed::kHarmless;

  [[nodiscard]] std::string text(std::string_view name) const;
  /// Whether quoting changes the name; question marks do not count as a change.
  [[nodiscard]] bool changes(std::string_view name) const { return quoted(name) != name; }
  /// Whether unquoted names beside quoted ones are indented by a space.
  [[nodiscard]] bool quotes_some() const {
    return quoting == QuotingStyle::kShell || quoting == QuotingStyle::kShellEscape ||
           quoting == QuotingStyle::kCMaybe;
  }

 private:
  [[nodiscard]] std::string quoted(std::string_view name) const;
};

}  // namespace dgfs::tools
