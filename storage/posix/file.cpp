// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>

#include <algorithm>
#include <csignal>
#include <limits>

#include "storage/posix/lock_holders.h"
#include "storage/posix/os_error.h"
#include "storage/posix/status.h"
#include "storage/posix/transfer.h"
#include "storage/posix/xattr.h"

namespace dgfs::storage {
namespace {

// The system's offsets are signed; no file reaches beyond.
constexpr std::uint64_t kFileOffsetMax = std::numeric_limits<off_t>::max();

int to_posix_advice(Access access) {
  switch (access) {
    case Access::kNormal:
      return POSIX_FADV_NORMAL;
    case Access::kRandom:
      return POSIX_FADV_RANDOM;
    case Access::kSequential:
      return POSIX_FADV_SEQUENTIAL;
    case Access::kWillNeed:
      return POSIX_FADV_WILLNEED;
    case Access::kDontNeed:
      return POSIX_FADV_DONTNEED;
    case Access::kWriteBack:
      break;  // is a call of its own
  }
  return POSIX_FADV_NORMAL;
}

// A device may fail a read with any errno (ENODATA for a bad sector, through O_DIRECT). None of
// them means that an entry is missing or that access is refused.
Error as_device_error(const Error& error) {
  return Error(ErrorKind::kIo, error.code(), error.text())
      .in_file(error.file())
      .with_errno(error.os_errno());
}

bool in_range(std::uint64_t offset_bytes, std::size_t count) {
  return count <= kFileOffsetMax && offset_bytes <= kFileOffsetMax - count;
}

}  // namespace

void PosixFile::try_direct(bool writable) {
  const int flags = (writable ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC;
  direct_fd_ = UniqueFd(::open(proc_path(fd_.get()).c_str(), flags));
}

void PosixFile::try_direct_writes() {
  try_direct(true);
  caches_reads_ = true;
}

Result<std::size_t> PosixFile::read_at(std::uint64_t offset_bytes, MutableBytes out) const {
  if (!in_range(offset_bytes, out.size())) return std::size_t{0};
  const auto one = std::span<const MutableBytes>(&out, 1);
  const Transfer transfer = reads_direct()
                                ? read_all_direct(direct_fd_.get(), offset_bytes, Scatter(one))
                                : read_cached(offset_bytes, out);
  if (transfer.os_errno == 0) return transfer.done_bytes;
  return as_device_error(os_error(1006, transfer.os_errno, "read", path_))
      .at_offset(offset_bytes + transfer.done_bytes);
}

Result<std::size_t> PosixFile::read_at(std::uint64_t offset_bytes,
                                       std::span<const MutableBytes> outs) const {
  if (outs.size() > kScatterSpansMax) {
    return Error(ErrorKind::kInvalidArgument, 1007, "too many buffers for one read").in_file(path_);
  }
  if (!in_range(offset_bytes, total_size(outs))) return std::size_t{0};
  const Transfer transfer = reads_direct()
                                ? read_all_direct(direct_fd_.get(), offset_bytes, Scatter(outs))
                                : read_cached(offset_bytes, Scatter(outs));
  if (transfer.os_errno == 0) return transfer.done_bytes;
  return as_device_error(os_error(1008, transfer.os_errno, "read", path_))
      .at_offset(offset_bytes + transfer.done_bytes);
}

std::size_t PosixFile::read_at_hand(std::uint64_t offset_bytes, MutableBytes out) const {
  if (reads_direct() || !in_range(offset_bytes, out.size())) return 0;
  const iovec whole{out.data(), out.size()};
  const auto count = ::preadv2(fd_.get(), &whole, 1, static_cast<off_t>(offset_bytes), RWF_NOWAIT);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

Transfer PosixFile::read_cached(std::uint64_t offset_bytes, MutableBytes out) const {
  const AnnouncedReads::UnderWay under_way(announced_);
  return read_all(fd_.get(), offset_bytes, out);
}

Transfer PosixFile::read_cached(std::uint64_t offset_bytes, Scatter outs) const {
  AnnouncedReads::UnderWay under_way(announced_);
  const auto done_bytes = under_way.poll(fd_.get(), offset_bytes, outs);
  auto transfer = read_all(fd_.get(), offset_bytes + done_bytes, std::move(outs));
  transfer.done_bytes += done_bytes;
  return transfer;
}

Status PosixFile::write_at(std::uint64_t offset_bytes, Bytes data) {
  if (!in_range(offset_bytes, data.size())) {
    return os_error(1009, EFBIG, "write", path_).at_offset(offset_bytes);
  }
  const Transfer transfer = writes_direct(data.size())
                                ? write_all_direct(direct_fd_.get(), fd_.get(), offset_bytes, data)
                                : write_all(fd_.get(), offset_bytes, data);
  if (transfer.os_errno == 0) return ok();
  return os_error(1010, transfer.os_errno, "write", path_)
      .at_offset(offset_bytes + transfer.done_bytes);
}

Status PosixFile::write_gathered(std::uint64_t offset_bytes, std::span<const Bytes> parts) {
  if (parts.size() > kScatterSpansMax) {
    return Error(ErrorKind::kInvalidArgument, 1193, "too many buffers for one write")
        .in_file(path_);
  }
  if (!in_range(offset_bytes, total_size(parts))) {
    return os_error(1194, EFBIG, "write", path_).at_offset(offset_bytes);
  }
  const Transfer transfer = writes_direct(total_size(parts))
                                ? write_all_direct(direct_fd_.get(), fd_.get(), offset_bytes, parts)
                                : write_all(fd_.get(), offset_bytes, parts);
  if (transfer.os_errno == 0) return ok();
  return os_error(1195, transfer.os_errno, "write", path_)
      .at_offset(offset_bytes + transfer.done_bytes);
}

Result<std::uint64_t> PosixFile::size() const {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) return os_error(1011, errno, "stat", path_);
  if (!S_ISBLK(status.st_mode)) return static_cast<std::uint64_t>(status.st_size);
  const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
  if (end < 0) return os_error(1012, errno, "find the size", path_);
  return static_cast<std::uint64_t>(end);
}

Result<FileStatus> PosixFile::status() const {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) return os_error(1013, errno, "stat", path_);
  return to_file_status(status);
}

std::optional<FileIdentity> PosixFile::identity() const { return identity_of(fd_.get()); }

Status PosixFile::truncate(std::uint64_t size_bytes) {
  const auto size = static_cast<off_t>(size_bytes);
  if (size_bytes > kFileOffsetMax) return os_error(1014, EFBIG, "set the size", path_);
  if (retry_interrupted([&] { return ::ftruncate(fd_.get(), size); }) == 0) return ok();
  return os_error(1015, errno, "set the size", path_);
}

Status PosixFile::preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) {
  if (begin_bytes >= end_bytes) return ok();
  if (end_bytes > kFileOffsetMax) return os_error(1016, EFBIG, "reserve space", path_);
  if (allocate(FALLOC_FL_KEEP_SIZE, begin_bytes, end_bytes) == 0) return ok();
  if (errno == EOPNOTSUPP || errno == ENOSYS) return ok();
  return os_error(1017, errno, "reserve space", path_);
}

