// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ContentReader: bytes of files, as all layers have them together.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/view/contents/composed_chunks.h"
#include "delta/view/contents/sequences.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Thread-safe. Calls take no lock, and see one moment each.
class ContentReader {
 public:
  /// Both must outlive it.
  ContentReader(const Layers& layers, ComposedChunks& composed)
      : layers_(layers), composed_(composed) {}

  /// As of View.
  [[nodiscard]] Result<std::size_t> read(ObjectNumber object, std::uint64_t offset_bytes,
                                         MutableBytes out) const;

 private:
  [[nodiscard]] Result<std::optional<std::size_t>> read_untouched(ObjectNumber object,
                                                                  std::uint64_t offset_bytes,
                                                                  MutableBytes out) const;

  const Layers& layers_;
  ComposedChunks& composed_;
  mutable Sequences sequences_;
};

/// Errors: kIsDirectory, kInvalidArgument (of another type).
[[nodiscard]] Status check_is_regular(std::uint32_t mode);

}  // namespace dgfs::view
