// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// File: an open file as every layer above sees it. With Env and Directory it is the only door to
// the operating system; implementations: posix, memory, counting, faulty.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::storage {

/// How a file is going to be read; kWriteBack: that what was written may go to the device now, so
/// that a sync finds it under way or done. A hint, never a promise.
enum class Access : std::uint8_t {
  kNormal,
  kRandom,
  kSequential,
  kWillNeed,
  kDontNeed,
  kWriteBack
};

/// A stretch [begin, end) of a file that holds data; what lies between stretches is a hole.
/// A value.
struct DataSegment {
  std::uint64_t begin = 0;  ///< in bytes
  std::uint64_t end = 0;    ///< in bytes; equal to `begin`: no data follows
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
  std::uint64_t rdev = 0;             ///< of a device node, in Linux's dev_t encoding
  std::uint64_t size_bytes = 0;       ///< of a file's contents, of a link's target
  std::uint64_t allocated_bytes = 0;  ///< space taken on the device (st_blocks * 512)
  Time access_time;                   ///< last read, where the system keeps it
  Time modify_time;                   ///< last change of the contents
  Time change_time;                   ///< last change of the attributes
};

/// A process that has a lock. A value.
struct LockHolder {
  std::uint64_t process = 0;  ///< its number
  std::string command;        ///< that it runs, cut to 15 printable characters; empty where unknown
};

/// An open file, which must not outlive the Env that it was opened in. All calls are positional,
/// so one File may be used by any number of threads at once; writes to overlapping ranges by
/// several threads are the caller's to order. Closing (destruction) never syncs. Errors carry the
/// path.
class File {
 public:
  virtual ~File() = default;
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Reads out.size() bytes at `offset_bytes`; fewer only where the file ends. Retries
  /// interrupted and partial reads. Returns the count read. Error: kIo.
  [[nodiscard]] virtual Result<std::size_t> read_at(std::uint64_t offset_bytes,
                                                    MutableBytes out) const = 0;

  /// Scatter read of consecutive bytes into `outs` (at most 1024 spans) as one I/O operation.
  /// Same result and errors as read_at.
  [[nodiscard]] virtual Result<std::size_t> read_at(std::uint64_t offset_bytes,
                                                    std::span<const MutableBytes> outs) const = 0;

  /// Reads what needs no waiting for a device, from the beginning on. Returns the count read; what
  /// `out` has behind that says nothing. 0 where the system cannot tell, and on errors, which
  /// read_at then reports. Files that wrap another one leave it at that: so they see all reads.
  [[nodiscard]] virtual std::size_t read_at_hand(std::uint64_t /*offset_bytes*/,
                                                 MutableBytes /*out*/) const {
    return 0;
  }

  /// Writes all of `data`; the file grows as needed, but not for no bytes. Errors: kIo, kNoSpace.
  [[nodiscard]] virtual Status write_at(std::uint64_t offset_bytes, Bytes data) = 0;

  /// Gather write of `parts`, one behind the other (at most 1024 spans), as one I/O operation. Same
  /// errors as write_at. Files that wrap another one, or have no such call, write a copy of all
  /// with write_at: so they see all writes. Throws std::bad_alloc before it has written anything.
  [[nodiscard]] virtual Status write_gathered(std::uint64_t offset_bytes,
                                              std::span<const Bytes> parts);

  /// In bytes. kIo.
  [[nodiscard]] virtual Result<std::uint64_t> size() const = 0;
  /// Attributes of the open file. kIo.
  [[nodiscard]] virtual Result<FileStatus> status() const = 0;

  /// Cuts or extends (by a hole) to exactly `size_bytes`.
  [[nodiscard]] virtual Status truncate(std::uint64_t size_bytes) = 0;

  /// Reserves the space of a range, so that later writes to it cannot fail for lack of it and land
  /// contiguously; does not change size(). A file system that cannot reserve is not an error.
  /// Errors: kNoSpace, kIo.
  [[nodiscard]] virtual Status preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) = 0;

  /// Gives the space of a range back to the file system; does not change size(). The range reads as
  /// zeros from then on, and becomes durable as a write does. Errors: kUnsupported (the file system
  /// cannot), kIo.
  [[nodiscard]] virtual Status punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) = 0;

  /// What may still be taken of the file system that the file lies in, by this user, in bytes. It
  /// is a guess: others take and give back at any time, and what a file system keeps for itself is
  /// not told. Error: kIo.
  [[nodiscard]] virtual Result<std::uint64_t> free_bytes() const = 0;

  /// Returns when content and size are on stable storage. Error: kIo; after a failed sync the
  /// content is unknown and must not be trusted.
  [[nodiscard]] virtual Status sync() = 0;

  /// Has the file for this opening alone, among all that ask for it, in whatever process, until it
  /// is closed. Does not wait. Errors: kBusy (somebody has it), kUnsupported (the file
  /// system has no locks), kIo.
  [[nodiscard]] virtual Status lock() = 0;
  /// The same beside others that ask for no more: nobody has it alone meanwhile. Whoever has had it
  /// otherwise has it so from then on.
  [[nodiscard]] virtual Status lock_shared() = 0;
  /// The processes that have the lock of the file now, as far as the system tells. Slow: for
  /// messages. None where it does not tell; never fails.
  [[nodiscard]] virtual std::vector<LockHolder> lock_holders() const { return {}; }

  /// First data segment that ends after `offset_bytes` (its begin clipped to it); an empty
  /// segment at the file's size where only a hole follows. File systems that do not track holes
  /// report one segment.
  [[nodiscard]] virtual Result<DataSegment> next_data(std::uint64_t offset_bytes) const = 0;

  /// Tells how a range is going to be read, or written back; never fails.
  virtual void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) = 0;

  /// Extended attributes of this open file, sorted by name. A file system without them gives an
  /// empty list.
  [[nodiscard]] virtual Result<std::vector<Xattr>> xattrs() const = 0;

  /// The path it was opened by, for messages.
  [[nodiscard]] virtual const std::string& path() const = 0;
};

/// "process 4711 (dgfs)" of who has the lock of a file, "another process" where that is not known.
[[nodiscard]] std::string holders_text(const File& file);
/// read_at that treats a short read as an error of kind kCorrupt ("file ends early").
[[nodiscard]] Status read_exactly(const File& file, std::uint64_t offset_bytes, MutableBytes out);

}  // namespace dgfs::storage
