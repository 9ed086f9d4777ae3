// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Arguments and results of Image::read_many(), which reads many files in one call: in the order of
// their places on the device, with many reads under way at once, and with a result for each file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "base/result.h"
#include "reader/node.h"

namespace dgfs::reader {

/// A whole file, or a part of a large one. Valid during the call that it is given to, which it does
/// not outlive; for one thread.
struct FilePiece {
  const Node* node = nullptr;      ///< the file
  std::uint64_t offset_bytes = 0;  ///< offset of `bytes` in the file
  Bytes bytes;                     ///< checked; empty only for an empty file
  bool is_last = true;             ///< the file ends with `bytes`
};

/// How to read many files. A value. Numbers out of range are clamped.
struct ReadManyOptions {
  /// Reads of contents under way at once, 1 to 1024. Throughput is best with as many as the device
  /// serves in parallel.
  unsigned depth = 32;
  /// Larger files come in pieces of this size. It is rounded down to whole frames of 64 KiB, and is
  /// at least one frame.
  std::size_t piece_bytes = std::size_t{1} << 20;
  /// Memory of all buffers of reads under way together. At least one piece is always read.
  std::size_t memory_bytes = std::size_t{32} << 20;
  /// Reads through the kernel's page cache, which is faster if the contents are cached already.
  /// Reading past it costs half the processor time and leaves the page cache to others.
  bool through_page_cache = false;
  bool io_uring = true;  ///< false: threads read, as if io_uring is forbidden
};

/// Called with each piece of a file, or with the error that ends the file.
/// @param index  of the path or node in the argument of read_many()
/// @return whether to go on; false ends the call
using VisitPiece = std::function<bool(std::size_t index, const Result<FilePiece>& piece)>;

}  // namespace dgfs::reader
