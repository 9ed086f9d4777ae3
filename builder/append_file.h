// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Appending to a file in large writes.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/file.h"

namespace dgfs::builder {

/// Gathers small pieces in a buffer and writes large ones straight from where they are. Positions
/// are offsets in the file. Nothing is certain to be in the file before flush().
class AppendFile {
 public:
  /// Devices and file systems reach their full rate with writes of this size.
  static constexpr std::size_t kWriteBytes = std::size_t{4} << 20;

  /// @param file  must outlive this
  AppendFile(storage::File& file, std::uint64_t begin, std::size_t write_bytes = kWriteBytes)
      : file_(file), written_(begin), write_bytes_(write_bytes) {}

  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status append(Bytes bytes);
  /// Appends zeros up to a multiple of `alignment`.
  [[nodiscard]] Status align(std::size_t alignment);
  [[nodiscard]] Status flush();
  /// Goes back to an earlier position: what was appended since is overwritten.
  [[nodiscard]] Status rewind(std::uint64_t position);
  [[nodiscard]] std::uint64_t position() const { return written_ + buffer_.size(); }

 private:
  storage::File& file_;
  std::uint64_t written_;
  std::size_t write_bytes_;
  Buffer buffer_;
};

}  // namespace dgfs::builder
