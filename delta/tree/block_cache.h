// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// BlockCache: keeps decoded blocks that were read, the least recently used ones go first.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace dgfs::delta {

/// Thread-safe.
class BlockCache {
 public:
  /// @param bytes_max  of what is kept; what others hold besides does not count
  explicit BlockCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// @param offset_bytes  of the block in its file
  void insert(std::uint64_t offset_bytes, std::shared_ptr<const void> value, std::size_t bytes);
  /// It was used.
  void touch(std::uint64_t offset_bytes);
  /// Its block is no more.
  void erase(std::uint64_t offset_bytes);

  [[nodiscard]] std::size_t size_bytes() const;

 private:
  struct Entry {
    std::uint64_t offset_bytes;
    std::shared_ptr<const void> value;
    std::size_t bytes;
  };
  using Entries = std::list<Entry>;  ///< the last used first

  void drop(std::unordered_map<std::uint64_t, Entries::iterator>::iterator at, Entries& dropped);

  mutable std::mutex mutex_;
  const std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  Entries entries_;
  std::unordered_map<std::uint64_t, Entries::iterator> places_;
};

}  // namespace dgfs::delta
