// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/xattr_reader.h"

#include <algorithm>
#include <string_view>

#include "format/entry/access_list.h"
#include "format/limits.h"
#include "format/section/xattr_set.h"

namespace dgfs::builder {
namespace {

bool fits(const Xattr& xattr) {
  return !xattr.name.empty() && xattr.name.size() <= format::kXattrNameBytesMax &&
         xattr.value.size() <= format::kXattrValueBytesMax;
}

}  // namespace

Result<Buffer> encode_source_xattrs(const std::vector<Xattr>& xattrs) {
  Buffer set;
  if (xattrs.empty()) return set;
  std::size_t names_bytes = 0;
  for (const Xattr& xattr : xattrs) names_bytes += xattr.name.size() + 1;
  if (names_bytes > format::kXattrListBytesMax ||
      !std::all_of(xattrs.begin(), xattrs.end(), fits)) {
    return Error(ErrorKind::kLimit, 4020, "extended attributes exceed the format's limits");
  }
  format::encode_xattr_set(xattrs, set);
  return set;
}

bool holds_acl(Bytes encoded_set) {
  const auto xattrs = format::decode_xattr_set(encoded_set);
  return xattrs.has_value() &&
         std::any_of(xattrs.value().begin(), xattrs.value().end(),
                     [](const Xattr& xattr) { return format::is_access_list_xattr(xattr.name); });
}

}  // namespace dgfs::builder
