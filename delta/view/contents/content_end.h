// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Finds the end of a file's content, for a repair when the file's attributes are lost.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// The end of the bytes that the stores have of an object; 0: they have none. Ignores bytes of the
/// image. Errors: those of Moment and of cursors.
/// Cost: that of the last chunks, back to the first one with data in a store.
[[nodiscard]] Result<std::uint64_t> end_of_data(const Moment& moment, ObjectNumber object);

}  // namespace dgfs::view
