// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// AlignedMemory: memory for reads and writes that bypass the page cache.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/bytes.h"
#include "storage/reads/queue.h"

namespace dgfs::storage {

/// Uninitialised bytes. Growing replaces them. For one thread.
class AlignedMemory {
 public:
  [[nodiscard]] std::size_t capacity_bytes() const { return capacity_bytes_; }

  /// Makes room for at least `size_bytes`, a multiple of kReadQueueAlignmentBytes.
  void reserve(std::size_t size_bytes) {
    if (size_bytes <= capacity_bytes_) return;
    release();  // first, so that both buffers are never held at once
    bytes_.reset(
        static_cast<std::uint8_t*>(std::aligned_alloc(kReadQueueAlignmentBytes, size_bytes)));
    if (!bytes_) throw std::bad_alloc();
    capacity_bytes_ = size_bytes;
  }
  void release() {
    bytes_.reset();
    capacity_bytes_ = 0;
  }
  /// The first `size_bytes` of the memory.
  [[nodiscard]] MutableBytes first(std::size_t size_bytes) { return {bytes_.get(), size_bytes}; }
  [[nodiscard]] Bytes first(std::size_t size_bytes) const { return {bytes_.get(), size_bytes}; }

 private:
  struct Free {
    void operator()(std::uint8_t* pointer) const noexcept { std::free(pointer); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::size_t capacity_bytes_ = 0;
};

}  // namespace dgfs::storage
