// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/former_tree.h"

#include <utility>

#include "delta/view/loop_guard.h"

namespace dgfs::update {

Result<FormerObject> FormerTree::find(view::ObjectNumber object,
                                      const std::optional<reader::Node>& node) const {
  const auto& layers = moment_.layers();
  FormerObject found;
  found.object = object;
  found.node = node;
  if (!found.node && layers.bottom().may_have(object)) {
    DGFS_TRY(own, layers.bottom().node(object));
    found.node = std::move(own);
  }
  found.is_untouched =
      found.node.has_value() && layers.is_untouched(view::RecordClass::kAttributes, object);
  if (found.is_untouched) {
    DGFS_TRY(record, layers.bottom().record_of(*found.node));
    found.attributes = record.attributes;
    found.may_have_xattrs = found.node->xattrs.present();
    return found;
  }
  DGFS_TRY(record, moment_.needed_record(object));
  found.attributes = record.attributes;
  found.may_have_xattrs =
      view::may_have_xattrs(record) || (found.node && found.node->xattrs.present());
  return found;
}

Result<std::optional<FormerObject>> FormerTree::find(view::ObjectNumber directory,
                                                     std::string_view name) const {
  DGFS_TRY(state, moment_.name(directory, name));
  if (!state.dentry) return std::optional<FormerObject>();
  DGFS_TRY(found, find(state.dentry->object, state.node));
  return std::optional(std::move(found));
}

Result<std::vector<Xattr>> FormerTree::xattrs(const FormerObject& found) const {
  std::vector<Xattr> xattrs;
  if (!found.may_have_xattrs) return xattrs;
  if (found.is_untouched) return moment_.layers().bottom().image().xattrs(*found.node);
  DGFS_TRY(names, moment_.xattr_names(found.object));
  for (std::string& name : names) {
    DGFS_TRY(value, moment_.xattr(found.object, name));
    if (!value) continue;
    const Bytes bytes = as_bytes(*value);
    xattrs.push_back({std::move(name), Buffer(bytes.begin(), bytes.end())});
  }
  return xattrs;
}

Result<std::string> FormerTree::target(const FormerObject& found) const {
  if (found.is_untouched) return moment_.layers().bottom().image().read_link(*found.node);
  return moment_.target(found.object);
}

Result<std::string> FormerTree::path_of(view::ObjectNumber directory) const {
  std::string path;
  view::LoopGuard guard;
  while (directory != view::kRoot) {
    DGFS_CHECK(guard.pass(directory));
    DGFS_TRY(places, moment_.names(directory));
    if (places.empty()) {
      return Error(ErrorKind::kCorrupt, 7672, "a directory has no name").in_section("delta");
    }
    path = path.empty() ? places.front().name : places.front().name + "/" + path;
    directory = places.front().directory;
  }
  return path;
}

std::unique_ptr<Content> FormerTree::content(view::ObjectNumber file) const {
  return std::make_unique<ViewContent<view::ContentReader, view::DataSeek>>(reader_, seek_, file);
}

}  // namespace dgfs::update
