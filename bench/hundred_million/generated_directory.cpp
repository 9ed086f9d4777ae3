// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/hundred_million/generated_directory.h"

#include <numeric>

#include "storage/names.h"

namespace dgfs::bench {

// Lists names unsorted, as file systems that hash names do, so that the builder has to sort them.
Status GeneratedDirectory::each_name(const storage::NameSink& sink) const {
  const auto count = tree_.child_count(place_);
  const auto first = tree_.first_child(place_);
  auto stride = count * 5 / 8 + 1;
  while (std::gcd(stride, count) != 1) ++stride;
  std::string name;
  for (std::uint64_t i = 0, at = 0; i < count; ++i, at = (at + stride) % count) {
    name.clear();
    tree_.append_name({place_.level + 1, first + at}, name);
    if (!sink(name)) break;
  }
  return ok();
}

Result<storage::FileStatus> GeneratedDirectory::status(std::string_view name) const {
  if (name.empty()) return tree_.status(place_);
  DGFS_TRY(place, find(name));
  return tree_.status(place);
}

Result<std::unique_ptr<storage::Directory>> GeneratedDirectory::open_directory(
    std::string_view name) const {
  DGFS_TRY(place, find(name));
  if (place.level == kFileLevel) {
    return Error(ErrorKind::kNotDirectory, 9001, "is a file").in_file(path_);
  }
  return std::make_unique<GeneratedDirectory>(tree_, place, storage::join_path(path_, name));
}

Error GeneratedDirectory::refusal() const {
  return Error(ErrorKind::kPermission, 9002, "a generated tree can only be listed").in_file(path_);
}

Result<Place> GeneratedDirectory::find(std::string_view name) const {
  const auto place = tree_.find(place_, name);
  if (place) return *place;
  return Error(ErrorKind::kNotFound, 9003, "no such name").in_file(path_);
}

}  // namespace dgfs::bench
