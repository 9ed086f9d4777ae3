// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/object_paths.h"

#include "delta/view/check/object_facts.h"

namespace dgfs::view {
namespace {

// A path of directories in a circle has no end.
constexpr int kLevelsMax = 1000;

}  // namespace

std::optional<std::string> ObjectPaths::path(ObjectNumber object) {
  if (object == kRoot) return "/";
  for (const NamePlace& place : names(object)) {
    if (auto found = path(place)) return found;
  }
  return std::nullopt;
}

std::optional<std::string> ObjectPaths::path(const NamePlace& place) {
  auto above = directory_path(place.directory);
  if (!above) return std::nullopt;
  return *above + "/" + place.name;
}

std::string ObjectPaths::words_of(ObjectNumber directory) {
  const auto words = "directory " + std::to_string(directory);
  const auto known = path(directory);
  return known ? words + " (" + *known + ")" : words;
}

// Without the slash at the end; "" for the root.
std::optional<std::string> ObjectPaths::directory_path(ObjectNumber directory) {
  if (directory != last_) {
    last_path_ = climb(directory);
    last_ = directory;
  }
  return last_path_;
}

std::optional<std::string> ObjectPaths::climb(ObjectNumber directory) const {
  std::string path;
  for (int level = 0; level < kLevelsMax; ++level) {
    if (directory == kRoot) return path;
    const auto record = moment_.record(directory);
    if (record && !record.value()) return std::nullopt;  // it has ended
    const auto above = names(directory);
    if (above.empty()) return std::nullopt;
    path.insert(0, "/" + above.front().name);
    directory = above.front().directory;
  }
  return std::nullopt;
}

// A message does without a path that cannot be read.
std::vector<NamePlace> ObjectPaths::names(ObjectNumber object) const {
  auto found = leading_names(moment_, object);
  return found ? std::move(found).value() : std::vector<NamePlace>();
}

}  // namespace dgfs::view
