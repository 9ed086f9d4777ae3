// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// How many requests of each kind the kernel has sent: shows what its caches save.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

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
};
inline constexpr std::size_t kRequestKinds = 13;

/// "lookup", "read directory", for messages.
[[nodiscard]] std::string_view request_name(Request request);

/// Thread-safe; lock-free, so that it works in memory shared between processes.
class RequestCounters {
 public:
  void count(Request request) noexcept {
    counts_[static_cast<std::size_t>(request)].fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t of(Request request) const noexcept {
    return counts_[static_cast<std::size_t>(request)].load(std::memory_order_relaxed);
  }
  /// Requests that somebody waited for: all but kForget, which the kernel sends when it likes.
  [[nodiscard]] std::uint64_t answered() const noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, kRequestKinds> counts_{};
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
};

}  // namespace dgfs::fuse
