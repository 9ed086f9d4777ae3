// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/xattr_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "format/entry/access_list.h"
#include "format/limits.h"
#include "format/section/xattr_set.h"
#include "storage/names.h"
#include "storage/source_traits.h"

namespace dgfs::builder {
namespace {

bool fits(const Xattr& xattr) {
  return !xattr.name.empty() && xattr.name.size() <= format::kXattrNameBytesMax &&
         xattr.value.size() <= format::kXattrValueBytesMax;
}

Error beyond_limits(const std::string& path) {
  return Error(ErrorKind::kLimit, 4020, "extended attributes exceed the format's limits")
      .in_file(path);
}

// Keeps the attributes that fit, in order, as long as their names fit into one list.
std::vector<Xattr> fitting(std::vector<Xattr> xattrs) {
  std::vector<Xattr> kept;
  std::size_t names_bytes = 0;
  for (Xattr& xattr : xattrs) {
    const auto bytes = xattr.name.size() + 1;
    if (!fits(xattr) || bytes > format::kXattrListBytesMax - names_bytes) continue;
    names_bytes += bytes;
    kept.push_back(std::move(xattr));
  }
  return kept;
}

Result<SourceXattrs> encode(std::vector<Xattr> all, std::vector<Error> lost, OnUnreadable how,
                            const std::string& path) {
  SourceXattrs xattrs;
  xattrs.lost = std::move(lost);
  if (all.empty()) return xattrs;
  const auto count = all.size();
  const auto kept = fitting(std::move(all));
  if (kept.size() != count) {
    if (how == OnUnreadable::kFail) return beyond_limits(path);
    xattrs.lost.push_back(beyond_limits(path));
  }
  if (!kept.empty()) format::encode_xattr_set(kept, xattrs.set);
  return xattrs;
}

}  // namespace

Result<SourceXattrs> read_source_xattrs(const storage::File& file, OnUnreadable how) {
  auto all = file.xattrs();
  if (all) return encode(std::move(all).value(), {}, how, file.path());
  if (how == OnUnreadable::kFail) return std::move(all).error();
  std::vector<Error> lost;
  auto readable = storage::readable_xattrs(file, lost);
  return encode(std::move(readable), std::move(lost), how, file.path());
}

Result<SourceXattrs> read_source_xattrs(const storage::Directory& directory, std::string_view name,
                                        OnUnreadable how) {
  const auto path = [&] {
    return name.empty() ? directory.path() : storage::join_path(directory.path(), name);
  };
  auto all = directory.xattrs(name);
  if (all && all.value().empty()) return SourceXattrs{};  // most entries: makes no path
  if (all) return encode(std::move(all).value(), {}, how, path());
  if (how == OnUnreadable::kFail) return std::move(all).error();
  std::vector<Error> lost;
  auto readable = storage::readable_xattrs(directory, name, lost);
  return encode(std::move(readable), std::move(lost), how, path());
}

bool holds_acl(Bytes encoded_set) {
  const auto xattrs = format::decode_xattr_set(encoded_set);
  return xattrs.has_value() &&
         std::any_of(xattrs.value().begin(), xattrs.value().end(),
                     [](const Xattr& xattr) { return format::is_access_list_xattr(xattr.name); });
}

}  // namespace dgfs::builder
