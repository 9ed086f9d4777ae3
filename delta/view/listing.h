// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Listing: a stream of the names of a directory, read piece by piece while the directory changes,
// as readdir(3), telldir(3) and seekdir(3) want it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// A place in a stream: behind a name that was listed. 0: the begin. The upper half is a tag of the
/// stream, the lower one a serial number of the name in it. Below 2^63.
using ListingCookie = std::uint64_t;

/// One name of a stream. Does not outlive the call that it is given to.
struct ListingName {
  std::string_view name;
  ObjectNumber object = 0;
  std::uint32_t type = 0;                  ///< as in Attributes::mode
  ListingCookie cookie = 0;                ///< goes on behind the name
  const Attributes* attributes = nullptr;  ///< null: they were not wanted
};

/// The names that the cookies of one stream stand for: those of the last reply, and of each earlier
/// one the name before its first. Thread-safe.
class ListingPlaces {
 public:
  /// Replies that are remembered, at most; cookies of older ones are refused.
  static constexpr std::size_t kRepliesMax = std::size_t{1} << 16;

  ListingPlaces(ObjectNumber directory, std::uint32_t tag) : directory_(directory), tag_(tag) {}

  [[nodiscard]] ObjectNumber directory() const { return directory_; }
  [[nodiscard]] std::uint32_t tag() const { return tag_; }

  /// The name behind which a cookie of this stream goes on; empty: at the begin. In an earlier
  /// reply it is the begin of that, so that names come again and none is left out. Errors:
  /// kInvalidArgument (its name is not remembered, or there was none).
  [[nodiscard]] Result<std::string> name_before(ListingCookie cookie) const;
  /// A reply begins. One that gets no names is none: the one before stays the last.
  /// @param after  the name behind which it goes on
  void begin_reply(std::string after);
  /// Of the name that will be added next.
  [[nodiscard]] ListingCookie next_cookie() const;
  /// Adds a name to it.
  void add(std::string_view name);
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Reply {
    std::uint32_t first_serial = 0;
    std::string after;
  };

  const ObjectNumber directory_;
  const std::uint32_t tag_;
  mutable std::mutex mutex_;  ///< innermost; what follows
  std::uint32_t next_serial_ = 1;
  std::deque<Reply> replies_;               ///< the last one has names_
  std::optional<std::string> begun_after_;  ///< of a reply that has no names yet
  std::vector<std::string> names_;          ///< of the last reply
};

/// The streams of a view. Those that have ended are remembered for a time, since cookies are told
/// to others (NFS). Thread-safe.
class Listings {
 public:
  /// Streams that have ended are remembered up to so many, the oldest are forgotten first.
  static constexpr std::size_t kEndedMax = 1024;
  /// And up to so much memory.
  static constexpr std::size_t kEndedBytesMax = std::size_t{8} << 20;

  /// @param first_tag  of the first stream: by chance, so that cookies of an earlier process are
  ///                   hardly taken for those of this one
  explicit Listings(std::uint32_t first_tag) : next_tag_(first_tag) {}

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
  std::unordered_map<std::uint32_t, std::shared_ptr<ListingPlaces>> streams_;
  std::deque<std::shared_ptr<ListingPlaces>> ended_;
  std::size_t ended_bytes_ = 0;
};

/// A stream. It keeps nothing of the stack between two calls, and shows each time what is there
/// then: a name that is there from the first call to the last comes once, whatever happens to
/// others. Thread-safe; the view must outlive it.
class Listing {
 public:
  Listing(const Layers& layers, Listings& listings, ObjectNumber directory)
      : layers_(layers), listings_(listings), places_(listings.begin(directory)) {}
  ~Listing() { listings_.end(places_); }
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;

  /// Visits names behind a cookie in order of their bytes, after "." and "..", until `visit`
  /// returns false: the name that it was given last counts as not listed. A directory that was
  /// removed has no names, not even those two.
  /// @param cookie           of this stream, of another one of the directory, or 0
  /// @param wants_attributes costs a record each
  /// Errors: kInvalidArgument (nobody knows the cookie's place any more); kNotFound (the directory
  /// has ended), kIo, kCorrupt, kLimit (no memory). The names that it has visited by then count as
  /// a reply.
  [[nodiscard]] Status read(ListingCookie cookie, bool wants_attributes,
                            const std::function<bool(const ListingName&)>& visit);

 private:
  struct Reply;

  [[nodiscard]] Status read_on(ListingCookie cookie, bool wants_attributes,
                               const std::function<bool(const ListingName&)>& visit);

  const Layers& layers_;
  Listings& listings_;
  std::mutex reading_;  ///< one reply at a time; the first
  std::shared_ptr<ListingPlaces> places_;
};

}  // namespace dgfs::view
