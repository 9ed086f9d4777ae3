// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The extent volume: the file of large values. Each is written once, when the group is logged that
// it came with, and stays where it is while the tree moves what refers to it.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "delta/disk/block_file.h"

namespace dgfs::delta {

/// Thread-safe.
class ExtentVolume {
 public:
  explicit ExtentVolume(std::unique_ptr<storage::File> file) : file_(std::move(file), "extents") {}

  [[nodiscard]] BlockFile& file() { return file_; }
  [[nodiscard]] const BlockFile& file() const { return file_; }

  /// Sees to it that a value of `bytes`, with padding, will find space, besides those that were
  /// promised before. To be released when it has been written, or will not be.
  /// Errors: those of BlockFile::reserve; nothing is promised then.
  [[nodiscard]] Status promise(std::uint64_t bytes) {
    std::uint64_t all = 0;
    {
      const std::lock_guard lock(mutex_);
      all = promised_bytes_ += bytes;
    }
    auto reserved = file_.reserve(all);
    if (!reserved) release(bytes);
    return reserved;
  }
  void release(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    promised_bytes_ -= bytes;
  }
  [[nodiscard]] std::uint64_t promised_bytes() const {
    const std::lock_guard lock(mutex_);
    return promised_bytes_;
  }

  /// A value died before the tree had it. The log may yet refer to it, so that its space is not
  /// free before a checkpoint.
  void drop(const Extent& value) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      dropped_.push_back(value);
    } catch (const std::bad_alloc&) {  // found to be free when the store is opened again
    }
  }
  /// Those since it was asked last.
  [[nodiscard]] std::vector<Extent> take_dropped() {
    const std::lock_guard lock(mutex_);
    return std::exchange(dropped_, {});
  }
  [[nodiscard]] bool has_dropped() const {
    const std::lock_guard lock(mutex_);
    return !dropped_.empty();
  }

 private:
  BlockFile file_;
  mutable std::mutex mutex_;
  std::vector<Extent> dropped_;
  std::uint64_t promised_bytes_ = 0;
};

}  // namespace dgfs::delta
