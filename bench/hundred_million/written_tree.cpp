// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/hundred_million/written_tree.h"

#include <algorithm>

#include "format/entry/mode.h"
#include "storage/mix.h"

namespace dgfs::bench {
namespace {

struct Writing {
  const GeneratedTree& tree;
  const FillContents& fill;
};

Status write_attributes(const GeneratedTree& tree, const Place& place, std::string_view name,
                        storage::Directory& directory) {
  const auto status = tree.status(place);
  DGFS_CHECK(directory.set_mode(name, status.mode & format::kPermissionMask));
  DGFS_CHECK(directory.set_owner(name, status.uid, status.gid));
  return directory.set_times(name, std::nullopt, status.modify_time);
}

Status write_file(const Writing& writing, std::uint64_t number, std::string_view name,
                  storage::Directory& directory) {
  Buffer contents(static_cast<std::size_t>(writing.tree.size_of_file(number)));
  writing.fill(number, contents);
  DGFS_TRY(file, directory.create_file(name, 0644));
  return file->write_at(0, contents);
}

Status write_children(const Writing& writing, const Place& place, storage::Directory& directory) {
  const auto first = writing.tree.first_child(place);
  for (auto number = first; number < first + writing.tree.child_count(place); ++number) {
    const Place child{place.level + 1, number};
    std::string name;
    writing.tree.append_name(child, name);
    if (child.level == kFileLevel) {
      DGFS_CHECK(write_file(writing, number, name, directory));
    } else {
      DGFS_CHECK(directory.make_directory(name, 0755));
      DGFS_TRY(opened, directory.open_directory(name));
      DGFS_CHECK(write_children(writing, child, *opened));
    }
    DGFS_CHECK(write_attributes(writing.tree, child, name, directory));
  }
  return ok();
}

}  // namespace

FillContents zero_contents() {
  return [](std::uint64_t, MutableBytes contents) {
    std::fill(contents.begin(), contents.end(), std::uint8_t{0});
  };
}

FillContents noise_contents(std::uint64_t seed) {
  return [seed](std::uint64_t file_number, MutableBytes contents) {
    const auto start = storage::mix(seed, file_number);
    for (std::size_t at = 0; at < contents.size(); at += sizeof(std::uint64_t)) {
      const auto bits = storage::mix(start, at);
      const auto length = std::min(sizeof(bits), contents.size() - at);
      for (std::size_t i = 0; i < length; ++i) {
        contents[at + i] = static_cast<std::uint8_t>(bits >> (8 * i));
      }
    }
  };
}

Status write_tree(const GeneratedTree& tree, storage::Env& env, const std::string& path,
                  const FillContents& fill) {
  DGFS_CHECK(env.make_directory(path, 0755));
  DGFS_TRY(root, env.open_directory(path));
  DGFS_CHECK(write_children({tree, fill}, {}, *root));
  return write_attributes(tree, {}, {}, *root);
}

}  // namespace dgfs::bench
