// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DataSeek: where a file has data and where it has holes. A store decides
// about a chunk that it has records of: data, or a hole if the store removed it. The image decides
// about all others.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/view/contents/chunks.h"
#include "delta/view/generations.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Thread-safe. A call takes no lock, and reads one moment.
class DataSeek {
 public:
  /// @param generations  must outlive it
  explicit DataSeek(const Generations& generations)
      : generations_(generations), chunks_(generations.current()->chunks()) {}

  // As of View.
  [[nodiscard]] Result<std::uint64_t> next_data(ObjectNumber object,
                                                std::uint64_t offset_bytes) const;
  [[nodiscard]] Result<std::uint64_t> next_hole(ObjectNumber object,
                                                std::uint64_t offset_bytes) const;

 private:
  const Generations& generations_;
  const Chunks chunks_;
};

}  // namespace dgfs::view
