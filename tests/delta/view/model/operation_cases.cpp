// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The cases of an OperationMaker: each makes an operation of one kind.
#include <array>

#include "format/limits.h"
#include "tests/delta/view/model/operation_maker.h"

namespace dgfs::test {
namespace {

constexpr std::uint32_t kDirectoryPermissions = 01777;  // mkdir(2) drops the other bits
constexpr std::uint32_t kAllPermissions = 07777;

bool is_directory(const ModelObject& object) {
  return format::is_directory(object.attributes.mode);
}
bool is_file(const ModelObject& object) { return !is_directory(object); }
bool is_anything(const ModelObject&) { return true; }

}  // namespace

const std::vector<OperationMaker::Case>& OperationMaker::cases() {
  using Maker = OperationMaker;
  static const std::vector<Case> cases = {
      {"lookup", 4, &Maker::lookup},
      {"lookup of dots", 2, &Maker::lookup_of_dots},
      {"create a file", 8, &Maker::create_file},
      {"create a special file", 3, &Maker::create_special},
      {"create a wrong type", 1, &Maker::create_wrong_type},
      {"create without a name", 2, &Maker::create_unnamed},
      {"make a directory", 6, &Maker::make_directory},
      {"make a deep directory", 5, &Maker::make_deep_directory},
      {"make a symlink", 3, &Maker::make_symlink},
      {"make a symlink to nowhere", 1, &Maker::make_bad_symlink},
      {"link", 5, &Maker::link},
      {"link something without a name", 3, &Maker::link_unnamed},
      {"link a directory", 1, &Maker::link_directory},
      {"unlink", 5, &Maker::unlink},
      {"unlink a directory", 1, &Maker::unlink_directory},
      {"remove a directory", 3, &Maker::remove_directory},
      {"remove an empty directory", 3, &Maker::remove_empty_directory},
      {"remove a file as directory", 1, &Maker::remove_file_as_directory},
      {"rename", 8, &Maker::rename},
      {"rename without replacing", 3, &Maker::rename_without_replacing},
      {"exchange", 4, &Maker::exchange},
      {"exchange and leave a whiteout", 1, &Maker::exchange_with_whiteout},
      {"rename and leave a whiteout", 2, &Maker::rename_with_whiteout},
      {"rename onto itself", 1, &Maker::rename_onto_itself},
      {"rename onto a link of itself", 2, &Maker::rename_onto_link_of_itself},
      {"rename into itself", 2, &Maker::rename_into_itself},
      {"rename onto an ancestor", 2, &Maker::rename_onto_ancestor},
      {"exchange with an ancestor", 1, &Maker::exchange_with_ancestor},
      {"rename over a directory", 3, &Maker::rename_over_directory},
      {"rename a directory far", 4, &Maker::rename_far},
      {"attributes", 3, &Maker::attributes},
      {"set permissions", 3, &Maker::set_permissions},
      {"set the owner", 3, &Maker::set_owner},
      {"set times", 2, &Maker::set_times},
      {"set wrong attributes", 1, &Maker::set_wrong_attributes},
      {"read a link", 2, &Maker::read_link},
      {"paths", 3, &Maker::paths},
      {"release", 3, &Maker::release},
      {"release something without a name", 12, &Maker::release_unnamed},
      {"xattr", 3, &Maker::xattr},
      {"xattr names", 2, &Maker::xattr_names},
      {"set an xattr", 5, &Maker::set_xattr},
      {"set a capability", 1, &Maker::set_capability},
      {"remove an xattr", 2, &Maker::remove_xattr},
      {"wrong xattr", 1, &Maker::wrong_xattr},
      {"list", 3, &Maker::list},
      {"read", 6, &Maker::read},
      {"read what is no file", 1, &Maker::read_no_file},
      {"write", 14, &Maker::write},
      {"append", 4, &Maker::append},
      {"zero", 5, &Maker::zero},
      {"copy", 2, &Maker::copy},
      {"set the size", 6, &Maker::set_size},
      {"set the size of what is no file", 1, &Maker::set_size_of_no_file},
      {"wrong name", 4, &Maker::wrong_name},
      {"wrong directory", 4, &Maker::wrong_directory},
  };
  return cases;
}

OperationMaker::Made OperationMaker::lookup() {
  const ModelId in = directory();
  return on_name(Verb::kLookup, in, name_in(in));
}

OperationMaker::Made OperationMaker::lookup_of_dots() {
  return on_name(Verb::kLookup, directory(), random_.one_in(3) ? "." : "..");
}

OperationMaker::Made OperationMaker::create_file() {
  const ModelId in = directory();
  auto operation = on_name(Verb::kCreate, in, random_.one_in(4) ? name_in(in) : fresh_name());
  operation.made.mode = format::kTypeRegular | permissions(kAllPermissions);
  return operation;
}

OperationMaker::Made OperationMaker::create_special() {
  constexpr std::array kTypes = {format::kTypeFifo, format::kTypeSocket,
                                 format::kTypeCharacterDevice, format::kTypeBlockDevice};
  const ModelId in = directory();
  auto operation = on_name(Verb::kCreate, in, random_.one_in(4) ? name_in(in) : fresh_name());
  operation.made.mode =
      kTypes.at(random_.below(limits_.has_devices ? 4 : 2)) | permissions(kAllPermissions);
  if (format::is_device(operation.made.mode)) operation.made.rdev = 0x100 + random_.below(8);
  return operation;
}

OperationMaker::Made OperationMaker::create_wrong_type() {
  if (!limits_.has_invalid_names) return std::nullopt;  // the kernel has another call for it
  auto operation = on_name(Verb::kCreate, directory(), fresh_name());
  operation.made.mode = (random_.one_in(2) ? format::kTypeDirectory : format::kTypeSymlink) | 0755;
  return operation;
}

OperationMaker::Made OperationMaker::create_unnamed() {
  if (!limits_.has_unnamed) return std::nullopt;
  Operation operation;
  operation.verb = Verb::kCreateUnnamed;
  operation.directory = directory();
  operation.permissions = permissions(kAllPermissions);
  operation.who = who();
  return operation;
}

OperationMaker::Made OperationMaker::make_directory() {
  const ModelId in = directory();
  auto operation =
      on_name(Verb::kMakeDirectory, in, random_.one_in(4) ? name_in(in) : fresh_name());
  operation.permissions = permissions(kDirectoryPermissions);
  return operation;
}

OperationMaker::Made OperationMaker::make_deep_directory() {
  auto operation = on_name(Verb::kMakeDirectory, deep_directory(), fresh_name());
  operation.permissions = permissions(kDirectoryPermissions);
  return operation;
}

OperationMaker::Made OperationMaker::make_symlink() {
  const ModelId in = directory();
  auto operation = on_name(Verb::kMakeSymlink, in, random_.one_in(4) ? name_in(in) : fresh_name());
  const auto bytes = random_.one_in(8) ? format::kTargetBytesMax : 1 + random_.below(100);
  operation.target = "../" + fresh_name();
  operation.target.resize(bytes, 't');
  return operation;
}

OperationMaker::Made OperationMaker::make_bad_symlink() {
  auto operation = on_name(Verb::kMakeSymlink, directory(), fresh_name());
  if (random_.one_in(2)) operation.target.assign(format::kTargetBytesMax + 1, 't');
  return operation;
}

OperationMaker::Made OperationMaker::link() {
  const auto linked = find([](const ModelObject& o) { return is_file(o) && !o.places.empty(); });
  if (!linked) return std::nullopt;
  const ModelId in = directory();
  auto operation = on_name(Verb::kLink, in, random_.one_in(4) ? name_in(in) : fresh_name());
  operation.object = *linked;
  return operation;
}

OperationMaker::Made OperationMaker::link_unnamed() {
  const bool is_linkable = random_.one_in(2);
  const auto linked = find([&](const ModelObject& o) {
    return is_file(o) && o.places.empty() && o.is_linkable == is_linkable;
  });
  if (!linked) return std::nullopt;
  auto operation = on_name(Verb::kLink, directory(), fresh_name());
  operation.object = *linked;
  return operation;
}

OperationMaker::Made OperationMaker::link_directory() {
  const ModelId linked = directory();
  const ModelId in = directory();
  auto operation = on_name(Verb::kLink, in, name_in(in));
  operation.object = linked;
  return operation;
}

OperationMaker::Made OperationMaker::unlink() {
  if (random_.one_in(4)) return on_name(Verb::kUnlink, directory(), fresh_name());
  const auto place = find_place(is_file);
  if (!place) return std::nullopt;
  return on_name(Verb::kUnlink, place->first, place->second);
}

OperationMaker::Made OperationMaker::unlink_directory() {
  const auto place = find_place(is_directory);
  if (!place) return std::nullopt;
  return on_name(Verb::kUnlink, place->first, place->second);
}

OperationMaker::Made OperationMaker::remove_directory() {
  if (random_.one_in(4)) return on_name(Verb::kRemoveDirectory, directory(), fresh_name());
  const auto place = find_place(is_directory);
  if (!place) return std::nullopt;
  return on_name(Verb::kRemoveDirectory, place->first, place->second);
}

OperationMaker::Made OperationMaker::remove_empty_directory() {
  const auto place =
      find_place([](const ModelObject& o) { return is_directory(o) && o.names.empty(); });
  if (!place) return std::nullopt;
  return on_name(Verb::kRemoveDirectory, place->first, place->second);
}

OperationMaker::Made OperationMaker::remove_file_as_directory() {
  const auto place = find_place(is_file);
  if (!place) return std::nullopt;
  return on_name(Verb::kRemoveDirectory, place->first, place->second);
}

// Renames.

OperationMaker::Made OperationMaker::rename() {
  const ModelId from = directory();
  const ModelId to = random_.one_in(3) ? from : directory();
  return renamed({from, name_in(from)}, to, name_in(to));
}

OperationMaker::Made OperationMaker::rename_without_replacing() {
  auto operation = rename();
  operation->rename_mode = view::RenameMode::kNoReplace;
  operation->leaves_whiteout = limits_.has_whiteouts && random_.one_in(4);
  operation->who = who();
  return operation;
}

OperationMaker::Made OperationMaker::exchange() {
  auto operation = rename();
  operation->rename_mode = view::RenameMode::kExchange;
  return operation;
}

OperationMaker::Made OperationMaker::exchange_with_whiteout() {
  auto operation = exchange();
  operation->leaves_whiteout = true;
  return operation;
}

OperationMaker::Made OperationMaker::rename_with_whiteout() {
  if (!limits_.has_whiteouts) return std::nullopt;
  auto operation = rename();
  operation->leaves_whiteout = true;
  operation->who = who();
  return operation;
}

OperationMaker::Made OperationMaker::rename_onto_itself() {
  const auto place = find_place(is_anything);
  if (!place) return std::nullopt;
  auto operation = renamed(*place, place->first, place->second);
  if (random_.one_in(3)) operation.rename_mode = view::RenameMode::kExchange;
  return operation;
}

OperationMaker::Made OperationMaker::rename_onto_link_of_itself() {
  const auto id = find([](const ModelObject& o) { return o.places.size() > 1; });
  if (!id) return std::nullopt;
  const auto& places = object(*id).places;
  auto operation = renamed(*places.begin(), places.rbegin()->first, places.rbegin()->second);
  if (random_.one_in(3)) operation.rename_mode = view::RenameMode::kExchange;
  return operation;
}

OperationMaker::Made OperationMaker::rename_into_itself() {
  const ModelId to = deep_directory();
  if (to == view::kRoot) return std::nullopt;
  ModelId moved = to;
  while (tree_->parent_of(moved) != view::kRoot && !random_.one_in(3)) {
    moved = tree_->parent_of(moved);
  }
  return renamed(*object(moved).places.begin(), to, name_in(to));
}

OperationMaker::Made OperationMaker::rename_onto_ancestor() {
  const auto place =
      find_place([](const ModelObject& o) { return o.places.begin()->first != view::kRoot; });
  if (!place || place->first == view::kRoot) return std::nullopt;
  ModelId ancestor = place->first;
  while (tree_->parent_of(ancestor) != view::kRoot && !random_.one_in(3)) {
    ancestor = tree_->parent_of(ancestor);
  }
  const auto& [to, new_name] = *object(ancestor).places.begin();
  return renamed(*place, to, new_name);
}

OperationMaker::Made OperationMaker::exchange_with_ancestor() {
  auto operation = rename_onto_ancestor();
  if (operation) operation->rename_mode = view::RenameMode::kExchange;
  return operation;
}

OperationMaker::Made OperationMaker::rename_over_directory() {
  const auto moved = find_place(is_directory);
  const auto replaced = find_place([&](const ModelObject& o) {
    return is_directory(o) && (o.names.empty() || random_.one_in(20));
  });
  if (!moved || !replaced) return std::nullopt;
  return renamed(*moved, replaced->first, replaced->second);
}

OperationMaker::Made OperationMaker::rename_far() {
  const auto moved = find_place([&](const ModelObject& o) {
    return is_directory(o) && (!o.names.empty() || random_.one_in(10));
  });
  if (!moved) return std::nullopt;
  return renamed(*moved, deep_directory(), fresh_name());
}

// Any call that takes a name, which fails only because of its directory or name.
OperationMaker::Made OperationMaker::of_any_verb(ModelId directory, const std::string& name) {
  constexpr std::array kNamingVerbs = {Verb::kLookup,      Verb::kCreate, Verb::kMakeDirectory,
                                       Verb::kMakeSymlink, Verb::kUnlink, Verb::kRemoveDirectory,
                                       Verb::kLink,        Verb::kRename, Verb::kRename};
  const Verb verb = kNamingVerbs.at(random_.below(kNamingVerbs.size()));
  auto operation = on_name(verb, directory, name);
  operation.permissions = permissions(kDirectoryPermissions);
  operation.made.mode |= limits_.least_permissions;
  if (verb == Verb::kMakeSymlink) operation.target = "t";
  const auto place = find_place(is_file);
  if (verb != Verb::kLink && verb != Verb::kRename) return operation;
  if (!place) return std::nullopt;
  if (verb == Verb::kLink) {
    operation.object = object(place->first).names.at(place->second);
    return operation;
  }
  return random_.one_in(2) ? renamed(*place, directory, name)
                           : renamed({directory, name}, place->first, place->second);
}

OperationMaker::Made OperationMaker::wrong_name() { return of_any_verb(directory(), bad_name()); }

OperationMaker::Made OperationMaker::wrong_directory() {
  const auto odd = odd_directory();
  if (!odd) return std::nullopt;
  if (random_.one_in(6)) return on_object(Verb::kList, *odd);
  return of_any_verb(*odd, fresh_name());
}

}  // namespace dgfs::test
