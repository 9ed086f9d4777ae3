// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/statistics/request_counters.h"

namespace dgfs::fuse {
namespace {

constexpr std::array<std::string_view, kRequestKinds> kNames = {
    "lookup",
    "forget",
    "get attributes",
    "read link",
    "open",
    "read",
    "seek",
    "open directory",
    "read directory",
    "read directory with attributes",
    "get xattr",
    "list xattrs",
    "file system status",
    "set attributes",
    "create",
    "make node",
    "make directory",
    "make symlink",
    "link",
    "unlink",
    "remove directory",
    "rename",
    "release",
    "write",
    "sync",
    "allocate",
    "copy range",
    "release directory",
    "sync directory",
    "set xattr",
    "remove xattr",
};

}  // namespace

std::string_view request_name(Request request) { return kNames[static_cast<std::size_t>(request)]; }

std::uint64_t RequestCounters::answered() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& cell : cells_) sum += load(cell.count);
  return sum - of(Request::kForget);
}

}  // namespace dgfs::fuse
