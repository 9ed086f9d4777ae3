// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How ls writes names: its quoting styles, and question marks for what cannot be printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dgfs::tools {

enum class QuotingStyle : std::uint8_t {
  kLiteral,            ///< as it is
  kShell,              ///< in quotes where a shell needs them
  kShellAlways,        ///< in quotes
  kShellEscape,        ///< as kShell, with $'\n' for what cannot be printed
  kShellEscapeAlways,  ///< the same, always in quotes
  kC,                  ///< as a string literal of C
  kEscape,             ///< the same without the quotes
};

/// Words of ls --quoting-style; nullopt for any other.
[[nodiscard]] std::optional<QuotingStyle> quoting_style(std::string_view word);

struct NameStyle {
  QuotingStyle quoting = QuotingStyle::kLiteral;
  /// '?' for what cannot be printed; matters where `quoting` does not escape it.
  bool hides_controls = false;
  /// Further characters to quote: ":" in headers, those that -F appends, the space with -b.
  std::string also;

  [[nodiscard]] std::string text(std::string_view name) const;
  /// Whether unquoted names beside quoted ones are indented by a space.
  [[nodiscard]] bool quotes_some() const {
    return quoting == QuotingStyle::kShell || quoting == QuotingStyle::kShellEscape;
  }
};

}  // namespace dgfs::tools
