// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A FUSE server that has everything in memory, so that its answers take almost no time: the floor
// of every file system that is served like DGFS, for bench/read. Read-only; it requests the same
// capabilities from the kernel as `dgfs mount`, and also leaves opens unanswered.
//
//   dgfs_memory_tree [--transport=auto|uring|classic] DIRECTORY MOUNT_POINT
//
// Reads the directory, mounts, and goes to the background; ends when it is unmounted.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>

#include "bench/fuse_server.h"
#include "bench/memory_tree/memory_tree.h"
#include "fuse/entry_list.h"

namespace {

using dgfs::bench::kForeverSeconds;
using dgfs::bench::MemoryNode;
using dgfs::bench::MemoryTree;

const MemoryTree& tree_of(fuse_req_t request) {
  return *static_cast<const MemoryTree*>(fuse_req_userdata(request));
}

fuse_entry_param entry_of(const MemoryNode& node) {
  fuse_entry_param entry{};
  entry.ino = node.attributes.st_ino;
  entry.attr = node.attributes;
  entry.attr_timeout = kForeverSeconds;
  entry.entry_timeout = kForeverSeconds;
  return entry;
}

void start(void*, fuse_conn_info* connection) { dgfs::bench::want_capabilities(*connection); }

void look_up(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const auto& names = tree_of(request).node(parent).by_name;
  const auto found = names.find(name);
  fuse_entry_param entry{};
  entry.entry_timeout = kForeverSeconds;
  if (found != names.end()) entry = entry_of(tree_of(request).node(found->second));
  fuse_reply_entry(request, &entry);
}

void forget(fuse_req_t request, fuse_ino_t, std::uint64_t) { fuse_reply_none(request); }
void forget_many(fuse_req_t request, std::size_t, fuse_forget_data*) { fuse_reply_none(request); }

void get_attributes(fuse_req_t request, fuse_ino_t number, fuse_file_info*) {
  fuse_reply_attr(request, &tree_of(request).node(number).attributes, kForeverSeconds);
}

void read_link(fuse_req_t request, fuse_ino_t number) {
  fuse_reply_readlink(request, tree_of(request).node(number).content.c_str());
}

void leave_unanswered(fuse_req_t request, fuse_ino_t, fuse_file_info*) {
  fuse_reply_err(request, ENOSYS);
}

void read_file(fuse_req_t request, fuse_ino_t number, std::size_t size_bytes, off_t offset,
               fuse_file_info*) {
  const auto& content = tree_of(request).node(number).content;
  const auto begin = std::min(static_cast<std::size_t>(offset), content.size());
  fuse_reply_buf(request, content.data() + begin, std::min(size_bytes, content.size() - begin));
}

// The offset of an entry is one more than its index; "." and ".." come first.
void read_directory_plus(fuse_req_t request, fuse_ino_t number, std::size_t size_bytes,
                         off_t offset, fuse_file_info*) {
  const auto& tree = tree_of(request);
  const auto& directory = tree.node(number);
  dgfs::fuse::EntryList list(request, size_bytes);
  auto at = static_cast<std::uint64_t>(offset);
  for (; at < 2; ++at) {
    fuse_entry_param entry{};
    entry.attr.st_ino = at == 0 ? number : directory.parent;
    entry.attr.st_mode = S_IFDIR;
    if (!list.add_plus(at == 0 ? "." : "..", entry, at + 1)) break;
  }
  for (; at >= 2 && at - 2 < directory.entries.size(); ++at) {
    const auto& [name, child] = directory.entries[at - 2];
    if (!list.add_plus(name, entry_of(tree.node(child)), at + 1)) break;
  }
  list.reply();
}

fuse_lowlevel_ops operations() {
  fuse_lowlevel_ops operations{};
  operations.init = start;
  operations.lookup = look_up;
  operations.forget = forget;
  operations.forget_multi = forget_many;
  operations.getattr = get_attributes;
  operations.readlink = read_link;
  operations.open = leave_unanswered;
  operations.read = read_file;
  operations.opendir = leave_unanswered;
  operations.readdirplus = read_directory_plus;
  return operations;
}

}  // namespace

int main(int argc, char** argv) {
  dgfs::bench::FuseServer server{"memory-tree", operations()};
  if (argc != 3 && (argc != 4 || !dgfs::bench::take_transport(argv[1], server))) {
    fmt::print(stderr, "usage: {} [--transport=auto|uring|classic] DIRECTORY MOUNT_POINT\n",
               argv[0]);
    return 2;
  }
  auto tree = MemoryTree::load(argv[argc - 2]);
  const std::unique_ptr<char, decltype(&std::free)> point(::realpath(argv[argc - 1], nullptr),
                                                          &std::free);
  if (!tree || !point) {
    fmt::print(stderr, "{}: {}\n", argv[0],
               tree ? fmt::format("no mount point {}", argv[argc - 1]) : tree.error().message());
    return 1;
  }
  server.user_data = &tree.value();
  return mount_and_serve(server, point.get());
}
