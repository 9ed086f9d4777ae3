// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ComposedChunks: chunks that were put together of patches and what lies below them, so that the
// next reader need not do it again. No reader finds one that is older than a write.
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
/// A reader asks what it may use (begin()) before it takes its moment. From then on it finds and
/// keeps chunks only as long as nobody has begun to write to the object, or to one of the same
/// remainder: all that is here is then what the reader's moment has.
class ComposedChunks {
 public:
  using Chunk = std::shared_ptr<const Buffer>;

  /// @param bytes_max  of chunks; 0: it keeps none
  /// @param pool       that also other caches are in; null: none
  explicit ComposedChunks(std::size_t bytes_max, std::shared_ptr<CachePool> pool = nullptr)
      : bytes_max_(bytes_max),
        share_(std::move(pool), [this](std::size_t bytes) { return give_up(bytes); }) {}

  /// Says that its object is written to, until it ends. For one thread; ends before the chunks.
  class Writing {
   public:
    Writing(ComposedChunks& chunks, ObjectNumber object);
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    /// Before the write happens: chunks that it changes.
    /// @param end  behind the last one; nullopt: all from `begin` on
    void forget(std::uint64_t begin, std::optional<std::uint64_t> end) noexcept;

   private:
    ComposedChunks& chunks_;
    const ObjectNumber object_;
  };

  /// Leave to use chunks of an object. A value.
  class Ticket {
   public:
    Ticket() = default;  ///< nothing

   private:
    friend class ComposedChunks;
    explicit Ticket(std::uint64_t epoch) : epoch_(epoch) {}
    std::optional<std::uint64_t> epoch_;
  };

  [[nodiscard]] Ticket begin(ObjectNumber object);
  /// Null: it is not here, or the reader may not use it.
  [[nodiscard]] Chunk find(const Ticket& ticket, ObjectNumber object, std::uint64_t chunk);
  /// Whether a chunk that was read in part is worth composing as a whole: it was asked for before,
  /// and not many others since. Notes that it is asked for.
  [[nodiscard]] bool is_asked_again(ObjectNumber object, std::uint64_t chunk) noexcept;
  /// Keeps a chunk, unless the reader may not. Chunks that were used longest ago make room.
  void keep(const Ticket& ticket, ObjectNumber object, std::uint64_t chunk, Chunk bytes) noexcept;

  /// Of chunks.
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
  /// Of objects that have the same remainder.
  struct Guard {
    std::uint64_t epoch = 0;  ///< grows with each write that ends
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
  mutable std::mutex mutex_;  ///< all that follows
  std::array<Guard, kGuards> guards_{};
  Chunks chunks_;
  Order order_;  ///< of use, the newest first
  std::size_t bytes_ = 0;
  std::array<Key, kAskedMax> asked_{};  ///< with chunk + 1
  std::size_t asked_next_ = 0;          ///< the place of the oldest
  CachePool::Share share_;
};

}  // namespace dgfs::view
