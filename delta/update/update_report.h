// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What an update has done.
#pragma once

#include <cstdint>
#include <vector>

#include "builder/report.h"
#include "delta/view/sealed_delta.h"

namespace dgfs::update {

/// What an update has done, or would do. A value.
struct UpdateReport {
  std::uint64_t entries = 0;  ///< of the source
  std::uint64_t changed = 0;  ///< names with other attributes, contents, type or object
  std::uint64_t created = 0;
  std::uint64_t removed = 0;
  std::uint64_t written_bytes = 0;  ///< of contents
  std::uint64_t elapsed_ns = 0;
  /// The newest state, unless the run was dry. Without an outcome nothing has changed since.
  view::SealedDelta sealed;
  std::uint64_t loss_count = 0;       ///< entries that were left as they are in the delta
  std::vector<builder::Loss> losses;  ///< the first of them
};

}  // namespace dgfs::update
