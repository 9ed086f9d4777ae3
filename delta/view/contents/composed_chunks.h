// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ComposedChunks: a cache of chunks that were composed of patches and what lies below them. No
// reader gets a chunk that is older than a write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/cache_pool.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// Thread-safe. Its lock is innermost.
///
/// A reader takes a ticket (begin()) before it takes its moment. With the ticket it can find and
/// keep chunks only until a write to the object begins, or to another object with the same number
/// modulo kGuards. So all chunks that it finds agree with its moment.
class ComposedChunks {
 public:
  using Chunk = std::shared_ptr<const Buffer>;

  /// @param bytes_max  of cached chunks; 0: keeps none
  /// @param pool       shared with other caches; null: none
  explicit ComposedChunks(std::size_t bytes_max, std::shared_ptr<CachePool> pool = nullptr)
      : bytes_max_(bytes_max),
        share_(std::move(pool), [this](std::size_t bytes) { return give_up(bytes); }) {}

  /// Marks its object as being written to. For one thread; ends before the chunks.
  class Writing {
   public:
    Writing(ComposedChunks& chunks, ObjectNumber object);
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    /// Drops chunks before a write changes them.
    /// @param end  behind the last one; nullopt: all from `begin` on
    void forget(std::uint64_t begin, std::optional<std::uint64_t> end) noexcept;

   private:
    ComposedChunks& chunks_;
    const ObjectNumber object_;
  };

  /// Permission to use chunks of an object. A value.
  class Ticket {
   public:
    Ticket() = default;  ///< no permission

   private:
    friend class ComposedChunks;
    explicit Ticket(std::uint64_t epoch) : epoch_(epoch) {}
    std::optional<std::uint64_t> epoch_;
  };

  [[nodiscard]] Ticket begin(ObjectNumber object);
  /// Null: not cached, or the ticket has expired.
  [[nodiscard]] Chunk find(const Ticket& ticket, ObjectNumber object, std::uint64_t chunk);
  /// Whether a chunk that is read in part is worth composing as a whole: it was asked for before,
  /// and not many other chunks since. Notes this request.
  [[nodiscard]] bool is_asked_again(ObjectNumber object, std::uint64_t chunk) noexcept;
  /// Keeps a chunk, unless the ticket has expired. Drops the chunks that were not used for longest.
  void keep(const Ticket& ticket, ObjectNumber object, std::uint64_t chunk, Chunk bytes) noexcept;

  /// Of cached chunks.
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  struct Key {
    ObjectNumber object = 0;
    std::uint64_t chunk = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Order = std::list<Key>;
  struct Kept {
    Chunk bytes;
    Order::iterator place;
  };
  using Chunks = std::map<Key, Kept>;
  /// Of objects with the same number modulo kGuards.
  struct Guard {
    std::uint64_t epoch = 0;  ///< rises whenever a write ends
    std::uint64_t writers = 0;
  };
  static constexpr std::size_t kGuards = 1024;
  static constexpr std::size_t kAskedMax = 256;

  // With mutex_ held.
  [[nodiscard]] Guard& guard_of(ObjectNumber object) { return guards_[object % kGuards]; }
  [[nodiscard]] bool may_use(const Ticket& ticket, ObjectNumber object) {
    return guard_of(object).writers == 0 && ticket.epoch_ == guard_of(object).epoch;
  }
  void drop(Chunks::iterator kept);
  void drop_above(std::size_t bytes_max);

  [[nodiscard]] std::size_t give_up(std::size_t bytes);

  const std::size_t bytes_max_;
  mutable std::mutex mutex_;  ///< guards all that follows
  std::array<Guard, kGuards> guards_{};
  Chunks chunks_;
  Order order_;  ///< the last used first
  std::size_t bytes_ = 0;
  std::array<Key, kAskedMax> asked_{};  ///< with chunk + 1, so that 0 is empty
  std::size_t asked_next_ = 0;          ///< the place of the oldest
  CachePool::Share share_;
};

}  // namespace dgfs::view
