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
  /// A read of the file, announced or not, while it is under way.
  class UnderWay {
   public:
    explicit UnderWay(AnnouncedReads& reads) noexcept : reads_(reads) { ++reads_.under_way_; }
    ~UnderWay() { --reads_.under_way_; }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    AnnouncedReads& reads_;
  };

  /// Records that a read from `offset_bytes` on has been announced to the system.
  void add(std::uint64_t offset_bytes) noexcept;

  /// If a read at `offset_bytes` was announced, reads as much as arrives within 100 µs and advances
  /// `outs` by it. An ordinary read must do the rest; it also finds any error. Polling pays because
  /// an idle core sleeps when the device answers: in a virtual machine, waking it took 40 µs of a
  /// 100 µs read. A thread polls only while its read is the only one under way: if more threads
  /// read, they need the processor.
  /// The caller holds an UnderWay.
  /// @return bytes read
  [[nodiscard]] std::size_t read(int fd, std::uint64_t offset_bytes, Scatter& outs);

 private:
  [[nodiscard]] bool take(std::uint64_t offset_bytes) noexcept;

  static constexpr std::size_t kReadsMax = 16;
  std::array<std::atomic<std::uint64_t>, kReadsMax> begins_{};  ///< offset plus one; 0: none
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint32_t> under_way_{0};
};

}  // namespace dgfs::storage
