// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// File: an open file, as every layer above sees it. File, Env and Directory are the only way to the
// operating system. Implementations: posix, memory, counting, faulty.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::storage {

/// How a file is going to be read. kWriteBack says that written bytes may go to the device now, so
/// that a later sync finds it under way or done. A hint, never a promise.
enum class Access : std::uint8_t {
  kNormal,
  kRandom,
  kSequential,
  kWillNeed,
  kDontNeed,
  kWriteBack
};

/// A stretch [begin, end) of a file that holds data. The bytes between two segments are a hole.
/// A value.
struct DataSegment {
  std::uint64_t begin = 0;  ///< in bytes
  std::uint64_t end = 0;    ///< in bytes; equal to `begin` if no data follows
  friend bool operator==(const DataSegment&, const DataSegment&) = default;
};

/// Identity and attributes of a file-system object, as lstat(2) reports them. A value.
struct FileStatus {
  std::uint64_t device = 0;           ///< number of the containing file system
  std::uint64_t inode = 0;            ///< unique on the device
  std::uint32_t mode = 0;             ///< type and permission bits, Linux values
  std::uint64_t link_count = 0;       ///< names of the object
  std::uint32_t uid = 0;              ///< owner
  std::uint32_t gid = 0;              ///< group
  std::uint64_t rdev = 0;             ///< number of a device node, in Linux's dev_t encoding
  std::uint64_t size_bytes = 0;       ///< length of a file's contents or a link's target
  std::uint64_t allocated_bytes = 0;  ///< space taken on the device (st_blocks * 512)
  Time access_time;                   ///< last read, where the system keeps it
  Time modify_time;                   ///< last change of the contents
  Time change_time;                   ///< last change of the attributes
};

/// A process that holds a lock. A value.
struct LockHolder {
  std::uint64_t process = 0;  ///< its process id
  std::string command;  ///< the command it runs, cut to 15 printable characters; empty if unknown
};

/// An open file, which must not outlive the Env that opened it. Each call states its offset, so any
/// number of threads may use one File at once. If several threads write to overlapping ranges, the
/// caller must order them. Closing (destruction) never syncs. Errors carry the path.
class File {
 public:
  virtual ~File() = default;
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Reads out.size() bytes at `offset_bytes`, fewer only at the end of the file. Retries
  /// interrupted and partial reads. Returns the number of bytes read. Error: kIo.
  [[nodiscard]] virtual Result<std::size_t> read_at(std::uint64_t offset_bytes,
                                                    MutableBytes out) const = 0;

  /// Reads consecutive bytes into `outs` (at most 1024 spans) as one I/O operation. Same result and
  /// errors as read_at.
  [[nodiscard]] virtual Result<std::size_t> read_at(std::uint64_t offset_bytes,
                                                    std::span<const MutableBytes> outs) const = 0;

  /// Reads those bytes from `offset_bytes` on that need no waiting for a device. Returns the number
  /// of bytes read; the rest of `out` is undefined. Returns 0 if the system cannot tell, and on
  /// errors, which a later read_at reports. Files that wrap another one do not forward this call,
  /// so that they see all reads.
  [[nodiscard]] virtual std::size_t read_at_hand(std::uint64_t /*offset_bytes*/,
                                                 MutableBytes /*out*/) const {
    return 0;
  }

  /// Writes all of `data`. The file grows as needed, but not for empty `data`. Errors: kIo,
  /// kNoSpace.
  [[nodiscard]] virtual Status write_at(std::uint64_t offset_bytes, Bytes data) = 0;

  /// Writes `parts` one behind the other (at most 1024 spans) as one I/O operation. Same errors as
  /// write_at. This default copies all parts and calls write_at. Files that wrap another one keep
  /// it, so that they see all writes. Throws std::bad_alloc only before anything is written.
  [[nodiscard]] virtual Status write_gathered(std::uint64_t offset_bytes,
                                              std::span<const Bytes> parts);

  /// Size in bytes. Error: kIo.
  [[nodiscard]] virtual Result<std::uint64_t> size() const = 0;
  /// Attributes of the open file. Error: kIo.
  [[nodiscard]] virtual Result<FileStatus> status() const = 0;

  /// Cuts the file to exactly `size_bytes`, or extends it by a hole.
  [[nodiscard]] virtual Status truncate(std::uint64_t size_bytes) = 0;

  /// Reserves the space of a range, so that later writes to it cannot fail for lack of space and
  /// land contiguously. Does not change size(). Succeeds without effect if the file system cannot
  /// reserve. Errors: kNoSpace, kIo.
  [[nodiscard]] virtual Status preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) = 0;

  /// Gives the space of a range back to the file system. Does not change size(). From then on the
  /// range reads as zeros; this becomes durable as a write does. Errors: kUnsupported (the file
  /// system cannot), kIo.
  [[nodiscard]] virtual Status punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) = 0;

  /// How many bytes this user may still take of the file system that holds the file. It is a guess:
  /// other processes take and free space at any time, and a file system does not tell how much it
  /// keeps for itself. Error: kIo.
  [[nodiscard]] virtual Result<std::uint64_t> free_bytes() const = 0;

  /// Returns when content and size are on stable storage. Error: kIo. After a failed sync the
  /// content is unknown and must not be trusted.
  [[nodiscard]] virtual Status sync() = 0;

  /// Locks the file exclusively until it is closed, against all other openings in any process. Does
  /// not wait. Errors: kBusy (another opening has it locked), kUnsupported (the file system has no
  /// locks), kIo.
  [[nodiscard]] virtual Status lock() = 0;
  /// Locks the file for sharing: others may share it, but none can lock it exclusively meanwhile.
  /// Replaces the lock that this opening holds. Does not wait; errors as of lock().
  [[nodiscard]] virtual Status lock_shared() = 0;
  /// The processes that hold a lock of the file now, as far as the system tells; none if it does
  /// not tell. Slow: for messages. Never fails.
  [[nodiscard]] virtual std::vector<LockHolder> lock_holders() const { return {}; }

  /// The first data segment that ends after `offset_bytes`, with its begin clipped to
  /// `offset_bytes`; an empty segment at the file's size if only a hole follows. A file system that
  /// does not track holes reports one segment.
  [[nodiscard]] virtual Result<DataSegment> next_data(std::uint64_t offset_bytes) const = 0;

  /// Tells the system how a range is going to be read, or that it may be written back. Never fails.
  virtual void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) = 0;

  /// Extended attributes of this open file, sorted by name; empty on a file system without them.
  [[nodiscard]] virtual Result<std::vector<Xattr>> xattrs() const = 0;

  /// The path by which it was opened, for messages.
  [[nodiscard]] virtual const std::string& path() const = 0;
};

/// Names the processes that lock a file, "process 4711 (dgfs)"; "another process" if unknown.
[[nodiscard]] std::string holders_text(const File& file);
/// Like read_at, but a short read is an error of kind kCorrupt ("file ends early").
[[nodiscard]] Status read_exactly(const File& file, std::uint64_t offset_bytes, MutableBytes out);

}  // namespace dgfs::storage
