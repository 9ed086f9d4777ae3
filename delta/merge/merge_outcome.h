// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a merge into the base of a delta has done, or would do.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "delta/merge/base_merge.h"

namespace dgfs::merge {

/// A value.
struct MergeOutcome {
  MadeBase base;
  std::uint64_t bytes_before = 0;  ///< of the disk that the delta took
  std::uint64_t bytes_after = 0;
  std::uint64_t took_ns = 0;
  /// Of the disk, about: changes since the last seal, which a dry run under a mount cannot read. A
  /// merge would seal them and take them in.
  std::uint64_t unsealed_bytes = 0;
  std::optional<Error> unremoved;  ///< why files that nothing needs are still there
};

}  // namespace dgfs::merge
