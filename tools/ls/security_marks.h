// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The marks of ls and stat for access control lists and SELinux security contexts.
#pragma once

#include <optional>
#include <string>

#include "reader/image.h"

namespace dgfs::tools {

struct SecurityMarks {
  bool has_acl = false;
  std::optional<std::string> context;

  /// Printed after the mode: '+' for an access control list, '.' for only a context, else a space.
  [[nodiscard]] char sign() const { return has_acl ? '+' : context ? '.' : ' '; }
  /// As -Z prints it: '?' if there is no context.
  [[nodiscard]] std::string context_text() const { return context.value_or("?"); }
};

/// Reads the marks from the extended attributes; takes one more read if the object has any.
/// Unreadable attributes count as absent, and so does the context "unlabeled", as in coreutils.
[[nodiscard]] SecurityMarks security_marks(const reader::Image& image, const reader::Node& node);

}  // namespace dgfs::tools
