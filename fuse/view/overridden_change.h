// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Changes of attributes whose shown values are not the stored ones. The stored values stay, as if
// the file system stored none of them (as exFAT).
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/view/object.h"
#include "fuse/attributes.h"

namespace dgfs::fuse {

/// Takes the attributes that overrides replace out of a change. An owner or group that is shown
/// already is no change, any other is refused. Permissions under umask= are ignored. Bits that
/// overrides do not show (set-user-id, set-group-id, under umask= also sticky) are refused: they
/// would be given in the name of the stored owner. Device files change as without overrides.
/// @param mode  of the object
/// Errors: kNotPermitted.
[[nodiscard]] Status keep_overridden(const AttributeOverrides& overrides, std::uint32_t mode,
                                     view::AttributeChange& change);

/// Whether a change was taken out completely.
[[nodiscard]] bool changes_nothing(const view::AttributeChange& change);

/// The mode for a new object: without the bits that overrides do not show.
[[nodiscard]] std::uint32_t new_mode(const AttributeOverrides& overrides, std::uint32_t mode);

}  // namespace dgfs::fuse
