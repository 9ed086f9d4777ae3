// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A File over file descriptors.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "storage/announced_reads.h"
#include "storage/env.h"
#include "storage/file.h"
#include "storage/original_file.h"
#include "storage/posix/unique_fd.h"
#include "storage/source_traits.h"

namespace dgfs::storage {

class PosixFile final : public File, public FileTraits, public OriginalFile {
 public:
  PosixFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  /// Bypasses the page cache from now on, if the file system can. Not thread-safe.
  void try_direct(bool writable);
  /// The same for long writes only (OpenOptions::direct_writes).
  void try_direct_writes();
  /// Uses the page cache again; needed before fd() becomes another file.
  void end_direct() { direct_fd_ = UniqueFd(); }

  Result<std::size_t> read_at(std::uint64_t offset_bytes, MutableBytes out) const override;
  Result<std::size_t> read_at(std::uint64_t offset_bytes,
                              std::span<const MutableBytes> outs) const override;
  /// Reads from the page cache.
  std::size_t read_at_hand(std::uint64_t offset_bytes, MutableBytes out) const override;
  Status write_at(std::uint64_t offset_bytes, Bytes data) override;
  Status write_gathered(std::uint64_t offset_bytes, std::span<const Bytes> parts) override;
  Result<std::uint64_t> size() const override;
  Result<FileStatus> status() const override;
  std::optional<FileIdentity> identity() const override;
  Status truncate(std::uint64_t size_bytes) override;
  Status preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) override;
  Status punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) override;
  Result<std::uint64_t> free_bytes() const override;
  Status sync() override;
  Status lock() override;
  Status lock_shared() override;
  std::vector<LockHolder> lock_holders() const override;
  /// Tries to take a lease.
  bool may_be_open_elsewhere() override;
  Result<DataSegment> next_data(std::uint64_t offset_bytes) const override;
  /// After kWillNeed for a short range, a scatter read from the same offset polls for a while, if
  /// no other read is under way: the rest of the wait is often shorter than the time to fall asleep
  /// and to be woken.
  void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) override;
  Result<std::vector<Xattr>> xattrs() const override;
  std::vector<Xattr> readable_xattrs(std::vector<Error>& unreadable) const override;
  const std::string& path() const override { return path_; }

  /// From now on the file can have a lease (FileLeases), which needs that it is open only once:
  /// each long write opens the descriptor with O_DIRECT for itself. Call it before other threads
  /// use the file. All that follow are thread-safe.
  /// @param may_end  whether a long write may end the lease; is called by the threads that write
  void allow_lease(std::function<bool()> may_end);
  /// Takes the lease unless it is taken: whoever opens the file waits, and `thread` gets `signal`;
  /// also if a long write has ended the lease and cannot take it again. False: another opening has
  /// the file open, or the file system has no leases.
  [[nodiscard]] bool take_lease(pid_t thread, int signal);
  /// Ends the lease if somebody waits for that.
  void give_up_wanted_lease();
  /// From now on long writes go through the page cache, so that none has to end the lease.
  void keep_lease() { keeps_lease_ = true; }

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  void set_path(std::string path) { path_ = std::move(path); }

 private:
  // The descriptor for one long write; no descriptor: write through the page cache.
  class DirectUse {
   public:
    explicit DirectUse(PosixFile& file) : file_(file), fd_(file.begin_direct()) {}
    ~DirectUse() {
      if (fd_ >= 0) file_.end_direct_use();
    }
    DirectUse(const DirectUse&) = delete;
    DirectUse& operator=(const DirectUse&) = delete;
    [[nodiscard]] int fd() const { return fd_; }

   private:
    PosixFile& file_;
    const int fd_;
  };

  template <class Data>
  [[nodiscard]] Transfer written(std::uint64_t offset_bytes, const Data& data,
                                 std::size_t size_bytes);
  [[nodiscard]] int begin_direct();
  void end_direct_use();
  [[nodiscard]] bool set_lease();
  void end_lease();
  void take_lease_again();
  [[nodiscard]] Status lock_as(int how);
  /// fallocate(2).
  [[nodiscard]] int allocate(int mode, std::uint64_t begin_bytes, std::uint64_t end_bytes) const;
  [[nodiscard]] bool reads_direct() const { return direct_fd_ && !caches_reads_; }
  [[nodiscard]] bool writes_direct(std::size_t size_bytes) const {
    if (caches_reads_) return has_direct_ && size_bytes >= kDirectWriteBytesMin;
    return bool{direct_fd_};
  }
  [[nodiscard]] Transfer read_cached(std::uint64_t offset_bytes, MutableBytes out) const;
  [[nodiscard]] Transfer read_cached(std::uint64_t offset_bytes, Scatter outs) const;

  UniqueFd fd_;                // uses the page cache; all calls but transfers use it
  UniqueFd direct_fd_;         // the same file with O_DIRECT; none if not asked for or not possible
  bool caches_reads_ = false;  // and short writes: direct_fd_ is only for long writes
  bool has_direct_ = false;    // of those: the file system has O_DIRECT
  std::string path_;
  mutable AnnouncedReads announced_;

  std::atomic<bool> allows_lease_ = false;
  std::function<bool()> may_end_lease_;  // set before allows_lease_
  std::atomic<bool> keeps_lease_ = false;
  mutable std::mutex lease_lock_;  // guards what follows, and direct_fd_ if a lease is allowed
  unsigned direct_uses_ = 0;
  pid_t lease_thread_ = 0;  // 0: nobody has asked for a lease yet
  int lease_signal_ = 0;
  bool has_lease_ = false;
};

/// "/proc/self/fd/N": names an open file for calls that take only paths.
[[nodiscard]] std::string proc_path(int fd);

}  // namespace dgfs::storage
