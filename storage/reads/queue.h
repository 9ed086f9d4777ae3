// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadQueue: many reads of open files under way at once, for devices that serve many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/file.h"

namespace dgfs::storage {

/// How reads are done. A value.
struct ReadQueueOptions {
  unsigned depth = 32;  ///< reads under way at most, 1 to kReadQueueDepthMax
  /// Past the page cache (O_DIRECT) where offset, length and buffer of a read are multiples of
  /// kReadQueueAlignmentBytes and the file system can: half the processor time of a cold read.
  bool direct = true;
  bool io_uring = true;  ///< false: threads, as where the system forbids io_uring
};

inline constexpr unsigned kReadQueueDepthMax = 1024;
inline constexpr std::size_t kReadQueueAlignmentBytes = 4096;

/// A read that has ended. A value.
struct FinishedRead {
  std::uint64_t tag = 0;      ///< as given to push()
  Result<std::size_t> count;  ///< as File::read_at returns it
};

/// For one thread, the one that pushes first. Files of the system are read by io_uring, or by
/// threads where that is not to be had. Any other File (in memory, counted, made to fail) is read
/// during push(), by its own read_at, so that tests see the calls that they know, in their order.
/// What does not go well the fast way is done again by read_at: results are always those.
class ReadQueue {
 public:
  /// Waits for all reads.
  virtual ~ReadQueue() = default;
  ReadQueue() = default;
  ReadQueue(const ReadQueue&) = delete;
  ReadQueue& operator=(const ReadQueue&) = delete;

  /// Begins a read; there must be room. `file` and `out` must stay until its end was popped.
  virtual void push(const File& file, std::uint64_t offset_bytes, MutableBytes out,
                    std::uint64_t tag) = 0;
  /// Waits for the end of any read, of which there must be one. Errors of it: kIo.
  [[nodiscard]] virtual FinishedRead pop() = 0;
  /// Reads pushed and not popped.
  [[nodiscard]] virtual std::size_t pending() const = 0;
  /// Whether push() may be called.
  [[nodiscard]] virtual bool has_room() const = 0;
  /// What reads of system files go through: "io_uring", "threads", or "none" before the first.
  [[nodiscard]] virtual const char* engine() const = 0;
};

/// Cost: nothing until the first read of a system file, then a ring or, one by one, threads.
[[nodiscard]] std::unique_ptr<ReadQueue> make_read_queue(ReadQueueOptions options);

}  // namespace dgfs::storage
