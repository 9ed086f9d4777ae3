// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A File over file descriptors.
#pragma once

#include <memory>
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
  /// Ends direct writing, since its descriptor is another opening.
  bool may_be_open_elsewhere() override;
  Result<DataSegment> next_data(std::uint64_t offset_bytes) const override;
  /// After kWillNeed for a short range, a scatter read from the same offset polls for a while, if
  /// no other read is under way: the rest of the wait is often shorter than the time to fall asleep
  /// and to be woken.
  void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) override;
  Result<std::vector<Xattr>> xattrs() const override;
  std::vector<Xattr> readable_xattrs(std::vector<Error>& unreadable) const override;
  const std::string& path() const override { return path_; }

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  void set_path(std::string path) { path_ = std::move(path); }

 private:
  [[nodiscard]] Status lock_as(int how);
  /// fallocate(2).
  [[nodiscard]] int allocate(int mode, std::uint64_t begin_bytes, std::uint64_t end_bytes) const;
  [[nodiscard]] bool reads_direct() const { return direct_fd_ && !caches_reads_; }
  [[nodiscard]] bool writes_direct(std::size_t size_bytes) const {
    return direct_fd_ && (!caches_reads_ || size_bytes >= kDirectWriteBytesMin);
  }
  [[nodiscard]] Transfer read_cached(std::uint64_t offset_bytes, MutableBytes out) const;
  [[nodiscard]] Transfer read_cached(std::uint64_t offset_bytes, Scatter outs) const;

  UniqueFd fd_;                // uses the page cache; all calls but transfers use it
  UniqueFd direct_fd_;         // the same file with O_DIRECT; none if not asked for or not possible
  bool caches_reads_ = false;  // and short writes: direct_fd_ is only for long writes
  std::string path_;
  mutable AnnouncedReads announced_;
};

/// "/proc/self/fd/N": names an open file for calls that take only paths.
[[nodiscard]] std::string proc_path(int fd);

}  // namespace dgfs::storage
