// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Places in streams of names: the names that cookies stand for, while a stream is open and for a
// time after.
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

/// A place in a stream: behind a name that was listed. 0: the begin. The upper half is a tag of the
/// stream, the lower one a serial number of the name in it. Below 2^63.
using ListingCookie = std::uint64_t;

/// The names that the cookies of one stream stand for: those of the last reply and of replies
/// shortly before it, and of each earlier one the name before its first. Thread-safe, but for names
/// that are added: by one thread.
class ListingPlaces {
 public:
  /// Replies are remembered up to so much memory, some 40,000; cookies of older ones are refused.
  static constexpr std::size_t kRepliesBytesMax = std::size_t{4} << 20;
  /// And their names, beside those of the last reply, up to so much: some 80,000. seekdir(3) is
  /// exact as far back.
  static constexpr std::size_t kNamesBytesMax = std::size_t{1} << 20;
  /// Where all streams of a view together have so many bytes of names, one that goes on keeps those
  /// of its last reply alone.
  static constexpr std::size_t kAllNamesBytesMax = std::size_t{8} << 20;
  /// A reply begins no later than with this name; behind it the stream goes on with a new tag.
  static constexpr std::uint32_t kLastBegin = std::uint32_t{1} << 31;

  /// @param last_begin       kLastBegin but in tests
  /// @param all_names_bytes  of all streams of a view
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
  /// No further reply may begin.
  [[nodiscard]] bool is_full() const;

  /// The name behind which a cookie of this stream goes on; empty: at the begin. In a reply whose
  /// names are forgotten it is the begin of that, so that names come again and none is left out.
  /// Errors: kInvalidArgument (its name is not remembered, or there was none).
  [[nodiscard]] Result<std::string> name_before(ListingCookie cookie) const;
  /// A reply begins. One that gets no names is none: the one before stays the last.
  /// @param after  the name behind which it goes on
  void begin_reply(std::string after);
  /// Gets the memory that a name takes, and its cookie.
  [[nodiscard]] ListingCookie prepare(std::string_view name);
  /// Adds the name that was prepared last.
  void add_prepared() noexcept;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Reply {
    std::string after;  ///< the name behind which it goes on
    std::string names;  ///< each with a zero byte behind it; empty: they are forgotten
  };
  using Replies = std::map<std::uint32_t, Reply>;
  /// What a reply takes besides the bytes of its name, about.
  static constexpr std::size_t kReplyBytes = 100;

  [[nodiscard]] static std::size_t bytes_of(const Reply& reply) {
    return kReplyBytes + reply.after.size();
  }
  /// The one that gets the next name.
  [[nodiscard]] Reply& growing() noexcept;
  void forget_old() noexcept;
  void forget_names(Reply& reply) noexcept;

  const ObjectNumber directory_;
  const std::uint32_t tag_;
  const std::uint32_t last_begin_;
  const std::shared_ptr<std::atomic<std::size_t>> all_names_bytes_;
  mutable std::mutex mutex_;  ///< innermost; what follows
  std::uint32_t next_serial_ = 1;
  Replies replies_;                ///< by their first names
  std::uint32_t first_named_ = 0;  ///< replies before this one have forgotten their names
  std::size_t replies_bytes_ = 0;
  std::size_t names_bytes_ = 0;
  Replies begun_;  ///< a reply that has no names yet, or none
  std::string prepared_;
};

/// The streams of a view. Those that have ended are remembered for a time, since cookies are told
/// to others (NFS). Thread-safe.
class Listings {
 public:
  /// Streams that have ended are remembered up to so many, the oldest are forgotten first.
  static constexpr std::size_t kEndedMax = 1024;
  /// And up to so much memory.
  static constexpr std::size_t kEndedBytesMax = std::size_t{8} << 20;

  /// @param first_tag   of the first stream: by chance, so that cookies of an earlier process are
  ///                    hardly taken for those of this one
  /// @param last_begin  of all streams (ListingPlaces)
  explicit Listings(std::uint32_t first_tag, std::uint32_t last_begin = ListingPlaces::kLastBegin)
      : next_tag_(first_tag), last_begin_(last_begin) {}

  [[nodiscard]] std::shared_ptr<ListingPlaces> begin(ObjectNumber directory);
  void end(const std::shared_ptr<ListingPlaces>& places) noexcept;
  /// Of the stream that a cookie is of, if it is one of the directory. Errors: kInvalidArgument.
  [[nodiscard]] Result<std::shared_ptr<ListingPlaces>> find(ObjectNumber directory,
                                                            ListingCookie cookie) const;

 private:
  static constexpr std::uint32_t kTagsMask = 0x7fffffff;

  void forget_oldest() noexcept;

  mutable std::mutex mutex_;  ///< before those of the places
  std::uint32_t next_tag_;
  const std::uint32_t last_begin_;
  /// Of all streams, ended ones too.
  const std::shared_ptr<std::atomic<std::size_t>> names_bytes_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::unordered_map<std::uint32_t, std::shared_ptr<ListingPlaces>> streams_;
  std::deque<std::shared_ptr<ListingPlaces>> ended_;
  std::size_t ended_bytes_ = 0;
};

}  // namespace dgfs::view
