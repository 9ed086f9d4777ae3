// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Where contents end, which a repair asks for when the attributes of a file are lost.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// The offset behind the last byte that the stores have of an object, in bytes; 0: they have none.
/// Bytes of the image do not count. Errors: those of Moment, and of cursors.
/// Cost: that of the chunks at the end of which the stores have zeros alone.
[[nodiscard]] Result<std::uint64_t> end_of_data(const Moment& moment, ObjectNumber object);

}  // namespace dgfs::view