Status PosixFile::punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) {
  if (begin_bytes >= end_bytes) return ok();
  if (end_bytes > kFileOffsetMax) return os_error(1196, EFBIG, "give back space", path_);
  if (allocate(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin_bytes, end_bytes) == 0) {
    return ok();
  }
  if (errno == EOPNOTSUPP || errno == ENOSYS) {
    return Error(ErrorKind::kUnsupported, 1197, "its file system punches no holes").in_file(path_);
  }
  return os_error(1198, errno, "give back space", path_);
}

int PosixFile::allocate(int mode, std::uint64_t begin_bytes, std::uint64_t end_bytes) const {
  return retry_interrupted([&] {
    return ::fallocate(fd_.get(), mode, static_cast<off_t>(begin_bytes),
                       static_cast<off_t>(end_bytes - begin_bytes));
  });
}

Result<std::uint64_t> PosixFile::free_bytes() const {
  struct statvfs status {};
  if (::fstatvfs(fd_.get(), &status) != 0) {
    return os_error(1077, errno, "ask for free space", path_);
  }
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

// Syncs content, size and allocation, but not times: syncing a new change time would cost a commit
// of the file system's journal for each group of a log that is written in place.
Status PosixFile::sync() {
  if (retry_interrupted([&] { return ::fdatasync(fd_.get()); }) == 0) return ok();
  return os_error(1018, errno, "sync", path_);
}

// flock(2) locks belong to the open file, not to the process: another opening in this process is
// refused as well.
Status PosixFile::lock() { return lock_as(LOCK_EX); }
Status PosixFile::lock_shared() { return lock_as(LOCK_SH); }

std::vector<LockHolder> PosixFile::lock_holders() const {
  const auto known = status();
  return known ? flock_holders(known.value()) : std::vector<LockHolder>();
}

Status PosixFile::lock_as(int how) {
  if (::flock(fd_.get(), how | LOCK_NB) == 0) return ok();
  if (errno == EWOULDBLOCK) {
    return Error(ErrorKind::kBusy, 1191, "is locked by somebody else").in_file(path_);
  }
  if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP) {
    return Error(ErrorKind::kUnsupported, 1173, "its file system has no locks").in_file(path_);
  }
  return os_error(1192, errno, "lock", path_);
}

