// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Counts the requests of each kind from the kernel, which shows how much its caches save; also
// counts failures, and measures how long the answers take.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuse/statistics/latency_histogram.h"

namespace dgfs::fuse {

enum class Request : std::uint8_t {
  kLookup,
  kForget,
  kGetAttributes,
  kReadLink,
  kOpen,
  kRead,
  kSeek,
  kOpenDirectory,
  kReadDirectory,
  kReadDirectoryPlus,
  kGetXattr,
  kListXattrs,
  kFileSystemStatus,
  // Only for mounts with a delta:
  kSetAttributes,
  kCreate,
  kMakeNode,
  kMakeDirectory,
  kMakeSymlink,
  kLink,
  kUnlink,
  kRemoveDirectory,
  kRename,
  kRelease,
  kWrite,
  kSync,
  kAllocate,
  kCopyRange,
  kReleaseDirectory,
  kSyncDirectory,
  kSetXattr,
  kRemoveXattr,
};
inline constexpr std::size_t kRequestKinds = static_cast<std::size_t>(Request::kRemoveXattr) + 1;

/// "lookup", "read directory", for messages.
[[nodiscard]] std::string_view request_name(Request request);

/// Thread-safe; lock-free, so that it works in memory shared between processes.
class RequestCounters {
 public:
  void count(Request request) noexcept { add(cell(request).count); }
  /// A counted request has ended with an error.
  void count_failure(Request request) noexcept { add(cell(request).failures); }
  /// A counted request has been answered.
  /// @param duration_ns  from taking the request to passing the reply to the kernel
  void count_answer(Request request, std::uint64_t duration_ns) noexcept {
    cell(request).latency.add(duration_ns);
  }
  void note_begin() noexcept { add(under_way_); }
  void note_end() noexcept { under_way_.fetch_sub(1, std::memory_order_relaxed); }
  /// Requests that threads work on now.
  [[nodiscard]] std::uint64_t under_way() const noexcept { return load(under_way_); }
  void count_content(std::uint64_t bytes) noexcept { add(content_bytes_, bytes); }
  void count_written(std::uint64_t bytes) noexcept { add(written_bytes_, bytes); }
  /// The mount has given a file to the kernel before it was requested.
  void count_prefetched(std::uint64_t bytes) noexcept {
    add(prefetched_files_);
    add(prefetched_bytes_, bytes);
  }

  /// The mount has asked the device to read a file that a program will probably read.
  void count_announced() noexcept { add(announced_files_); }
  /// A program has then read that file.
  void count_announced_read() noexcept { add(announced_reads_); }

  /// The kernel has got names of files without their attributes.
  void count_bare_names(std::uint64_t names) noexcept { add(bare_names_, names); }
  /// The kernel must forget listings with such names.
  void count_dropped_listings(std::uint64_t listings) noexcept { add(dropped_listings_, listings); }

  [[nodiscard]] std::uint64_t of(Request request) const noexcept {
    return load(cell(request).count);
  }
  [[nodiscard]] std::uint64_t failures_of(Request request) const noexcept {
    return load(cell(request).failures);
  }
  [[nodiscard]] const LatencyHistogram& latency_of(Request request) const noexcept {
    return cell(request).latency;
  }
  /// Bytes of file contents passed to the kernel.
  [[nodiscard]] std::uint64_t content_bytes() const noexcept { return load(content_bytes_); }
  /// Bytes of file contents received from the kernel.
  [[nodiscard]] std::uint64_t written_bytes() const noexcept { return load(written_bytes_); }
  [[nodiscard]] std::uint64_t prefetched_files() const noexcept { return load(prefetched_files_); }
  [[nodiscard]] std::uint64_t prefetched_bytes() const noexcept { return load(prefetched_bytes_); }
  [[nodiscard]] std::uint64_t announced_files() const noexcept { return load(announced_files_); }
  [[nodiscard]] std::uint64_t announced_reads() const noexcept { return load(announced_reads_); }
  [[nodiscard]] std::uint64_t bare_names() const noexcept { return load(bare_names_); }
  [[nodiscard]] std::uint64_t dropped_listings() const noexcept { return load(dropped_listings_); }
  /// Requests that a program waits for: all but kForget, which the kernel sends at any time.
  [[nodiscard]] std::uint64_t answered() const noexcept;

 private:
  using Count = std::atomic<std::uint64_t>;
  static_assert(Count::is_always_lock_free);
  struct Cell {
    Count count{0};
    Count failures{0};
    LatencyHistogram latency;
  };
  static void add(Count& count, std::uint64_t by = 1) noexcept {
    count.fetch_add(by, std::memory_order_relaxed);
  }
  static std::uint64_t load(const Count& count) noexcept {
    return count.load(std::memory_order_relaxed);
  }
  Cell& cell(Request request) noexcept { return cells_[static_cast<std::size_t>(request)]; }
  const Cell& cell(Request request) const noexcept {
    return cells_[static_cast<std::size_t>(request)];
  }

  std::array<Cell, kRequestKinds> cells_;
  Count under_way_{0};
  Count content_bytes_{0};
  Count written_bytes_{0};
  Count prefetched_files_{0};
  Count prefetched_bytes_{0};
  Count announced_files_{0};
  Count announced_reads_{0};
  Count bare_names_{0};
  Count dropped_listings_{0};
};

}  // namespace dgfs::fuse
