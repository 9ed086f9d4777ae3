// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares the bytes of two copies of an index.
#pragma once

#include <functional>

#include "base/result.h"
#include "reader/index/copy.h"

namespace dgfs::reader {

/// Compares the sections of two copies byte by byte; their superblocks must be equal. Reports the
/// first difference of each section, with its place in `first`. Reads both copies once.
void compare_copies(const IndexCopy& first, const IndexCopy& second,
                    const std::function<void(const Error&)>& differs);

}  // namespace dgfs::reader
