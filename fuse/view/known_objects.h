// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KnownObjects: the objects that the kernel knows. It counts how often the kernel was told of each,
// less what the kernel has forgotten, and marks those whose privileges a write need not drop. An
// object without a name ends when the kernel has forgotten it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace dgfs::fuse {

/// Thread-safe. Memory: 40 to 48 bytes for each object that the kernel knows: a node of 24 in
/// a piece of 32, and one or two pointers of the table.
class KnownObjects {
 public:
  void add(std::uint64_t inode, std::uint64_t count = 1);
  /// Returns whether the kernel does not know the object any more. A count that is too high is as
  /// good as all that there were.
  [[nodiscard]] bool remove(std::uint64_t inode, std::uint64_t count);
  [[nodiscard]] bool has(std::uint64_t inode) const;
  /// How many objects.
  [[nodiscard]] std::size_t size() const;

  // Privileges end when another user writes: set-user-id, set-group-id, capabilities. To find out
  // that an object has none costs reads. It holds until somebody grants some.

  /// How often privileges have been granted, to this object or others.
  [[nodiscard]] std::uint64_t grants(std::uint64_t inode) const;
  /// The object has no privileges, as was found out when grants() was this.
  void note_unprivileged(std::uint64_t inode, std::uint64_t grants);
  /// To be called when privileges have been granted, before the reply.
  void note_grant(std::uint64_t inode);
  /// Whether it has no privileges. False: nobody has found out.
  [[nodiscard]] bool is_unprivileged(std::uint64_t inode) const;

 private:
  // One word, as there may be many.
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
