// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// StatFormat: the formats of stat -c.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reader/image.h"
#include "tools/text/printf_text.h"
#include "tools/text/quoting.h"
#include "tools/text/user_names.h"

namespace dgfs::tools {

struct StatSubject {
  std::string_view name;   ///< as the user wrote it
  std::string shown_name;  ///< what %n prints
  const reader::Node& node;
  std::string target = {};                  ///< of a symbolic link
  std::optional<std::string> context = {};  ///< of security
  Printed printed = Printed::kAsGnu;        ///< which characters %N does not escape
};

/// Directives of coreutils' stat that mean something in an image: %a %A %b %B %d %D %f %F %g %G %h
/// %i %m %n %N %o %r %R %s %t %T %u %U %w %W %x %X %y %Y %z %Z %C %Hd %Ld %Hr %Lr. Device numbers
/// of the file system are 0, birth times are unknown ("-"), and the mount point is "/".
class StatFormat {
 public:
  /// Errors: kInvalidArgument (unknown directive).
  [[nodiscard]] static Result<StatFormat> parse(std::string_view format, bool escapes);
  /// The format of stat without -c.
  [[nodiscard]] static StatFormat standard(bool device);
  /// The format of stat --terse.
  [[nodiscard]] static StatFormat terse();

  /// Whether a directive asks for the security context.
  [[nodiscard]] bool shows_context() const;
  [[nodiscard]] std::string print(const StatSubject& subject, UserNames& users) const;

 private:
  explicit StatFormat(std::vector<FormatPiece> pieces) : pieces_(std::move(pieces)) {}
  std::vector<FormatPiece> pieces_;
};

}  // namespace dgfs::tools
