// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Lookups in a base with and without changes, and the task that makes the changes.
#include <algorithm>
#include <vector>

#include "bench/view/tasks.h"
#include "storage/mix.h"

namespace dgfs::bench {
namespace {

constexpr std::uint64_t kRecordsOfFile = 3;   // attributes, dentry, name
constexpr std::uint64_t kFilesOfNew = 1'000;  // per new directory of a full delta

// The names of the base that lookups draw from. A value.
struct Names {
  std::string what;
  std::vector<Handle> directories;
  std::uint64_t files_each = 0;
};

Result<std::vector<Names>> names_of_base(Target& target, const BaseTree& tree) {
  DGFS_TRY(large, target.directory(kLarge));
  std::vector<Names> all{{"large directory", {large}, tree.large_files},
                         {"small, touched when full", {}, tree.small_files},
                         {"small", {}, tree.small_files}};
  for (std::uint64_t i = 0; i < tree.small_directories; ++i) {
    DGFS_TRY(small, target.directory(small_path(i)));
    all[1 + i % 2].directories.push_back(small);
  }
  return all;
}

Result<std::uint64_t> look_up_in(Target& target, const Names& names, bool is_there,
                                 const TaskOptions& options) {
  for (std::uint64_t i = 0; i < options.operations; ++i) {
    const auto chance = storage::mix(options.seed, i);
    const auto directory = names.directories[chance % names.directories.size()];
    auto name = file_name((chance >> 32) % names.files_each);
    if (!is_there) name += '+';
    DGFS_TRY(has, target.has(directory, name));
    if (has != is_there) {
      return Error(ErrorKind::kCorrupt, 9035, "a name is there that should not be, or is lost")
          .in_file(name);
    }
  }
  return options.operations;
}

}  // namespace

Status look_up(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(all, names_of_base(target, options.tree));
  for (const auto& names : all) {
    if (names.directories.empty()) continue;
    for (const bool is_there : {true, false}) {
      DGFS_CHECK(look_up_in(target, names, is_there, options));
      DGFS_CHECK(meter.measure("lookup " + std::string(is_there ? "hit, " : "miss, ") + names.what,
                               [&] { return look_up_in(target, names, is_there, options); }));
    }
  }
  return ok();
}

// Makes as many files in directories of the base as in new ones.
Status fill(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(root, target.directory(""));
  DGFS_CHECK(target.make_directory(root, "full"));
  DGFS_TRY(full, target.directory("full"));
  DGFS_TRY(all, names_of_base(target, options.tree));
  const auto& touched = all[1].directories;
  const auto files = options.records / kRecordsOfFile;
  return meter.measure("full delta: create", [&]() -> Result<std::uint64_t> {
    Handle made = 0;
    for (std::uint64_t i = 0; i < files; ++i) {
      const auto half = i / 2;
      if (i % 2 == 1) {
        DGFS_CHECK(target.create(touched[half % touched.size()], "new-" + file_name(half)));
        continue;
      }
      if (half % kFilesOfNew == 0) {
        const auto name = directory_name(half / kFilesOfNew);
        DGFS_CHECK(target.make_directory(full, name));
        DGFS_TRY(directory, target.directory("full/" + name));
        made = directory;
      }
      DGFS_CHECK(target.create(made, "new-" + file_name(half)));
    }
    return files;
  });
}

Status spread(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(root, target.directory(""));
  DGFS_CHECK(target.make_directory(root, "spread"));
  DGFS_TRY(above, target.directory("spread"));
  std::vector<Handle> directories;
  for (std::uint64_t i = 0; i < options.spread_directories; ++i) {
    DGFS_CHECK(target.make_directory(above, directory_name(i)));
    DGFS_TRY(directory, target.directory("spread/" + directory_name(i)));
    directories.push_back(directory);
  }
  DGFS_CHECK(target.settle());
  return meter.measure("create in turns", [&]() -> Result<std::uint64_t> {
    for (std::uint64_t i = 0; i < options.spread_files; ++i) {
      for (const auto directory : directories) {
        DGFS_CHECK(target.create(directory, file_name(i)));
      }
    }
    return options.spread_files * options.spread_directories;
  });
}

Status list_spread(Target& target, Meter& meter, const TaskOptions& options) {
  return meter.measure("listing with attributes, cold: a name", [&]() -> Result<std::uint64_t> {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < options.spread_directories; ++i) {
      DGFS_TRY(directory, target.directory("spread/" + directory_name(i)));
      DGFS_TRY(names, target.list(directory));
      count += names;
    }
    if (count == options.spread_directories * options.spread_files) return count;
    return Error(ErrorKind::kCorrupt, 9036, "a listing lacks names, or has too many");
  });
}

}  // namespace dgfs::bench
