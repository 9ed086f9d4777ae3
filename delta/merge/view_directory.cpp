// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/view_directory.h"

#include "delta/merge/nameless_name.h"
#include "delta/merge/view_entry.h"
#include "delta/merge/view_file.h"
#include "format/entry/mode.h"
#include "storage/names.h"

namespace dgfs::merge {
namespace {

// For messages: paths in the view are relative.
constexpr const char* kRootPath = "/";

}  // namespace

std::string ViewDirectory::path_of(std::string_view name) const {
  if (const auto object = nameless_object(name)) return nameless_text(*object);
  if (path_.empty()) return name.empty() ? kRootPath : std::string(name);
  return storage::join_path(path_, name);
}

Result<view::Entry> ViewDirectory::entry(std::string_view name) const {
  const auto nameless = nameless_object(name);
  if (!nameless) {
    DGFS_CHECK(storage::check_name_or_self(name, path_));
  }
  auto found = [&]() -> Result<view::Entry> {
    if (!name.empty() && !nameless) return view_.lookup(object_, name);
    const auto object = nameless.value_or(object_);
    DGFS_TRY(attributes, view_.attributes(object));
    return view::Entry{object, attributes};
  }();
  if (!found) return about(path_of(name), found.error());
  return found;
}

Status ViewDirectory::each_name(const storage::NameSink& sink) const {
  const auto listed =
      view_.list(object_, {}, [&](const view::View::ListedName& name) { return sink(name.name); });
  return listed ? ok() : Status(about(path_of({}), listed.error()));
}

Result<storage::FileStatus> ViewDirectory::status(std::string_view name) const {
  DGFS_TRY(found, entry(name));
  return status_of(found);
}

Result<std::unique_ptr<storage::Directory>> ViewDirectory::open_directory(
    std::string_view name) const {
  DGFS_CHECK(storage::check_name(name, path_));
  DGFS_TRY(found, entry(name));
  if (!format::is_directory(found.attributes.mode)) {
    return Error(ErrorKind::kNotDirectory, 7600, "not a directory").in_file(path_of(name));
  }
  return std::make_unique<ViewDirectory>(view_, found.object, path_of(name), reads_);
}

Result<std::unique_ptr<storage::File>> ViewDirectory::open_file(std::string_view name) const {
  if (!nameless_object(name)) {
    DGFS_CHECK(storage::check_name(name, path_));
  }
  DGFS_TRY(found, entry(name));
  if (!format::is_regular(found.attributes.mode)) {
    const bool is_link = format::is_symlink(found.attributes.mode);
    return Error(is_link ? ErrorKind::kLoop : ErrorKind::kInvalidArgument, 7601,
                 "not a regular file")
        .in_file(path_of(name));
  }
  return std::make_unique<ViewFile>(view_, found.object, path_of(name), reads_);
}

Result<std::string> ViewDirectory::read_link(std::string_view name) const {
  DGFS_TRY(found, entry(name));
  auto target = view_.read_link(found.object);
  if (!target) return about(path_of(name), target.error());
  return target;
}

Result<std::vector<Xattr>> ViewDirectory::xattrs(std::string_view name) const {
  DGFS_TRY(found, entry(name));
  auto xattrs = xattrs_of(view_, found.object);
  if (!xattrs) return about(path_of(name), xattrs.error());
  return xattrs;
}

}  // namespace dgfs::merge
