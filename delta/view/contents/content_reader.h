// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ContentReader: reads bytes of files, composed from all layers.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/view/contents/composed_chunks.h"
#include "delta/view/contents/sequences.h"
#include "delta/view/generations.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Thread-safe. A call takes no lock, and reads one moment.
class ContentReader {
 public:
  /// Both must outlive it.
  ContentReader(const Generations& generations, ComposedChunks& composed)
      : generations_(generations), composed_(composed) {}

  /// As of View.
  [[nodiscard]] Result<std::size_t> read(ObjectNumber object, std::uint64_t offset_bytes,
                                         MutableBytes out) const;

 private:
  const Generations& generations_;
  ComposedChunks& composed_;
  mutable Sequences sequences_;
};

/// Errors: kIsDirectory, kInvalidArgument (another type).
[[nodiscard]] Status check_is_regular(std::uint32_t mode);

}  // namespace dgfs::view
