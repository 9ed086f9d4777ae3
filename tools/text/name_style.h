// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How ls writes names: its quoting styles, and question marks for what cannot be printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/text/quoting.h"

namespace dgfs::tools {

enum class QuotingStyle : std::uint8_t {
  kLiteral,            ///< as it is
  kShell,              ///< in quotes where a shell needs them
  kShellAlways,        ///< in quotes
  kShellEscape,        ///< as kShell, with $'\n' for what cannot be printed
  kShellEscapeAlways,  ///< the same, always in quotes
  kC,                  ///< as a string literal of C
  kCMaybe,             ///< the same, but only where something is to be escaped
  kEscape,             ///< as kC without the quotes
  kLocale,             ///< as kC, but between ‘ and ’
};

/// Words of ls --quoting-style; nullopt for any other.
[[nodiscard]] std::optional<QuotingStyle> quoting_style(std::string_view word);

struct NameStyle {
  QuotingStyle quoting = QuotingStyle::kLiteral;
  /// '?' for what cannot be printed; matters where `quoting` does not escape it.
  bool hides_controls = false;
  /// Further characters to quote: ":" in headers, those that -F appends, the space with -b.
  std::string also;
  Printed printed = Printed::kHarmless;

  [[nodiscard]] std::string text(std::string_view name) const;
  /// Whether quoting changes the name; question marks do not count.
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
