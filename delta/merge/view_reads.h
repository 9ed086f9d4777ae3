// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace dgfs::merge {

/// The reads of contents that a merge packs. Thread-safe, if its function is.
struct ViewReads {
  std::atomic<bool> has_failed = false;  ///< some content could not be read
  /// Called before each read with its bytes, in the thread that reads: may wait. May be empty.
  std::function<void(std::uint64_t bytes)> before;
};

}  // namespace dgfs::merge
