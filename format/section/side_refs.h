// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which member of an entry refers to its record in which section.
#pragma once

#include <algorithm>
#include <array>

#include "format/entry/entry.h"
#include "format/header/section.h"

namespace dgfs::format {

/// A section of records, and the member of an entry that refers to its record there. A value.
struct EntryRef {
  SectionKind kind;
  SideRef Entry::*ref;
};

/// One row for each section of shape kRecords.
inline constexpr std::array kSideRefs = {
    EntryRef{SectionKind::kLongTargets, &Entry::long_target},
    EntryRef{SectionKind::kXattrs, &Entry::xattrs},
    EntryRef{SectionKind::kSparseMaps, &Entry::sparse_map},
};
static_assert(std::ranges::count(kSections, SectionShape::kRecords, &SectionTraits::shape) ==
              std::ranges::count_if(kSideRefs, [](const EntryRef& side) {
                return section_shape(side.kind) == SectionShape::kRecords;
              }));

}  // namespace dgfs::format