// Only the kernel knows. It grants a lease if nobody else has the file open, and the lease ends at
// once: whoever opens the file between the two calls is held up for that moment.
bool PosixFile::may_be_open_elsewhere() {
  if (caches_reads_) end_direct();
  // The signal for that case would be SIGIO, which ends the process; nobody heeds SIGURG.
  if (::fcntl(fd_.get(), F_SETSIG, SIGURG) != 0 || ::fcntl(fd_.get(), F_SETLEASE, F_WRLCK) != 0) {
    return true;
  }
  static_cast<void>(::fcntl(fd_.get(), F_SETLEASE, F_UNLCK));
  return false;
}

Result<DataSegment> PosixFile::next_data(std::uint64_t offset_bytes) const {
  DGFS_TRY(end, size());
  if (offset_bytes >= end) return DataSegment{end, end};
  const off_t data = ::lseek(fd_.get(), static_cast<off_t>(offset_bytes), SEEK_DATA);
  if (data < 0 && errno == ENXIO) return DataSegment{end, end};
  if (data < 0 && errno == EINVAL) return DataSegment{offset_bytes, end};
  if (data < 0) return os_error(1019, errno, "find data", path_).at_offset(offset_bytes);
  const off_t hole = ::lseek(fd_.get(), data, SEEK_HOLE);
  if (hole < 0 && errno == ENXIO) return DataSegment{end, end};
  if (hole < 0) return os_error(1020, errno, "find holes", path_).at_offset(offset_bytes);
  return DataSegment{static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole)};
}

void PosixFile::advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  if (!in_range(offset_bytes, length_bytes)) return;
  // A direct read would not find the bytes in the page cache.
  if (reads_direct() && access == Access::kWillNeed) return;
  // A hint may fail without harm. The next sync reports any error of writing back.
  if (access == Access::kWriteBack) {
    static_cast<void>(::sync_file_range(fd_.get(), static_cast<off_t>(offset_bytes),
                                        static_cast<off_t>(length_bytes), SYNC_FILE_RANGE_WRITE));
    return;
  }
  static_cast<void>(::posix_fadvise(fd_.get(), static_cast<off_t>(offset_bytes),
                                    static_cast<off_t>(length_bytes), to_posix_advice(access)));
  if (access == Access::kWillNeed) announced_.add(offset_bytes, length_bytes);
}

Result<std::vector<Xattr>> PosixFile::xattrs() const { return posix_xattrs(fd_.get(), path_); }

std::vector<Xattr> PosixFile::readable_xattrs(std::vector<Error>& unreadable) const {
  return posix_readable_xattrs(fd_.get(), path_, unreadable);
}

std::string proc_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace dgfs::storage
