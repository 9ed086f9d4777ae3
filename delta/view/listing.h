// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Listing: a stream of the names of a directory, read piece by piece while the directory changes,
// as readdir(3), telldir(3) and seekdir(3) want it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/result.h"
#include "delta/view/listing_places.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// One name of a stream. Does not outlive the call that it is given to.
struct ListingName {
  std::string_view name;
  ObjectNumber object = 0;
  std::uint32_t type = 0;                  ///< as in Attributes::mode
  ListingCookie cookie = 0;                ///< goes on behind the name
  const Attributes* attributes = nullptr;  ///< null: they were not wanted, or are lost
  const Error* lost = nullptr;             ///< why they could not be read; null: nothing is wrong
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
  /// @param wants_attributes costs a record each; where one cannot be read (kIo, kCorrupt) the name
  ///                         is listed without it, and says why
  /// Errors: kInvalidArgument (nobody knows the cookie's place any more); kNotFound (the directory
  /// has ended), kIo, kCorrupt, kLimit (no memory). The names that it has visited by then count as
  /// a reply.
  [[nodiscard]] Status read(ListingCookie cookie, bool wants_attributes,
                            const std::function<bool(const ListingName&)>& visit);

 private:
  struct Reply;

  void begin_anew();
  [[nodiscard]] Status read_on(ListingCookie cookie, bool wants_attributes,
                               const std::function<bool(const ListingName&)>& visit);

  const Layers& layers_;
  Listings& listings_;
  std::mutex reading_;  ///< one reply at a time; the first
  std::shared_ptr<ListingPlaces> places_;
};

}  // namespace dgfs::view
