// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/env.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "storage/names.h"
#include "storage/posix/directory.h"
#include "storage/posix/file.h"
#include "storage/posix/os_error.h"
#include "storage/posix/publish.h"
#include "storage/posix/random.h"
#include "storage/posix/status.h"

namespace dgfs::storage {
namespace {

// O_NONBLOCK: without it, opening a FIFO would wait for a writer; regular files ignore it.
int to_flags(OpenOptions::Mode mode) {
  switch (mode) {
    case OpenOptions::Mode::kRead:
      return O_RDONLY | O_NONBLOCK;
    case OpenOptions::Mode::kReadWrite:
      return O_RDWR | O_NONBLOCK;
    case OpenOptions::Mode::kCreateNew:
      return O_RDWR | O_CREAT | O_EXCL;
  }
  return O_RDONLY;
}

Status check_holds_data(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return os_error(1058, errno, "stat", path);
  if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) return ok();
  if (S_ISDIR(status.st_mode)) {
    return Error(ErrorKind::kIsDirectory, 1059, "is a directory, not a file").in_file(path);
  }
  return Error(ErrorKind::kInvalidArgument, 1060, "is neither a regular file nor a block device")
      .in_file(path);
}

timespec read_clock(clockid_t clock) {
  timespec time{};
  static_cast<void>(::clock_gettime(clock, &time));  // cannot fail for the clocks used here
  return time;
}

class PosixEnv final : public Env {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenOptions options) override;
  Result<std::unique_ptr<File>> create_unnamed(const std::string& directory_path) override;
  Status publish(File& file, const std::string& path, std::uint32_t mode) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Result<FileStatus> status(const std::string& path) const override;
  Status make_directory(const std::string& path, std::uint32_t mode) override;
  Result<std::unique_ptr<Directory>> open_directory(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Time now() const override;
  std::uint64_t monotonic_ns() const override;
  void random(MutableBytes out) override { posix_random(out); }
  std::optional<std::string> variable(const std::string& name) const override;
  unsigned processor_count() const override;
  std::uint32_t user_id() const override { return ::geteuid(); }
  Caller caller() const override {
    Caller caller{::getuid(), ::getgid(), {}};
    const int count = ::getgroups(0, nullptr);
    caller.further_groups.resize(static_cast<std::size_t>(std::max(count, 0)));
    const int got = ::getgroups(std::max(count, 0), caller.further_groups.data());
    caller.further_groups.resize(static_cast<std::size_t>(std::max(got, 0)));
    return caller;
  }
  std::uint64_t process_id() const override { return static_cast<std::uint64_t>(::getpid()); }
};

Result<std::unique_ptr<File>> PosixEnv::open(const std::string& path, OpenOptions options) {
  DGFS_CHECK(check_no_nul(path, "path", path));
  const int flags = to_flags(options.mode) | O_CLOEXEC | O_NOCTTY;
  UniqueFd fd(retry_interrupted([&] { return ::open(path.c_str(), flags, 0666); }));
  if (!fd) return os_error(1061, errno, "open", path);
  DGFS_CHECK(check_holds_data(fd.get(), path));
  auto file = std::make_unique<PosixFile>(std::move(fd), path);
  const bool is_writable = options.mode != OpenOptions::Mode::kRead;
  if (options.direct) {
    file->try_direct(is_writable);
  } else if (options.direct_writes && is_writable) {
    file->try_direct_writes();
  }
  return file;
}

Result<std::unique_ptr<File>> PosixEnv::create_unnamed(const std::string& directory_path) {
  DGFS_CHECK(check_no_nul(directory_path, "path", directory_path));
  DGFS_TRY(file, posix_create_unnamed(directory_path));
  return std::move(file);
}

Status PosixEnv::publish(File& file, const std::string& path, std::uint32_t mode) {
  DGFS_CHECK(check_no_nul(path, "path", path));
  auto* posix_file = dynamic_cast<PosixFile*>(&file);
  if (posix_file != nullptr) return posix_publish(*posix_file, path, mode);
  return Error(ErrorKind::kInvalidArgument, 1062, "cannot publish a file of another environment")
      .in_file(path);
}

Status PosixEnv::rename(const std::string& from, const std::string& to) {
  DGFS_CHECK(check_no_nul(from, "path", from));
  DGFS_CHECK(check_no_nul(to, "path", to));
  if (::rename(from.c_str(), to.c_str()) == 0) return ok();
  return os_error(1063, errno, "rename to " + to, from);
}

Status PosixEnv::remove(const std::string& path) {
  DGFS_CHECK(check_no_nul(path, "path", path));
  if (::remove(path.c_str()) == 0) return ok();
  return os_error(1064, errno, "remove", path);
}

Result<FileStatus> PosixEnv::status(const std::string& path) const {
  DGFS_CHECK(check_no_nul(path, "path", path));
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return os_error(1065, errno, "stat", path);
  return to_file_status(status);
}

Status PosixEnv::make_directory(const std::string& path, std::uint32_t mode) {
  DGFS_CHECK(check_no_nul(path, "path", path));
  if (::mkdir(path.c_str(), mode) == 0) return ok();
  return os_error(1066, errno, "make directory", path);
}

Result<std::unique_ptr<Directory>> PosixEnv::open_directory(const std::string& path) {
  DGFS_CHECK(check_no_nul(path, "path", path));
  UniqueFd fd(
      retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!fd) return os_error(1067, errno, "open directory", path);
  return std::make_unique<PosixDirectory>(std::move(fd), path);
}

Status PosixEnv::sync_directory(const std::string& path) {
  DGFS_TRY(directory, open_directory(path));
  return directory->sync();
}

Time PosixEnv::now() const {
  const timespec time = read_clock(CLOCK_REALTIME);
  return {time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec)};
}

std::uint64_t PosixEnv::monotonic_ns() const {
  const timespec time = read_clock(CLOCK_MONOTONIC);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::optional<std::string> PosixEnv::variable(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

unsigned PosixEnv::processor_count() const {
  cpu_set_t set;
  CPU_ZERO(&set);
  // The machine has more processors than the set can hold. Then the plain number must do.
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace

std::unique_ptr<Env> make_posix_env() { return std::make_unique<PosixEnv>(); }

}  // namespace dgfs::storage
