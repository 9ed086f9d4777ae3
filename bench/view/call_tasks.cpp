// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Tasks of one kind of call each, in which a mount may be far from a kernel file system: reads of a
// file that was overwritten in many places, appends, attributes.
#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "bench/view/tasks.h"

namespace dgfs::bench {
namespace {

constexpr std::uint64_t kReadBytes = 128 << 10;  // as cat(1) reads
constexpr std::size_t kAppendBytes = 100;
constexpr std::size_t kXattrBytes = 20;

// Calls `call` for each file in the small directories, in order.
Status for_small_files(Target& target, Meter& meter, const BaseTree& tree, const std::string& name,
                       const std::function<Status(Handle, const std::string&)>& call) {
  return meter.measure(name, [&]() -> Result<std::uint64_t> {
    for (std::uint64_t i = 0; i < tree.small_directories; ++i) {
      DGFS_TRY(directory, target.directory(small_path(i)));
      for (std::uint64_t k = 0; k < tree.small_files; ++k) {
        DGFS_CHECK(call(directory, file_name(k)));
      }
    }
    return tree.files_of_small();
  });
}

}  // namespace

Status overwrite_pages(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(big, big_file(target));
  std::mt19937_64 engine(options.seed);
  const Buffer page(kPageBytes, 'p');
  const auto pages = options.tree.big_mib * kMib / kPageBytes;
  return meter.measure("overwrites of pages at random", [&]() -> Result<std::uint64_t> {
    for (std::uint64_t i = 0; i < options.overwrites; ++i) {
      DGFS_CHECK(target.write(big, engine() % pages * kPageBytes, page));
    }
    return options.overwrites;
  });
}

Status read_in_order(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(big, big_file(target));
  Buffer out(kReadBytes);
  return meter.measure(
      "cold sequential read after overwrites: a MiB", [&]() -> Result<std::uint64_t> {
        for (std::uint64_t at = 0; at < options.tree.big_mib * kMib; at += out.size()) {
          DGFS_CHECK(target.read(big, at, out));
        }
        return options.tree.big_mib;
      });
}

Status read_at_random(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(big, big_file(target));
  std::mt19937_64 engine(options.seed + 1);
  Buffer page(kPageBytes);
  const auto pages = options.tree.big_mib * kMib / kPageBytes;
  return meter.measure("cold reads of 4 KiB at random after overwrites",
                       [&]() -> Result<std::uint64_t> {
                         for (std::uint64_t i = 0; i < options.content_reads; ++i) {
                           DGFS_CHECK(target.read(big, engine() % pages * kPageBytes, page));
                         }
                         return options.content_reads;
                       });
}

Status append(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(root, target.directory(""));
  const std::string name = "appended";
  DGFS_CHECK(target.create(root, name));
  DGFS_TRY(file, target.file(root, name));
  const Buffer bytes(kAppendBytes, 'a');
  DGFS_CHECK(meter.measure("appends of 100 B", [&]() -> Result<std::uint64_t> {
    for (std::uint64_t i = 0; i < options.appends; ++i) {
      DGFS_CHECK(target.append(file, bytes));
    }
    return options.appends;
  }));
  target.close_file(file);
  return ok();
}

Status set_xattrs(Target& target, Meter& meter, const TaskOptions& options) {
  const Buffer value(kXattrBytes, 'v');
  return for_small_files(target, meter, options.tree, "setxattr of a file of the base",
                         [&](Handle directory, const std::string& name) {
                           return target.set_xattr(directory, name, "user.note", value);
                         });
}

Status change_modes(Target& target, Meter& meter, const TaskOptions& options) {
  return for_small_files(target, meter, options.tree, "chmod of a file of the base, in order",
                         [&](Handle directory, const std::string& name) {
                           return target.change_mode(directory, name, 0600);
                         });
}

}  // namespace dgfs::bench
