// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KnownObjects: the objects that the kernel knows. Counts for each how often the kernel was told
// about it, minus what the kernel has forgotten. Also marks objects without privileges, for which a
// write has none to drop. An object without a name ends when the kernel has forgotten it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace dgfs::fuse {

/// Thread-safe. Memory: 40 to 48 bytes per object that the kernel knows: a node of 24 bytes in
/// a piece of 32, and one or two pointers of the table.
class KnownObjects {
 public:
  void add(std::uint64_t inode, std::uint64_t count = 1);
  /// Returns true if the kernel does not know the object any more. A count that is too high removes
  /// the object.
  [[nodiscard]] bool remove(std::uint64_t inode, std::uint64_t count);
  [[nodiscard]] bool has(std::uint64_t inode) const;
  /// The number of objects.
  [[nodiscard]] std::size_t size() const;

  // Privileges (set-user-id, set-group-id, capabilities) end when another user writes. Finding out
  // that an object has none costs reads; the result holds until privileges are granted.

  /// How often privileges were granted, to this object or others.
  [[nodiscard]] std::uint64_t grants(std::uint64_t inode) const;
  /// Notes that the object had no privileges when grants() returned `grants`.
  void note_unprivileged(std::uint64_t inode, std::uint64_t grants);
  /// Call it when privileges were granted, before the reply.
  void note_grant(std::uint64_t inode);
  /// Whether the object is known to have no privileges. False: unknown.
  [[nodiscard]] bool is_unprivileged(std::uint64_t inode) const;

 private:
  // One word, because there may be many objects.
  struct Known {
    static constexpr std::uint64_t kUnprivileged = std::uint64_t{1} << 63;
    std::uint64_t word = 0;  ///< the count, and kUnprivileged
    [[nodiscard]] std::uint64_t count() const { return word & ~kUnprivileged; }
    [[nodiscard]] bool is_unprivileged() const { return (word & kUnprivileged) != 0; }
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::uint64_t, Known> objects;
    std::uint64_t grants = 0;
  };
  static constexpr std::size_t kShards = 64;
  [[nodiscard]] Shard& shard_of(std::uint64_t inode) { return shards_[inode % kShards]; }
  [[nodiscard]] const Shard& shard_of(std::uint64_t inode) const {
    return shards_[inode % kShards];
  }

  std::array<Shard, kShards> shards_;
};

}  // namespace dgfs::fuse
