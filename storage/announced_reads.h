// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// AnnouncedReads: reads that were announced to the system before they are made, so that the device
// already works on them. The thread that makes such a read polls for the rest of it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "storage/posix/transfer.h"

namespace dgfs::storage {

/// For one file. Lock-free, thread-safe. Remembers the last few announced reads; a forgotten one is
/// made like any other read.
class AnnouncedReads {
 public:
  /// A read of the file through the page cache, while it is under way. The reads must outlive it.
  class UnderWay {
   public:
    explicit UnderWay(AnnouncedReads& reads) noexcept : reads_(reads) {
      reads_.under_way_.fetch_add(1, std::memory_order_relaxed);
    }
    ~UnderWay() { reads_.under_way_.fetch_sub(1, std::memory_order_relaxed); }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

    /// If a read at `offset_bytes` was announced, reads as much as arrives within 100 µs and
    /// advances `outs` by it. An ordinary read must do the rest; it also finds any error. Polling
    /// pays because an idle core sleeps when the device answers: in a virtual machine, waking it
    /// took 40 µs of a 100 µs read. A thread polls only while its read is the only one under way:
    /// other readers need the processor.
    /// @return bytes read
    [[nodiscard]] std::size_t poll(int fd, std::uint64_t offset_bytes, Scatter& outs);

   private:
    AnnouncedReads& reads_;
  };

  /// The longest announced read that is polled for. A longer one takes the device longer than
  /// polling lasts, and its reader seldom waits for it: it is announced ahead of a sequence.
  static constexpr std::uint64_t kPolledBytesMax = std::uint64_t{256} << 10;

  /// Records that a read of `length_bytes` from `offset_bytes` on has been announced to the system.
  /// Does nothing for a read that is not worth polling.
  void add(std::uint64_t offset_bytes, std::uint64_t length_bytes) noexcept;

 private:
  [[nodiscard]] bool take(std::uint64_t offset_bytes) noexcept;
  [[nodiscard]] bool has_one_under_way() const noexcept {
    return under_way_.load(std::memory_order_relaxed) == 1;
  }

  static constexpr std::size_t kReadsMax = 16;
  std::array<std::atomic<std::uint64_t>, kReadsMax> begins_{};  ///< offset plus one; 0: none
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint32_t> under_way_{0};  ///< objects of UnderWay
};

}  // namespace dgfs::storage
