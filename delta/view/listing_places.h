// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Places in streams of names: the names that cookies stand for, while a stream is open and for some
// time afterwards.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "delta/view/object.h"

namespace dgfs::view {

/// A place in a stream, behind a listed name; 0: the start. The upper half is the tag of the
/// stream, the lower half the serial number of the name in the stream. Below 2^63.
using ListingCookie = std::uint64_t;

/// The names that the cookies of one stream stand for. It remembers all names of the last replies,
/// and of earlier replies only the name before the first. Thread-safe, but only one thread adds
/// names.
class ListingPlaces {
 public:
  /// Bounds the memory of remembered replies, about 40,000 of them. Cookies of older replies are
  /// refused.
  static constexpr std::size_t kRepliesBytesMax = std::size_t{4} << 20;
  /// Bounds the memory of the names of replies before the last one, about 80,000 names. seekdir(3)
  /// is exact that far back.
  static constexpr std::size_t kNamesBytesMax = std::size_t{1} << 20;
  /// Once the streams of a view together have this many bytes of names, a stream that goes on keeps
  /// only the names of its last reply.
  static constexpr std::size_t kAllNamesBytesMax = std::size_t{8} << 20;
  /// No reply begins after this serial number; then the stream goes on with a new tag.
  static constexpr std::uint32_t kLastBegin = std::uint32_t{1} << 31;

  /// @param last_begin       kLastBegin, except in tests
  /// @param all_names_bytes  shared by all streams of a view
  ListingPlaces(ObjectNumber directory, std::uint32_t tag, std::uint32_t last_begin = kLastBegin,
                std::shared_ptr<std::atomic<std::size_t>> all_names_bytes =
                    std::make_shared<std::atomic<std::size_t>>(0))
      : directory_(directory),
        tag_(tag),
        last_begin_(last_begin),
        all_names_bytes_(std::move(all_names_bytes)) {}
  ~ListingPlaces() { *all_names_bytes_ -= names_bytes_; }
  ListingPlaces(const ListingPlaces&) = delete;
  ListingPlaces& operator=(const ListingPlaces&) = delete;

  [[nodiscard]] ObjectNumber directory() const { return directory_; }
  [[nodiscard]] std::uint32_t tag() const { return tag_; }
  /// Whether no further reply may begin.
  [[nodiscard]] bool is_full() const;

  /// The name behind which a cookie of this stream goes on; empty: the start. If the names of its
  /// reply are forgotten, the name before that reply: so names may be listed twice, but none is
  /// left out. Errors: kInvalidArgument (the cookie is forgotten, or was never given out).
  [[nodiscard]] Result<std::string> name_before(ListingCookie cookie) const;
  /// Begins a reply. If it gets no names it does not count, and the one before stays the last.
  /// @param after  the name behind which it goes on
  void begin_reply(std::string after);
  /// Allocates the memory for a name, and returns its cookie.
  [[nodiscard]] ListingCookie prepare(std::string_view name);
  /// Adds the name that was prepared last.
  void add_prepared() noexcept;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Reply {
    std::string after;  ///< the name before its first
    std::string names;  ///< each followed by a zero byte; empty: forgotten
  };
  using Replies = std::map<std::uint32_t, Reply>;
  /// Roughly the memory of a reply besides the bytes of its name.
  static constexpr std::size_t kReplyBytes = 100;

  [[nodiscard]] static std::size_t bytes_of(const Reply& reply) {
    return kReplyBytes + reply.after.size();
  }
  /// The reply that gets the next name.
  [[nodiscard]] Reply& growing() noexcept;
  void forget_old() noexcept;
  void forget_names(Reply& reply) noexcept;

  const ObjectNumber directory_;
  const std::uint32_t tag_;
  const std::uint32_t last_begin_;
  const std::shared_ptr<std::atomic<std::size_t>> all_names_bytes_;
  mutable std::mutex mutex_;  ///< innermost; guards what follows
  std::uint32_t next_serial_ = 1;
  Replies replies_;                ///< by the serial number of the first name
  std::uint32_t first_named_ = 0;  ///< replies before this one have forgotten their names
  std::size_t replies_bytes_ = 0;
  std::size_t names_bytes_ = 0;
  Replies begun_;  ///< a reply without names yet, or empty
  std::string prepared_;
};

/// The streams of a view. It remembers ended streams for some time, because other hosts may still
/// use their cookies (NFS). Thread-safe.
class Listings {
 public:
  /// So many ended streams are remembered; the oldest are forgotten first.
  static constexpr std::size_t kEndedMax = 1024;
  /// Also bounds their memory.
  static constexpr std::size_t kEndedBytesMax = std::size_t{8} << 20;

  /// @param first_tag   of the first stream: random, so that a cookie of an earlier process hardly
  ///                    matches a stream of this one
  /// @param last_begin  of all streams (ListingPlaces)
  explicit Listings(std::uint32_t first_tag, std::uint32_t last_begin = ListingPlaces::kLastBegin)
      : next_tag_(first_tag), last_begin_(last_begin) {}

  [[nodiscard]] std::shared_ptr<ListingPlaces> begin(ObjectNumber directory);
  void end(const std::shared_ptr<ListingPlaces>& places) noexcept;
  /// The places of the cookie's stream, if it is a stream of the directory. Errors:
  /// kInvalidArgument.
  [[nodiscard]] Result<std::shared_ptr<ListingPlaces>> find(ObjectNumber directory,
                                                            ListingCookie cookie) const;

 private:
  static constexpr std::uint32_t kTagsMask = 0x7fffffff;

  void forget_oldest() noexcept;

  mutable std::mutex mutex_;  ///< before those of the places
  std::uint32_t next_tag_;
  const std::uint32_t last_begin_;
  /// Of all streams, also ended ones.
  const std::shared_ptr<std::atomic<std::size_t>> names_bytes_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::unordered_map<std::uint32_t, std::shared_ptr<ListingPlaces>> streams_;
  std::deque<std::shared_ptr<ListingPlaces>> ended_;
  std::size_t ended_bytes_ = 0;
};

}  // namespace dgfs::view
