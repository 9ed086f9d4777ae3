// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What ls and stat tell of access control lists and of SELinux's security contexts.
#pragma once

#include <optional>
#include <string>

#include "reader/image.h"

namespace dgfs::tools {

struct SecurityMarks {
  bool has_acl = false;
  std::optional<std::string> context;

  /// Behind the mode: '+' for access control lists, '.' for a context alone, else a space.
  [[nodiscard]] char sign() const { return has_acl ? '+' : context ? '.' : ' '; }
  /// As -Z has it: '?' where there is none.
  [[nodiscard]] std::string context_text() const { return context.value_or("?"); }
};

/// From the extended attributes; one read more where the object has any. What cannot be read
/// counts as absent: so does the context "unlabeled", as for coreutils.
[[nodiscard]] SecurityMarks security_marks(const reader::Image& image, const reader::Node& node);

}  // namespace dgfs::tools
