// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Prints one name of dgfs ls: quoted, indented, coloured, and as a hyperlink for terminals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/cli/session.h"
#include "tools/ls/entry.h"
#include "tools/text/color.h"

namespace dgfs::tools {

/// Escapes as RFC 3986 does: %xx for all but letters, digits and "-._~/".
[[nodiscard]] std::string percent_escaped(std::string_view text);

/// Not thread-safe, because it remembers whether it has used a colour. The arguments must outlive
/// it.
class LsNames {
 public:
  LsNames(const Session& session, const reader::Image& image, const LsOptions& options);

  /// Whether link targets must be looked up; if not, they count as missing.
  [[nodiscard]] bool needs_targets() const;

  /// Call it for each listing. `some_quoted`: unquoted names are indented by the width of a quote.
  void begin_listing(bool some_quoted) { some_quoted_ = some_quoted; }
  /// Whether the entry's name is quoted, so that unquoted names beside it are indented.
  [[nodiscard]] bool is_quoted(const LsEntry& entry) const {
    return options_.name_style.changes(entry.name);
  }

  /// The text before each line: the colour of names without a colour.
  [[nodiscard]] std::string line_begin();
  /// A printed name with its escape sequences.
  struct Written {
    std::string text;
    std::size_t bytes = 0;    ///< without colours and links, the indent included
    std::size_t columns = 0;  ///< the columns of those bytes on a terminal
  };
  /// @param directory  directory of the entry, as the user would write it
  /// @param column     where the name begins, as ls counts columns
  [[nodiscard]] Written name(const std::string& directory, const LsEntry& entry,
                             std::size_t column);
  /// The target text of the link `entry`.
  [[nodiscard]] Written target(const std::string& directory, const LsEntry& entry,
                               const std::string& target, std::size_t column);
  /// The name of a directory, printed above its entries.
  [[nodiscard]] std::string header(const std::string& directory) const;
  [[nodiscard]] std::size_t columns(const LsEntry& entry) const;

 private:
  struct Shape {
    std::string text;
    bool indented = false;
  };
  [[nodiscard]] Shape shape(std::string_view name) const;
  [[nodiscard]] std::optional<std::string_view> color_of(const LsEntry& entry) const;
  [[nodiscard]] std::optional<std::string_view> color_of_target(const LsEntry& entry,
                                                                std::string_view target) const;
  [[nodiscard]] std::string linked(const Shape& shape, const std::string& directory,
                                   const LsEntry& entry) const;
  [[nodiscard]] std::string link_to(const std::string& path, const std::string& text) const;
  [[nodiscard]] std::string colored(const std::string& text, std::optional<std::string_view> code,
                                    std::size_t column, std::size_t bytes);
  [[nodiscard]] std::string sequence(std::string_view code);
  [[nodiscard]] bool has_capability(const LsEntry& entry) const;

  const reader::Image& image_;
  const LsOptions& options_;
  NameColors colors_;
  bool some_quoted_ = false;
  bool used_color_ = false;
};

}  // namespace dgfs::tools
