// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The choices of an OperationMaker. Its cases: operation_cases.cpp.
#include "tests/delta/view/model/operation_maker.h"

#include <array>
#include <iterator>

#include "format/limits.h"

namespace dgfs::test {
namespace {

constexpr ModelId kNeverGiven = ModelId{1} << 40;  // far above next_id()
constexpr std::array kNames = {"a", "b", "cc", "d.d", "-", "\xff\x80 e"};

}  // namespace

OperationMaker::OperationMaker(Random& random, const OperationLimits& limits)
    : random_(random), limits_(limits) {}

Operation OperationMaker::next(const ModelTree& tree) {
  tree_ = &tree;
  if (tree.objects().size() > limits_.objects_max && !random_.one_in(4)) return removal();
  unsigned weights = 0;
  for (const auto& one : cases()) weights += one.weight;
  while (true) {
    auto left = random_.below(weights);
    auto chosen = cases().begin();
    while (left >= chosen->weight) left -= (chosen++)->weight;
    if (Made made = (this->*chosen->make)()) {
      made->kind = chosen->kind;
      return *made;
    }
  }
}

std::vector<std::string> OperationMaker::kinds() {
  std::vector<std::string> kinds;
  for (const auto& one : cases()) kinds.emplace_back(one.kind);
  return kinds;
}

const ModelObject& OperationMaker::object(ModelId id) const { return tree_->objects().at(id); }

// Starts at a random id, and finds an object if there is a fitting one.
std::optional<ModelId> OperationMaker::find(const Wanted& wanted) {
  const auto& objects = tree_->objects();
  auto at = objects.lower_bound(random_.below(tree_->next_id()));
  for (std::size_t tries = 0; tries < objects.size(); ++tries, ++at) {
    if (at == objects.end()) at = objects.begin();
    if (wanted(at->second)) return at->first;
  }
  return std::nullopt;
}

std::optional<OperationMaker::Place> OperationMaker::find_place(const Wanted& wanted) {
  const auto id =
      find([&](const ModelObject& object) { return !object.places.empty() && wanted(object); });
  if (!id) return std::nullopt;
  const auto& places = object(*id).places;
  return *std::next(places.begin(), static_cast<std::ptrdiff_t>(random_.below(places.size())));
}

ModelId OperationMaker::directory() {
  return *find([](const ModelObject& object) {
    return format::is_directory(object.attributes.mode) && object.attributes.link_count != 0;
  });
}

ModelId OperationMaker::deep_directory() {
  ModelId deepest = directory();
  for (int tries = 0; tries < 3; ++tries) {
    const ModelId other = directory();
    if (tree_->is_within(other, deepest)) deepest = other;
  }
  return deepest;
}

ModelId OperationMaker::some_object() {
  if (random_.one_in(60)) return kNeverGiven + random_.below(8);
  if (random_.one_in(20)) {
    const ModelId id = 1 + random_.below(tree_->next_id() - 1);
    if (!tree_->objects().contains(id)) return id;  // the object has ended
  }
  return *find([](const ModelObject&) { return true; });
}

std::optional<ModelId> OperationMaker::odd_directory() {
  switch (random_.below(4)) {
    case 0:
      return kNeverGiven;
    case 1:
      return find(
          [](const ModelObject& object) { return !format::is_directory(object.attributes.mode); });
    case 2:
      return find([](const ModelObject& object) {
        return format::is_directory(object.attributes.mode) && object.attributes.link_count == 0;
      });
    default:
      const ModelId id = 1 + random_.below(tree_->next_id() - 1);
      return tree_->objects().contains(id) ? std::nullopt : std::optional(id);
  }
}

std::string OperationMaker::fresh_name() {
  if (random_.one_in(30)) {
    return std::string(format::kNameBytesMax - random_.below(2), 'n');
  }
  if (random_.one_in(8)) return "w" + std::to_string(random_.below(30));
  return kNames.at(random_.below(kNames.size()));
}

std::string OperationMaker::name_in(ModelId directory) {
  const auto& names = object(directory).names;
  if (names.empty() || random_.one_in(3)) return fresh_name();
  return std::next(names.begin(), static_cast<std::ptrdiff_t>(random_.below(names.size())))->first;
}

std::string OperationMaker::bad_name() {
  switch (random_.below(limits_.has_invalid_names ? 6 : 3)) {
    case 0:
      return std::string(format::kNameBytesMax + 1, 'n');
    case 1:
      return ".";
    case 2:
      return "..";
    case 3:
      return "";
    case 4:
      return "a/b";
    default:
      return {"a\0b", 3};
  }
}

std::uint32_t OperationMaker::permissions(std::uint32_t mask) {
  return (static_cast<std::uint32_t>(random_.below(010000)) & mask) | limits_.least_permissions;
}

view::Credentials OperationMaker::who() {
  constexpr std::array kUmasks = {0U, 022U, 077U, 0777U, 0027U};
  view::Credentials who;
  if (limits_.who) {
    who = *limits_.who;
  } else {
    who.uid = static_cast<std::uint32_t>(random_.below(3)) * 1000;
    who.gid = static_cast<std::uint32_t>(random_.below(3)) * 100;
  }
  who.umask = kUmasks.at(random_.below(kUmasks.size())) & ~limits_.least_permissions;
  return who;
}

Time OperationMaker::time() {
  constexpr std::array<std::int64_t, 5> kSeconds = {0, -1, 1'234'567'890, -2'000'000'000,
                                                    5'000'000'000};
  constexpr std::array kNanoseconds = {0U, 1U, 500'000'000U, 999'999'999U};
  return {kSeconds.at(random_.below(kSeconds.size())),
          kNanoseconds.at(random_.below(kNanoseconds.size()))};
}

// A name that the kernel allows for an object of this type.
std::optional<std::string> OperationMaker::xattr_name(ModelId id) {
  constexpr std::array kUser = {"user.a", "user.b", "user.c.c", "user.\xff"};
  constexpr std::array kOther = {"trusted.a", "trusted.overlay.opaque", "security.x"};
  if (!limits_.has_xattrs) return std::nullopt;
  const auto found = tree_->objects().find(id);
  const auto mode = found == tree_->objects().end() ? 0 : found->second.attributes.mode;
  const bool may_be_user = mode == 0 || format::is_regular(mode) || format::is_directory(mode);
  if (may_be_user && limits_.has_long_xattr_names && random_.one_in(8)) {
    return "user." + std::string(format::kXattrNameBytesMax - 5 - random_.below(2), 'x');
  }
  if (may_be_user && (!limits_.has_all_xattrs || !random_.one_in(3))) {
    return kUser.at(random_.below(kUser.size()));
  }
  if (!limits_.has_all_xattrs) return std::nullopt;
  return kOther.at(random_.below(kOther.size()));
}

Operation OperationMaker::on_name(Verb verb, ModelId directory, std::string name) {
  Operation operation;
  operation.verb = verb;
  operation.directory = directory;
  operation.name = std::move(name);
  if (verb == Verb::kCreate || verb == Verb::kMakeDirectory || verb == Verb::kMakeSymlink) {
    operation.who = who();
  }
  return operation;
}

Operation OperationMaker::on_object(Verb verb, ModelId id) {
  Operation operation;
  operation.verb = verb;
  operation.object = id;
  return operation;
}

Operation OperationMaker::renamed(const Place& from, ModelId to, std::string new_name) {
  Operation operation = on_name(Verb::kRename, from.first, from.second);
  operation.to = to;
  operation.new_name = std::move(new_name);
  return operation;
}

Operation OperationMaker::removal() {
  const ModelId id = *find([](const ModelObject& object) {
    return object.attributes.link_count == 0 || (!object.places.empty() && object.names.empty());
  });
  Operation operation;
  if (object(id).places.empty()) {
    operation = on_object(Verb::kRelease, id);
  } else {
    const bool is_directory = format::is_directory(object(id).attributes.mode);
    const auto& [directory, name] = *object(id).places.begin();
    operation = on_name(is_directory ? Verb::kRemoveDirectory : Verb::kUnlink, directory, name);
  }
  operation.kind = "removal";
  return operation;
}

}  // namespace dgfs::test
