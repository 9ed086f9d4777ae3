// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The objects of a ModelTree: attributes, extended attributes, listings; and its start from an
// image.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "format/limits.h"
#include "reader/image.h"
#include "tests/delta/view/model/model_tree.h"

namespace dgfs::test {
namespace {

constexpr std::uint32_t kSetUid = 04000;
constexpr std::uint32_t kSetGidBit = 02000;
constexpr std::uint32_t kGroupExecutes = 0010;
using view::kBlockBytes;
constexpr std::string_view kCapability = "security.capability";

Answer<void> check_xattr_name(std::string_view name) {
  if (name.empty() || name.size() > format::kXattrNameBytesMax) return ErrorKind::kOutOfRange;
  for (const std::string_view prefix : {"user.", "trusted.", "security."}) {
    if (name == prefix) return ErrorKind::kInvalidArgument;
    if (name.starts_with(prefix)) return boost::outcome_v2::success();
  }
  return ErrorKind::kUnsupported;
}

bool is_time(const std::optional<Time>& time) {
  return !time || time->nanoseconds < format::kNanosecondsEnd;
}

// Returns the value; ends the program if the image cannot be read.
template <class T>
T needed(Result<T> result) {
  if (result) return std::move(result).assume_value();
  std::fprintf(stderr, "%s\n", result.assume_error().message().c_str());
  std::abort();
}

view::Attributes attributes_of(const reader::Node& node) {
  view::Attributes attributes;
  attributes.mode = node.mode;
  attributes.uid = node.uid;
  attributes.gid = node.gid;
  attributes.link_count = format::is_directory(node.mode) ? 2 : node.link_count;
  attributes.size_bytes = node.size_bytes;
  attributes.blocks = (reader::data_bytes(node) + kBlockBytes - 1) / kBlockBytes;
  attributes.rdev = node.rdev;
  attributes.mtime = node.mtime;
  attributes.ctime = node.ctime;
  attributes.atime = node.atime;
  return attributes;
}

ModelObject object_of(const reader::Image& image, const reader::Node& node) {
  ModelObject object;
  object.attributes = attributes_of(node);
  if (format::is_symlink(node.mode)) object.target = needed(image.read_link(node));
  if (format::is_regular(node.mode)) {
    Buffer bytes(static_cast<std::size_t>(node.size_bytes));
    static_cast<void>(needed(image.read(node, 0, bytes)));
    object.content = as_text(bytes);
  }
  object.blocks = object.attributes.blocks;
  for (auto& xattr : needed(image.xattrs(node))) {
    object.xattrs.emplace(std::move(xattr.name), std::move(xattr.value));
  }
  return object;
}

}  // namespace

ModelTree::ModelTree(const view::Attributes& root) {
  auto& attributes = objects_[view::kRoot].attributes;
  attributes = root;
  attributes.link_count = 2;
  attributes.children = 0;
  attributes.size_bytes = format::kPageBytes;
}

ModelTree ModelTree::of_image(const reader::Image& image) {
  ModelTree tree;
  tree.objects_.emplace(view::kRoot, object_of(image, needed(image.by_inode(view::kRoot))));
  std::vector<ModelId> pending = {view::kRoot};
  while (!pending.empty()) {
    const ModelId directory = pending.back();
    pending.pop_back();
    const Status listed = image.list_nodes(
        directory, 0, [&](const reader::ListedName& name, const reader::Node& node) {
          tree.add_image_name(directory, name.name, image, node);
          if (format::is_directory(node.mode)) pending.push_back(node.inode);
          return true;
        });
    if (!listed) needed(Result<int>(listed.assume_error()));
  }
  tree.next_id_ = tree.objects_.rbegin()->first + 1;
  return tree;
}

void ModelTree::add_image_name(ModelId directory, std::string_view name, const reader::Image& image,
                               const reader::Node& node) {
  if (!objects_.contains(node.inode)) objects_.emplace(node.inode, object_of(image, node));
  attach(directory, name, node.inode);
}

Answer<view::Attributes> ModelTree::attributes(ModelId id) const {
  DGFS_TRY(object, find(id));
  return object->attributes;
}

Answer<view::Attributes> ModelTree::set_attributes(ModelId id,
                                                   const view::AttributeChange& change) {
  DGFS_TRY(object, find(id));
  if (change.permissions.value_or(0) > format::kPermissionMask || !is_time(change.mtime) ||
      !is_time(change.atime)) {
    return ErrorKind::kInvalidArgument;
  }
  if (change.size_bytes) {
    DGFS_CHECK(check_file(id));
    resize(*object, *change.size_bytes);
  }
  auto& attributes = object->attributes;
  if ((change.uid || change.gid) && !format::is_directory(attributes.mode)) {
    object->xattrs.erase(std::string(kCapability));
    attributes.mode &= ~kSetUid;
    if ((attributes.mode & kGroupExecutes) != 0) attributes.mode &= ~kSetGidBit;
  }
  if (change.permissions) {
    attributes.mode = format::type_of(attributes.mode) | *change.permissions;
  }
  attributes.uid = change.uid.value_or(attributes.uid);
  attributes.gid = change.gid.value_or(attributes.gid);
  attributes.mtime = change.mtime.value_or(attributes.mtime);
  attributes.atime = change.atime.value_or(attributes.atime);
  attributes.ctime = now_;
  return attributes;
}

Answer<std::string> ModelTree::read_link(ModelId id) const {
  DGFS_TRY(object, find(id));
  if (!format::is_symlink(object->attributes.mode)) return ErrorKind::kInvalidArgument;
  return object->target;
}

Answer<std::vector<std::string>> ModelTree::paths(ModelId id) const {
  DGFS_TRY(object, find(id));
  if (id == view::kRoot) return std::vector<std::string>{""};
  std::vector<std::string> paths;
  for (const auto& [directory, name] : object->places) {
    std::string path = name;
    for (ModelId at = directory; at != view::kRoot; at = parent_of(at)) {
      path = objects_.at(at).places.begin()->second + "/" + path;
    }
    paths.push_back(std::move(path));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Answer<void> ModelTree::release(ModelId id) {
  const auto object = objects_.find(id);
  if (object != objects_.end() && object->second.attributes.link_count == 0) objects_.erase(object);
  return boost::outcome_v2::success();
}

void ModelTree::end_unnamed() {
  std::erase_if(objects_, [](const auto& item) { return item.second.attributes.link_count == 0; });
}

Answer<Buffer> ModelTree::xattr(ModelId id, std::string_view name) const {
  DGFS_TRY(object, find(id));
  DGFS_CHECK(check_xattr_name(name));
  const auto found = object->xattrs.find(name);
  if (found == object->xattrs.end()) return ErrorKind::kNoAttribute;
  return found->second;
}

Answer<std::vector<std::string>> ModelTree::xattr_names(ModelId id) const {
  DGFS_TRY(object, find(id));
  std::vector<std::string> names;
  for (const auto& [name, value] : object->xattrs) names.push_back(name);
  return names;
}

Answer<void> ModelTree::set_xattr(ModelId id, std::string_view name, Bytes value,
                                  view::XattrMode mode) {
  DGFS_TRY(object, find(id));
  DGFS_CHECK(check_xattr_name(name));
  if (value.size() > format::kXattrValueBytesMax) return ErrorKind::kTooLarge;
  const bool is_there = object->xattrs.contains(name);
  if (is_there && mode == view::XattrMode::kCreate) return ErrorKind::kExists;
  if (!is_there && mode == view::XattrMode::kReplace) return ErrorKind::kNoAttribute;
  std::size_t names_bytes = is_there ? 0 : name.size() + 1;
  for (const auto& [other, unused] : object->xattrs) names_bytes += other.size() + 1;
  if (names_bytes > format::kXattrListBytesMax) return ErrorKind::kNoSpace;
  object->xattrs.insert_or_assign(std::string(name), Buffer(value.begin(), value.end()));
  object->attributes.ctime = now_;
  return boost::outcome_v2::success();
}

Answer<void> ModelTree::remove_xattr(ModelId id, std::string_view name) {
  DGFS_TRY(object, find(id));
  DGFS_CHECK(check_xattr_name(name));
  const auto found = object->xattrs.find(name);
  if (found == object->xattrs.end()) return ErrorKind::kNoAttribute;
  object->xattrs.erase(found);
  object->attributes.ctime = now_;
  return boost::outcome_v2::success();
}

Answer<void> ModelTree::list(
    ModelId directory, std::string_view after,
    const std::function<bool(const view::View::ListedName&)>& visit) const {
  DGFS_CHECK(check_directory(directory));
  const auto& object = objects_.at(directory);
  for (auto at = object.names.upper_bound(after); at != object.names.end(); ++at) {
    const auto& mode = objects_.at(at->second).attributes.mode;
    if (!visit({at->first, at->second, format::type_of(mode)})) break;
  }
  return boost::outcome_v2::success();
}

}  // namespace dgfs::test
