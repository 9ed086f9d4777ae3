// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The cases of an OperationMaker about objects, not names.
#include <algorithm>
#include <array>

#include "format/limits.h"
#include "tests/delta/view/model/operation_maker.h"

namespace dgfs::test {

OperationMaker::Made OperationMaker::attributes() {
  return on_object(Verb::kAttributes, some_object());
}

OperationMaker::Made OperationMaker::set_permissions() {
  const auto id = find([](const ModelObject& o) { return !format::is_symlink(o.attributes.mode); });
  auto operation = on_object(Verb::kSetAttributes, *id);
  operation.change.permissions = permissions(format::kPermissionMask);
  return operation;
}

OperationMaker::Made OperationMaker::set_owner() {
  if (limits_.who) return std::nullopt;
  const auto has_bits = find([](const ModelObject& o) {
    return (o.attributes.mode & 06000) != 0 || o.xattrs.contains("security.capability");
  });
  const bool takes_bits = has_bits && random_.one_in(2);
  auto operation = on_object(Verb::kSetAttributes, takes_bits ? *has_bits : some_object());
  const view::Credentials owner = who();
  if (random_.one_in(2)) operation.change.uid = owner.uid;
  if (random_.one_in(2) || !operation.change.uid) operation.change.gid = owner.gid;
  return operation;
}

OperationMaker::Made OperationMaker::set_times() {
  auto operation = on_object(Verb::kSetAttributes, some_object());
  if (random_.one_in(2)) operation.change.mtime = time();
  if (random_.one_in(2) || !operation.change.mtime) operation.change.atime = time();
  return operation;
}

OperationMaker::Made OperationMaker::set_wrong_attributes() {
  auto operation = on_object(Verb::kSetAttributes, directory());
  if (limits_.has_invalid_names && random_.one_in(2)) {
    operation.change.permissions = format::kPermissionMask + 1;  // chmod(2) drops the excess bits
  } else {
    (random_.one_in(2) ? operation.change.mtime : operation.change.atime) =
        Time{1, static_cast<std::uint32_t>(format::kNanosecondsEnd)};
  }
  return operation;
}

OperationMaker::Made OperationMaker::read_link() {
  const auto symlink =
      find([](const ModelObject& o) { return format::is_symlink(o.attributes.mode); });
  return on_object(Verb::kReadLink, symlink && !random_.one_in(4) ? *symlink : some_object());
}

OperationMaker::Made OperationMaker::paths() {
  const auto linked = find([](const ModelObject& o) { return o.places.size() > 1; });
  return on_object(Verb::kPaths, linked && random_.one_in(2) ? *linked : some_object());
}

OperationMaker::Made OperationMaker::release() { return on_object(Verb::kRelease, some_object()); }

OperationMaker::Made OperationMaker::release_unnamed() {
  const auto id = find([](const ModelObject& o) { return o.attributes.link_count == 0; });
  if (!id) return std::nullopt;
  return on_object(Verb::kRelease, *id);
}

OperationMaker::Made OperationMaker::xattr() {
  const auto rich = find([](const ModelObject& o) { return !o.xattrs.empty(); });
  auto operation = on_object(Verb::kXattr, rich && !random_.one_in(4) ? *rich : some_object());
  const auto name = xattr_name(operation.object);
  if (!name) return std::nullopt;
  operation.xattr = *name;
  return operation;
}

OperationMaker::Made OperationMaker::xattr_names() {
  if (!limits_.has_xattrs) return std::nullopt;
  return on_object(Verb::kXattrNames, some_object());
}

OperationMaker::Made OperationMaker::set_xattr() {
  auto operation = on_object(Verb::kSetXattr, some_object());
  const auto name = xattr_name(operation.object);
  if (!name) return std::nullopt;
  operation.xattr = *name;
  operation.xattr_mode = static_cast<view::XattrMode>(random_.below(3));
  const auto bytes_max = std::size_t{1} << random_.below(17);
  operation.value = random_.bytes(random_.below(std::min(bytes_max, limits_.value_bytes_max) + 1));
  return operation;
}

OperationMaker::Made OperationMaker::set_capability() {
  if (!limits_.has_xattrs || !limits_.has_all_xattrs) return std::nullopt;
  const auto id = find([](const ModelObject& o) { return format::is_regular(o.attributes.mode); });
  if (!id) return std::nullopt;
  auto operation = on_object(Verb::kSetXattr, *id);
  operation.xattr = "security.capability";
  // The kernel accepts this form (vfs_cap_data of linux/capability.h): version 2, without a flag.
  operation.value.resize(20);
  operation.value[3] = 2;
  operation.value[4] = static_cast<std::uint8_t>(random_.below(256));
  return operation;
}

OperationMaker::Made OperationMaker::remove_xattr() {
  const auto rich = find([](const ModelObject& o) { return !o.xattrs.empty(); });
  if (!rich || !limits_.has_xattrs) return std::nullopt;
  auto operation = on_object(Verb::kRemoveXattr, *rich);
  const auto& xattrs = object(*rich).xattrs;
  const auto name = xattr_name(operation.object);
  operation.xattr = name && random_.one_in(3) ? *name : xattrs.begin()->first;
  return operation;
}

OperationMaker::Made OperationMaker::wrong_xattr() {
  if (!limits_.has_xattrs) return std::nullopt;
  constexpr std::array kVerbs = {Verb::kXattr, Verb::kSetXattr, Verb::kRemoveXattr};
  auto operation = on_object(kVerbs.at(random_.below(kVerbs.size())), directory());
  switch (random_.below(4)) {
    case 0:
      operation.xattr = "other.a";
      break;
    case 1:
      operation.xattr = "user." + std::string(format::kXattrNameBytesMax - 4, 'x');
      break;
    case 2:
      break;  // an empty value
    default:
      operation.verb = Verb::kSetXattr;
      operation.xattr = "user.a";
      operation.value.resize(format::kXattrValueBytesMax + 1);
  }
  return operation;
}

OperationMaker::Made OperationMaker::list() {
  const ModelId in = directory();
  auto operation = on_object(Verb::kList, in);
  if (random_.one_in(3)) operation.name = name_in(in);
  return operation;
}

}  // namespace dgfs::test
