// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PlacedNames: the names of a directory in order, each with the cookie of the place behind it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/view/directory_walk.h"
#include "delta/view/listing_places.h"

namespace dgfs::view {

/// A name with all that its walk knows. A value.
struct PlacedName {
  std::string name;
  Dentry dentry;
  std::optional<reader::Node> node;  ///< as DirectoryWalk::node()
  std::uint64_t code = 0;            ///< as seen from before all names
};

/// For one reply, in one thread. It reads one name ahead: if two neighbours have the same code,
/// the first one needs another cookie.
class PlacedNames {
 public:
  /// @param walk  is at no name yet; must outlive it, as must `places`
  PlacedNames(DirectoryWalk& walk, ObjectNumber directory, ListingPlaces& places)
      : walk_(walk), directory_(directory), places_(places) {}

  /// Moves to the first name. Errors: those of the walk.
  [[nodiscard]] Status begin();
  /// Moves behind the place of a cookie. Every name that was there when the cookie was given lies
  /// on the same side of it as then, if it is still there.
  /// @param cookie  above kBehindParent
  /// Errors: those of the walk; kInvalidArgument (it is no cookie; or its anchor is forgotten, and
  /// the names of the directory do not tell which one it was: they do if the anchor and the name of
  /// the cookie still exist).
  [[nodiscard]] Status go_behind(ListingCookie cookie);

  /// The name that it is at; null: there are no more. Valid until next(). Errors: those of the
  /// walk, once all names before the error have come.
  [[nodiscard]] Result<const PlacedName*> name();
  /// The cookie of the place behind name(). Throws std::bad_alloc.
  [[nodiscard]] ListingCookie cookie();
  void next();

 private:
  struct Anchor {
    std::uint32_t number = 0;
    std::string name;
  };

  [[nodiscard]] Result<std::string> find_anchor(const ListingPlace& place);
  [[nodiscard]] Result<std::vector<std::string>> possible_anchors(const ListingPlace& place);
  [[nodiscard]] Result<bool> is_name_there(std::string_view anchor, std::uint64_t code);
  [[nodiscard]] Status go_behind_code(ListingCookie cookie, std::string_view from,
                                      std::uint64_t code, unsigned bits);
  [[nodiscard]] bool gives(ListingCookie cookie);
  [[nodiscard]] Status seek_code(std::string_view from, std::uint64_t code, unsigned bits);
  void load(PlacedName& into);
  [[nodiscard]] bool has_more() const;
  [[nodiscard]] bool has_next();

  DirectoryWalk& walk_;
  const ObjectNumber directory_;
  ListingPlaces& places_;
  std::optional<Anchor> anchor_;  ///< the last one that was used; not after the names
  std::array<PlacedName, 2> names_;
  std::size_t count_ = 0;        ///< of names that are loaded
  std::optional<Error> failed_;  ///< of the walk, behind the names
};

}  // namespace dgfs::view
