// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads written parts of the image back, to compare contents.
#pragma once

#include <cstdint>

#include "builder/pack/output_volumes.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

/// Reads ahead if reads follow one another, as they do if a directory is a copy of another. Bytes
/// that it has read must not be overwritten. Not thread-safe.
class ReadBack {
 public:
  /// @param volumes  must outlive this
  explicit ReadBack(const AppendFiles& volumes) : volumes_(volumes) {}

  /// `count` bytes of the image from `at` on, which must be written; valid until the next call.
  /// Errors: kIo.
  [[nodiscard]] Result<Bytes> read(format::DataAddress at, std::size_t count);

 private:
  const AppendFiles& volumes_;
  format::DataAddress begin_;    ///< of window_
  std::size_t ahead_bytes_ = 0;  ///< bytes read beyond the wanted ones
  Buffer window_;
};

}  // namespace dgfs::builder
