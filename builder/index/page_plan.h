// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The page plan decides how the entries of a page state the places of their extents, where these do
// not all follow each other: by the running sum of the page, by a gap in it, or by an address. A
// page may end early, so that the sum of the next one begins elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "format/entry/entry.h"
#include "format/limits.h"

namespace dgfs::builder {

/// Where the extent of a name lies. A value.
struct EntryExtent {
  format::DataAddress at;
  std::uint64_t stored_bytes = 0;
};
/// None: the name has no extent.
using ExtentPlace = std::optional<EntryExtent>;

/// A value.
struct PagePlan {
  format::DataAddress begin{0, format::kPageBytes};  ///< of the running sum
  std::size_t count = 0;                             ///< entries that the page may take
};

/// Plans a page that begins with the first entry. Sets address and gap of all entries that it may
/// take. A name of a linked object states its extent only where that lies in the sum, since the
/// link record has the address.
/// @param entries  at least one; more than fit into a page, if there are more
/// @param places   of their extents
/// @param may_gap  whether the codec of the page has gaps
/// Cost: some steps for each entry, some dozens for one with an address or a gap.
[[nodiscard]] PagePlan plan_page(std::span<format::Entry> entries,
                                 std::span<const ExtentPlace> places, bool may_gap);

}  // namespace dgfs::builder
