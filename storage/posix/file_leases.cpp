// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/file_leases.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

#include "storage/posix/blocked_signals.h"
#include "storage/posix/file.h"

namespace dgfs::storage {
namespace {

// The kernel sends it to the thread alone, which has it blocked. The C library, libfuse and this
// program use no signal of that number for anything else.
int lease_signal() { return SIGRTMIN + 9; }

constexpr std::time_t kRetrySeconds = 1;

}  // namespace

Result<std::unique_ptr<FileLeases>> FileLeases::start(std::vector<File*> files,
                                                      MayGiveUp may_give_up) {
  std::unique_ptr<FileLeases> leases(new FileLeases(std::move(files), std::move(may_give_up)));
  const BlockedSignals blocked;  // the thread inherits it
  try {
    leases->thread_ = std::thread([own = leases.get()] { own->serve(); });
  } catch (const std::system_error& failure) {
    return Error(ErrorKind::kLimit, 1245, "cannot start a thread")
        .with_errno(failure.code().value());
  }
  std::unique_lock lock(leases->mutex_);
  leases->changed_.wait(lock, [&] { return leases->thread_number_ != 0; });
  return leases;
}

// Files of another environment have no leases.
FileLeases::FileLeases(std::vector<File*> files, MayGiveUp may_give_up)
    : may_give_up_(std::move(may_give_up)) {
  for (File* file : files) {
    if (auto* own = dynamic_cast<PosixFile*>(file); own != nullptr) {
      own->allow_lease([this] { return !keeps_ && may_give_up_(); });
      files_.push_back(own);
    }
  }
}

FileLeases::~FileLeases() {
  keep();  // from now on nobody can be asked
  is_ending_ = true;
  if (!thread_.joinable()) return;
  static_cast<void>(::pthread_kill(thread_.native_handle(), lease_signal()));
  thread_.join();
}

void FileLeases::keep() noexcept {
  keeps_ = true;
  for (PosixFile* file : files_) file->keep_lease();
}

void FileLeases::serve() {
  bool has_all = take_missing();
  {
    const std::lock_guard lock(mutex_);
    thread_number_ = static_cast<int>(::syscall(SYS_gettid));
  }
  changed_.notify_all();
  // With too many signals in the queue the kernel sends SIGIO.
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, lease_signal());
  sigaddset(&awaited, SIGIO);
  while (true) {
    const timespec pause{kRetrySeconds, 0};
    siginfo_t info{};
    const int got =
        has_all ? ::sigwaitinfo(&awaited, &info) : ::sigtimedwait(&awaited, &info, &pause);
    if (is_ending_) return;
    if (got > 0 && !keeps_) give_up_or_keep();
    has_all = take_missing();
  }
}

bool FileLeases::take_missing() {
  const auto own = static_cast<pid_t>(::syscall(SYS_gettid));
  bool has_all = true;
  for (PosixFile* file : files_) has_all = file->take_lease(own, lease_signal()) && has_all;
  return has_all;
}

void FileLeases::give_up_or_keep() {
  if (!may_give_up_()) return keep();
  for (PosixFile* file : files_) file->give_up_wanted_lease();
}

// Only a lease lets a regular file refuse with EWOULDBLOCK. The descriptor keeps the file from
// being exchanged for something that would wait for ever.
UniqueFd open_leased(int directory_fd, const std::string& name, int flags) {
  const UniqueFd found(
      ::openat(directory_fd, name.c_str(), O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW)));
  struct stat status {};
  if (!found || ::fstat(found.get(), &status) != 0) return UniqueFd();
  if (!S_ISREG(status.st_mode)) {
    errno = EWOULDBLOCK;
    return UniqueFd();
  }
  const int without = O_NONBLOCK | O_NOFOLLOW | O_CREAT | O_EXCL;
  int fd = -1;
  do {
    fd = ::open(proc_path(found.get()).c_str(), (flags & ~without) | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return UniqueFd(fd);
}

}  // namespace dgfs::storage
