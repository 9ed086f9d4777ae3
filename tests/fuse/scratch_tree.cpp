// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/fuse/scratch_tree.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

namespace dgfs::test {
namespace {

void must(bool done, const std::string& what) {
  if (done) return;
  std::perror(what.c_str());
  std::abort();
}

}  // namespace

ScratchTree::ScratchTree() {
  std::string pattern = (std::filesystem::temp_directory_path() / "dgfs-fuse-XXXXXX").string();
  must(::mkdtemp(pattern.data()) != nullptr, "mkdtemp");
  root_ = pattern;
}

ScratchTree::~ScratchTree() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

std::string ScratchTree::path(std::string_view name) const {
  return name.empty() ? root_ : root_ + "/" + std::string(name);
}

void ScratchTree::open_to_all() const { must(::chmod(root_.c_str(), 0755) == 0, "chmod"); }

void ScratchTree::directory(const std::string& name, mode_t mode) const {
  must(::mkdir(path(name).c_str(), mode) == 0, "mkdir " + name);
  must(::chmod(path(name).c_str(), mode) == 0, "chmod " + name);
}

void ScratchTree::file(const std::string& name, std::string_view content, mode_t mode) const {
  const int fd = ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  must(fd >= 0, "open " + name);
  must(::close(fd) == 0, "close");
  write_at(name, content, 0);
  must(::chmod(path(name).c_str(), mode) == 0, "chmod " + name);
}

void ScratchTree::write_at(const std::string& name, std::string_view content, off_t offset) const {
  const int fd = ::open(path(name).c_str(), O_WRONLY);
  must(fd >= 0, "open " + name);
  const auto written = ::pwrite(fd, content.data(), content.size(), offset);
  must(written == static_cast<ssize_t>(content.size()), "pwrite " + name);
  must(::close(fd) == 0, "close");
}

void ScratchTree::symlink(const std::string& name, const std::string& target) const {
  must(::symlink(target.c_str(), path(name).c_str()) == 0, "symlink " + name);
}

void ScratchTree::hard_link(const std::string& name, const std::string& existing) const {
  must(::link(path(existing).c_str(), path(name).c_str()) == 0, "link " + name);
}

void ScratchTree::node(const std::string& name, mode_t mode, dev_t device) const {
  must(::mknod(path(name).c_str(), mode, device) == 0, "mknod " + name);
}

void ScratchTree::xattr(const std::string& name, const std::string& key,
                        std::string_view value) const {
  must(::lsetxattr(path(name).c_str(), key.c_str(), value.data(), value.size(), 0) == 0,
       "setxattr " + key);
}

void ScratchTree::owner(const std::string& name, uid_t uid, gid_t gid) const {
  must(::lchown(path(name).c_str(), uid, gid) == 0, "chown " + name);
}

void ScratchTree::modified(const std::string& name, std::int64_t seconds, long nanoseconds) const {
  const timespec times[2] = {{0, 0}, {seconds, nanoseconds}};
  must(::utimensat(AT_FDCWD, path(name).c_str(), times, AT_SYMLINK_NOFOLLOW) == 0,
       "utimensat " + name);
}

std::string noise(std::size_t size_bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string out(size_bytes, '\0');
  for (auto& byte : out) byte = static_cast<char>(random());
  return out;
}

std::string slurp(const std::string& path, int* failure) {
  if (failure != nullptr) *failure = 0;
  std::string out;
  const int fd = ::open(path.c_str(), O_RDONLY);
  if (fd < 0) {
    if (failure != nullptr) *failure = errno;
    return out;
  }
  char buffer[32768];
  ssize_t count = 0;
  while ((count = ::read(fd, buffer, sizeof buffer)) > 0) {
    out.append(buffer, static_cast<std::size_t>(count));
  }
  if (count < 0 && failure != nullptr) *failure = errno;
  ::close(fd);
  return out;
}

struct stat lstat_of(const std::string& path) {
  struct stat out {};
  must(::lstat(path.c_str(), &out) == 0, "lstat " + path);
  return out;
}

}  // namespace dgfs::test
