// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadQueue: many reads of open files at once, for devices that serve many requests at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/file.h"

namespace dgfs::storage {

/// Options of a ReadQueue. A value.
struct ReadQueueOptions {
  unsigned depth = 32;  ///< most reads under way, 1 to kReadQueueDepthMax
  /// Bypasses the page cache (O_DIRECT) if offset, length and buffer of a read are multiples of
  /// kReadQueueAlignmentBytes and the file system can do so. Halves the processor time of a cold
  /// read.
  bool direct = true;
  bool io_uring = true;  ///< false: threads, which also serve where the system forbids io_uring
};

inline constexpr unsigned kReadQueueDepthMax = 1024;
inline constexpr std::size_t kReadQueueAlignmentBytes = 4096;

/// The result of a read. A value.
struct FinishedRead {
  std::uint64_t tag = 0;      ///< as passed to push()
  Result<std::size_t> count;  ///< as File::read_at returns it
};

/// For one thread, the first one that pushes. Reads the system's files through io_uring, or through
/// threads if io_uring is not available. Reads any other File (in memory, counting, faulty) during
/// push(), by its own read_at, so that tests see the calls they know in their order. A read that
/// does not succeed fully is repeated by read_at, so results are always those of read_at.
class ReadQueue {
 public:
  /// Waits for all reads.
  virtual ~ReadQueue() = default;
  ReadQueue() = default;
  ReadQueue(const ReadQueue&) = delete;
  ReadQueue& operator=(const ReadQueue&) = delete;

  /// Begins a read; has_room() must hold. `out` must live until pop() returned its end, and `file`
  /// as long as the queue, which keeps a second descriptor of each file.
  virtual void push(const File& file, std::uint64_t offset_bytes, MutableBytes out,
                    std::uint64_t tag) = 0;
  /// Waits for any read to end; at least one must be pending. The read's own error: kIo.
  [[nodiscard]] virtual FinishedRead pop() = 0;
  /// Number of reads pushed but not popped.
  [[nodiscard]] virtual std::size_t pending() const = 0;
  /// Whether push() may be called.
  [[nodiscard]] virtual bool has_room() const = 0;
  /// How the system's files are read: "io_uring", "threads", or "none" before the first read.
  [[nodiscard]] virtual const char* engine() const = 0;
};

/// Cost: nothing until the first read of a system file; then a ring, or threads started one by one.
[[nodiscard]] std::unique_ptr<ReadQueue> make_read_queue(ReadQueueOptions options);

}  // namespace dgfs::storage
