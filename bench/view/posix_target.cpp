// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree of a kernel file system, used by system calls on open directories.
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "bench/view/target.h"

namespace dgfs::bench {
namespace {

Status done(int result, const std::string& name) {
  if (result == 0) return ok();
  return Error(ErrorKind::kIo, 9031, std::strerror(errno)).in_file(name);
}

// Each directory needs one.
void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class PosixTarget final : public Target {
 public:
  PosixTarget(int root, int below, const TargetOptions& options)
      : root_(root),
        below_(below),
        may_freeze_(options.may_freeze),
        drops_pages_(options.drops_pages) {}
  ~PosixTarget() override {
    for (const int fd : directories_) ::close(fd);
    if (below_ >= 0) ::close(below_);
    ::close(root_);
  }

  Result<Handle> directory(const std::string& path) override {
    const int fd = openat(root_, path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY);
    DGFS_CHECK(done(fd < 0 ? -1 : 0, path));
    directories_.push_back(fd);
    return static_cast<Handle>(fd);
  }

  Result<bool> has(Handle directory, const std::string& name) override {
    struct stat status {};
    if (fstatat(fd_of(directory), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return true;
    if (errno == ENOENT) return false;
    return done(-1, name).error();
  }

  // Opens a new stream, because the directory may have been listed before.
  Result<std::uint64_t> list(Handle directory) override {
    const int fd = openat(fd_of(directory), ".", O_RDONLY | O_DIRECTORY);
    DIR* const stream = fd < 0 ? nullptr : fdopendir(fd);
    if (stream == nullptr) return done(-1, ".").error();
    std::uint64_t count = 0;
    Status status = ok();
    while (const dirent* entry = readdir(stream)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat attributes {};
      status = done(fstatat(fd, entry->d_name, &attributes, AT_SYMLINK_NOFOLLOW), entry->d_name);
      if (!status) break;
      ++count;
    }
    closedir(stream);
    DGFS_CHECK(status);
    return count;
  }

  Result<Handle> file(Handle directory, const std::string& name) override {
    const int fd = openat(fd_of(directory), name.c_str(), O_RDWR);
    DGFS_CHECK(done(fd < 0 ? -1 : 0, name));
    return static_cast<Handle>(fd);
  }
  void close_file(Handle file) override { ::close(fd_of(file)); }
  Status read(Handle file, std::uint64_t offset_bytes, MutableBytes out) override {
    const auto read = pread(fd_of(file), out.data(), out.size(), static_cast<off_t>(offset_bytes));
    return done(read == static_cast<ssize_t>(out.size()) ? 0 : -1, "read");
  }
  Status write(Handle file, std::uint64_t offset_bytes, Bytes bytes) override {
    const auto written =
        pwrite(fd_of(file), bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
    return done(written == static_cast<ssize_t>(bytes.size()) ? 0 : -1, "write");
  }
  Status append(Handle file, Bytes bytes) override {
    const iovec whole{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
    const auto written = pwritev2(fd_of(file), &whole, 1, 0, RWF_APPEND);
    return done(written == static_cast<ssize_t>(bytes.size()) ? 0 : -1, "append");
  }

  Status create(Handle directory, const std::string& name) override {
    return done(mknodat(fd_of(directory), name.c_str(), S_IFREG | 0644, 0), name);
  }
  Status make_directory(Handle directory, const std::string& name) override {
    return done(mkdirat(fd_of(directory), name.c_str(), 0755), name);
  }
  Status change_mode(Handle directory, const std::string& name,
                     std::uint32_t permissions) override {
    return done(fchmodat(fd_of(directory), name.c_str(), permissions, 0), name);
  }
  // There is no such call with a directory; the path through /proc needs no open of the file.
  Status set_xattr(Handle directory, const std::string& name, const std::string& xattr,
                   Bytes value) override {
    const auto path = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
    return done(::setxattr(path.c_str(), xattr.c_str(), value.data(), value.size(), 0), name);
  }
  Status link(Handle from, const std::string& name, Handle to,
              const std::string& new_name) override {
    return done(linkat(fd_of(from), name.c_str(), fd_of(to), new_name.c_str(), 0), name);
  }
  Status rename(Handle from, const std::string& name, Handle to,
                const std::string& new_name) override {
    return done(renameat(fd_of(from), name.c_str(), fd_of(to), new_name.c_str()), name);
  }
  Status unlink(Handle directory, const std::string& name) override {
    return done(unlinkat(fd_of(directory), name.c_str(), 0), name);
  }
  // The kernel sends cached writes to a FUSE mount, but does not wait for them. So this also syncs
  // a file that is written after all of them, which takes as long as the last one.
  Status sync() override {
    DGFS_CHECK(done(syncfs(root_), "."));
    const int fd = openat(root_, ".synced", O_CREAT | O_WRONLY, 0644);
    DGFS_CHECK(done(fd < 0 ? -1 : 0, ".synced"));
    const char byte = 0;
    const bool is_synced = pwrite(fd, &byte, 1, 0) == 1 && fsync(fd) == 0;
    const auto status = done(is_synced ? 0 : -1, ".synced");
    ::close(fd);
    DGFS_CHECK(status);
    return done(below_ < 0 ? 0 : syncfs(below_), "below");
  }

  // Freezing the file system empties its journal.
  Status settle() override {
    DGFS_CHECK(sync());
    if (drops_pages_) {
      const int fd = ::open("/proc/sys/vm/drop_caches", O_WRONLY);
      const bool are_dropped = fd >= 0 && ::write(fd, "1", 1) == 1;
      const auto status = done(are_dropped ? 0 : -1, "drop_caches");
      if (fd >= 0) ::close(fd);
      DGFS_CHECK(status);
    }
    if (!may_freeze_) return ok();
    DGFS_CHECK(done(ioctl(root_, FIFREEZE, 0), "."));
    return done(ioctl(root_, FITHAW, 0), ".");
  }

 private:
  static int fd_of(Handle directory) { return static_cast<int>(directory); }

  const int root_;
  const int below_;  ///< -1: none
  const bool may_freeze_;
  const bool drops_pages_;
  std::vector<int> directories_;
};

}  // namespace

Result<std::unique_ptr<Target>> open_posix(const TargetOptions& options) {
  allow_many_descriptors();
  const auto path = tree_path(options.directory);
  const int root = ::open(path.c_str(), O_RDONLY | O_DIRECTORY);
  DGFS_CHECK(done(root < 0 ? -1 : 0, path));
  const int below =
      options.below.empty() ? -1 : ::open(options.below.c_str(), O_RDONLY | O_DIRECTORY);
  DGFS_CHECK(done(!options.below.empty() && below < 0 ? -1 : 0, options.below));
  return std::make_unique<PosixTarget>(root, below, options);
}

}  // namespace dgfs::bench
