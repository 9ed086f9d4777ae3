// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FileLeases: makes other processes wait when they open files that this process still changes, by
// leases of the kernel (fcntl(2), "Leases").
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "storage/file.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {

class PosixFile;

/// Takes a lease on each file that can have one, in a thread. From then on open(2) of such a file
/// waits, in any process, until this one gives up the lease, closes the file or ends, or until the
/// time in /proc/sys/fs/lease-break-time is over (45 s). An opening with O_NONBLOCK fails with
/// EAGAIN instead. Costs nothing while nobody opens the files, apart from three system calls for
/// each long direct write. One thread makes and destroys it.
class FileLeases {
 public:
  /// Whether whoever wants to open a file now may do so. Is called in the thread, and
  /// by threads that write; may be called until keep().
  using MayGiveUp = std::function<bool()>;

  /// Returns once all leases have been asked for.
  /// @param files  must outlive the result, and no other thread uses them yet. A file without a
  ///               lease (it is open elsewhere, belongs to another user, or its file system has
  ///               none) is tried again each second
  /// Errors: kLimit (no thread available).
  [[nodiscard]] static Result<std::unique_ptr<FileLeases>> start(std::vector<File*> files,
                                                                 MayGiveUp may_give_up);
  /// Gives up no lease: the files keep theirs until they are closed.
  ~FileLeases();
  FileLeases(const FileLeases&) = delete;
  FileLeases& operator=(const FileLeases&) = delete;

  /// From now on no lease is given up, not even for an own direct write. Thread-safe.
  void keep() noexcept;

 private:
  FileLeases(std::vector<File*> files, MayGiveUp may_give_up);
  void serve();
  [[nodiscard]] bool take_missing();
  void give_up_or_keep();

  std::vector<PosixFile*> files_;
  const MayGiveUp may_give_up_;
  std::atomic<bool> keeps_ = false;
  std::atomic<bool> is_ending_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int thread_number_ = 0;  // 0: the thread has not asked for all leases yet
  std::thread thread_;
};

/// Opens a regular file that open(2) with O_NONBLOCK has refused with EWOULDBLOCK because of a
/// lease: waits until the lease ends. No descriptor: errno says why.
[[nodiscard]] UniqueFd open_leased(int directory_fd, const std::string& name, int flags);

}  // namespace dgfs::storage
