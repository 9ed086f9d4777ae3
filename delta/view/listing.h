// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Listing: the names of a directory, read piece by piece while the directory changes, for
// readdir(3), telldir(3) and seekdir(3).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "delta/view/generations.h"
#include "delta/view/listing_places.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// One name of a listing. Does not outlive the call that it is given to.
struct ListingName {
  std::string_view name;
  ObjectNumber object = 0;
  std::uint32_t type = 0;                  ///< as in Attributes::mode
  ListingCookie cookie = 0;                ///< the listing goes on behind the name
  const Attributes* attributes = nullptr;  ///< null: not wanted, or unreadable
  const Error* lost = nullptr;             ///< why they are unreadable; null: no error
};

/// Between two calls it keeps no state of the stack, and each call shows the present names. A name
/// that exists from the first call to the last is listed exactly once, whatever happens to others.
/// Thread-safe; the view must outlive it.
class Listing {
 public:
  Listing(const Generations& generations, ListingPlaces& places, ObjectNumber directory)
      : generations_(generations), places_(places), directory_(directory) {}

  /// Visits the names behind a cookie in the order of their bytes, after "." and "..", until
  /// `visit` returns false; the last name that `visit` got then counts as not listed. A directory
  /// that was removed has no names, not even "." and "..".
  /// @param cookie           of any listing of the directory, also one of an earlier process (see
  ///                         PlacedNames::go_behind() for the exceptions), or 0. A number that was
  ///                         never a cookie of it leads to any place, or is refused
  /// @param wants_attributes  costs a record for each name; if it is unreadable (kIo, kCorrupt),
  ///                          the name is listed without attributes, and with the error
  /// Errors: kInvalidArgument (the place is unknown); kNotFound (the directory has ended), kIo,
  /// kCorrupt, kLimit (out of memory). The names visited before the error count as a reply.
  [[nodiscard]] Status read(ListingCookie cookie, bool wants_attributes,
                            const std::function<bool(const ListingName&)>& visit);

 private:
  struct Reply;

  [[nodiscard]] Status read_on(ListingCookie cookie, bool wants_attributes,
                               const std::function<bool(const ListingName&)>& visit);

  const Generations& generations_;
  ListingPlaces& places_;
  const ObjectNumber directory_;
};

}  // namespace dgfs::view
