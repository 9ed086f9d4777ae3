// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whether two copies of an index are the same bytes.
#pragma once

#include <functional>

#include "base/result.h"
#include "reader/index/copy.h"

namespace dgfs::reader {

/// Compares what belongs to an index, copies of which have equal superblocks, byte by byte. Tells
/// where each section differs first, at its place in `first`. Reads both copies once.
void compare_copies(const IndexCopy& first, const IndexCopy& second,
                    const std::function<void(const Error&)>& differs);

}  // namespace dgfs::reader
