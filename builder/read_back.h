// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reading what was written of an image, to compare.
#pragma once

#include <cstdint>

#include "builder/append_file.h"

namespace dgfs::builder {

/// Reads ahead where reads follow one another, as they do where a directory is the copy of another.
/// What it has read must not be overwritten. Not thread-safe.
class ReadBack {
 public:
  /// @param image  must outlive this
  explicit ReadBack(const AppendFile& image) : image_(image) {}

  /// Bytes [at_bytes, at_bytes + count) of the image, which must be there; valid until the next
  /// call. Errors: kIo.
  [[nodiscard]] Result<Bytes> read(std::uint64_t at_bytes, std::size_t count);

 private:
  const AppendFile& image_;
  std::uint64_t begin_ = 0;      ///< of window_, in the image
  std::size_t ahead_bytes_ = 0;  ///< that were read beyond what was wanted
  Buffer window_;
};

}  // namespace dgfs::builder
