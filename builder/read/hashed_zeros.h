// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Counts the zeros of holes that were hashed. Hashing them takes as long as hashing data, but no
// read or write shows this progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace dgfs::builder {

/// Bytes of all files with unfinished digests, and of files that are not packed yet. Thread-safe.
using HashedZeros = std::atomic<std::uint64_t>;

/// The share of one file in that sum. The destructor subtracts it. For one thread at a time.
class ZerosOfFile {
 public:
  /// Counts nothing.
  ZerosOfFile() = default;
  /// @param sum  must outlive this; null: counts nothing
  explicit ZerosOfFile(HashedZeros* sum) : sum_(sum) {}
  ~ZerosOfFile() { drop(); }
  ZerosOfFile(ZerosOfFile&& other) noexcept
      : sum_(other.sum_), bytes_(std::exchange(other.bytes_, 0)) {}
  ZerosOfFile& operator=(ZerosOfFile&& other) noexcept {
    drop();
    sum_ = other.sum_;
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  void add(std::uint64_t bytes) {
    if (sum_ == nullptr) return;
    *sum_ += bytes;
    bytes_ += bytes;
  }
  void drop() {
    if (sum_ != nullptr) *sum_ -= std::exchange(bytes_, 0);
  }

 private:
  HashedZeros* sum_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace dgfs::builder
