// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/ls/security_marks.h"

#include <algorithm>

#include "format/entry/access_list.h"

namespace dgfs::tools {
namespace {

/// libselinux reads contexts as C strings: up to the first NUL.
std::optional<std::string> context_in(Bytes value) {
  const std::string_view text = as_text(value);
  std::string context(text.substr(0, text.find('\0')));
  if (text.empty() || context == "unlabeled") return std::nullopt;
  return context;
}

}  // namespace

SecurityMarks security_marks(const reader::Image& image, const reader::Node& node) {
  if (!node.xattrs.present()) return {};
  const Result<std::vector<Xattr>> xattrs = image.xattrs(node);
  if (!xattrs) return {};
  SecurityMarks marks;
  for (const Xattr& xattr : xattrs.value()) {
    marks.has_acl |= format::is_access_list_xattr(xattr.name);
    if (xattr.name == "security.selinux") marks.context = context_in(xattr.value);
  }
  return marks;
}

}  // namespace dgfs::tools
