// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A disk with a store in "/s", as a start for many runs.
#pragma once

#include <memory>

#include "storage/memory/env.h"

namespace dgfs::test {

/// A value. Empty: no store.
class StoreImage {
 public:
  StoreImage() = default;
  /// Takes what reads see now.
  explicit StoreImage(const storage::MemoryEnv& disk) : disk_(disk.snapshot()) {}

  /// Makes a disk that has the same files, and no others, all of it durable.
  [[nodiscard]] std::unique_ptr<storage::MemoryEnv> make_disk() const {
    return disk_ == nullptr ? storage::make_memory_env(1) : disk_->snapshot();
  }
  [[nodiscard]] bool is_empty() const { return disk_ == nullptr; }

 private:
  std::shared_ptr<const storage::MemoryEnv> disk_;
};

}  // namespace dgfs::test
