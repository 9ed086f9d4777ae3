// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A FUSE server that adds nothing: what is asked of the mount is asked of a directory below. It is
// the floor under every file system that is served like DGFS, for bench/read and bench/compare.
// Read-only unless --write is given; names and attributes hold for ever, listings come with
// attributes, the kernel keeps contents and listings, close() is not told, eight threads serve,
// contents are spliced.
//
//   dgfs_pass_through [--copy] [--write] DIRECTORY MOUNT_POINT
//
// Goes to the background once it is mounted, and ends when it is unmounted.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/pass_through/operations.h"

namespace {

using dgfs::bench::PassThrough;
using dgfs::bench::SourceTree;
using dgfs::storage::UniqueFd;

constexpr unsigned kThreadsMax = 8;

struct SessionDeleter {
  void operator()(fuse_session* session) const { fuse_session_destroy(session); }
};
struct LoopConfigDeleter {
  void operator()(fuse_loop_config* config) const { fuse_loop_cfg_destroy(config); }
};

// One for each directory and each open file.
void allow_many_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int serve(fuse_session* session) {
  const std::unique_ptr<fuse_loop_config, LoopConfigDeleter> config(fuse_loop_cfg_create());
  fuse_loop_cfg_set_clone_fd(config.get(), 1);
  fuse_loop_cfg_set_max_threads(config.get(), kThreadsMax);
  const int result = fuse_session_loop_mt(session, config.get());
  return result < 0 ? 1 : 0;
}

int mount_and_serve(PassThrough& server, const char* mount_point) {
  std::vector<const char*> texts = {"pass-through", "-odefault_permissions,allow_other",
                                    "-ofsname=pass-through"};
  if (!server.changes) texts.push_back("-oro");
  fuse_args arguments = FUSE_ARGS_INIT(0, nullptr);
  for (const auto* text : texts) fuse_opt_add_arg(&arguments, text);
  auto operations = dgfs::bench::make_pass_through_operations();
  if (server.changes) dgfs::bench::add_changes(operations);
  const std::unique_ptr<fuse_session, SessionDeleter> session(
      fuse_session_new(&arguments, &operations, sizeof operations, &server));
  fuse_opt_free_args(&arguments);
  if (!session || fuse_set_signal_handlers(session.get()) != 0 ||
      fuse_session_mount(session.get(), mount_point) != 0) {
    return 1;
  }
  const int result = fuse_daemonize(0) == 0 ? serve(session.get()) : 1;
  fuse_session_unmount(session.get());
  fuse_remove_signal_handlers(session.get());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  bool copies = false;
  bool changes = false;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    if (std::string_view(argv[at]) == "--copy") copies = true;
    if (std::string_view(argv[at]) == "--write") changes = true;
  }
  if (argc - at != 2) {
    fmt::print(stderr, "usage: {} [--copy] [--write] DIRECTORY MOUNT_POINT\n", argv[0]);
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
  PassThrough server{SourceTree(std::move(root_fd)), !copies, changes};
  return mount_and_serve(server, point.get());
}
