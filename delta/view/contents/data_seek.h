// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DataSeek: where a file has data, and where holes. A chunk that a store says something of is data,
// or a hole as a whole if it was removed; of all others the image says which.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/view/contents/chunks.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Thread-safe. Calls take no lock, and see one moment each.
class DataSeek {
 public:
  /// @param layers  must outlive it
  explicit DataSeek(const Layers& layers) : layers_(layers), chunks_(layers.chunks()) {}

  // As of View.
  [[nodiscard]] Result<std::uint64_t> next_data(ObjectNumber object,
                                                std::uint64_t offset_bytes) const;
  [[nodiscard]] Result<std::uint64_t> next_hole(ObjectNumber object,
                                                std::uint64_t offset_bytes) const;

 private:
  const Layers& layers_;
  const Chunks chunks_;
};

}  // namespace dgfs::view
