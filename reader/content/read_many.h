// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What Image::read_many() is told and tells: many files in one call, read in the order in which
// they lie on the device and many at a time, each with its own answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "base/result.h"
#include "reader/node.h"

namespace dgfs::reader {

/// A file, or if it is a large one a part of it. Does not outlive the call that it is given to;
/// for one thread.
struct FilePiece {
  const Node* node = nullptr;      ///< the file
  std::uint64_t offset_bytes = 0;  ///< where in the file `bytes` begin
  Bytes bytes;                     ///< checked; empty only for an empty file
  bool is_last = true;             ///< whether the file ends with them
};

/// How to read many files. A value; what is out of range is moved into it.
struct ReadManyOptions {
  /// Reads of contents under way at once, 1 to 1024. A device that does nothing in between is
  /// best used with as many as it can serve at the same time.
  unsigned depth = 32;
  /// Files above this come in pieces of this size, rounded down to whole frames of 64 KiB; at
  /// least one frame.
  std::size_t piece_bytes = std::size_t{1} << 20;
  /// For all buffers of reads under way together; at least what one piece takes.
  std::size_t memory_bytes = std::size_t{32} << 20;
  /// Past the page cache a read from the device costs half the processor time, and what was read
  /// takes no memory from others. Through it is faster where the contents are in it already.
  bool through_page_cache = false;
  bool io_uring = true;  ///< false: threads read, as where the system forbids io_uring
};

/// Told of each piece, or of what is wrong with a file, which then ends.
/// @param index  of the path or node in what read_many() was given
/// @return whether to go on; false ends the call
using VisitPiece = std::function<bool(std::size_t index, const Result<FilePiece>& piece)>;

}  // namespace dgfs::reader
