// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A FUSE server that adds nothing: it passes each request on to a directory below. It is the floor
// of every file system that is served like DGFS, for bench/read and bench/compare. Read-only unless
// --write is given, without extended attributes unless --xattrs is given too. Names and attributes
// stay valid in the kernel, listings come with attributes, the kernel caches contents and listings,
// close() sends no request, and eight threads serve; requests come the same way as for `dgfs
// mount`.
//
//   dgfs_pass_through [--write] [--xattrs] [--transport=auto|uring|classic] DIRECTORY MOUNT_POINT
//
// Goes to the background once it is mounted, and ends when it is unmounted.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "bench/pass_through/operations.h"

namespace {

using dgfs::bench::FuseServer;
using dgfs::bench::PassThrough;
using dgfs::bench::SourceTree;
using dgfs::storage::UniqueFd;

// Each directory and each open file needs one.
void allow_many_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// False: it is not an option.
bool take_option(std::string_view text, FuseServer& server) {
  if (text == "--write") {
    server.read_only = false;
    return true;
  }
  if (text == "--xattrs") {
    dgfs::bench::add_xattrs(server.operations);
    return true;
  }
  return dgfs::bench::take_transport(text, server);
}

}  // namespace

int main(int argc, char** argv) {
  FuseServer server{"pass-through", dgfs::bench::make_pass_through_operations()};
  int at = 1;
  while (at < argc && take_option(argv[at], server)) ++at;
  if (argc - at != 2) {
    fmt::print(stderr,
               "usage: {} [--write] [--xattrs] [--transport=auto|uring|classic] DIRECTORY "
               "MOUNT_POINT\n",
               argv[0]);
    return 2;
  }
  const char* const directory = argv[argc - 2];
  UniqueFd root_fd(::open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<char, decltype(&std::free)> point(::realpath(argv[argc - 1], nullptr),
                                                          &std::free);
  if (!root_fd || !point) {
    fmt::print(stderr, "{}: {} or {}: {}\n", argv[0], directory, argv[argc - 1],
               std::strerror(errno));
    return 1;
  }
  allow_many_descriptors();
  PassThrough passed{SourceTree(std::move(root_fd)), !server.read_only};
  server.user_data = &passed;
  if (passed.changes) dgfs::bench::add_changes(server.operations);
  return mount_and_serve(server, point.get());
}
