// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memory of a thread for what only passes through a read, so that a read allocates nothing but what
// a cache then keeps.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace dgfs::reader {

/// Never shrinks. A part is used by one call at a time: it must not be handed on to one that may
/// read, too.
struct ReadScratch {
  Buffer stored;                         ///< frames as they stand in the volume; up to 1 MiB
  Buffer frame;                          ///< one raw frame that is read in part
  std::vector<std::uint64_t> checksums;  ///< of raw frames
  std::vector<MutableBytes> spans;       ///< where a read goes

  /// That of this thread.
  [[nodiscard]] static ReadScratch& get() {
    thread_local ReadScratch scratch;
    return scratch;
  }
  /// The first bytes of a part.
  [[nodiscard]] static MutableBytes first(Buffer& part, std::size_t bytes) {
    if (part.size() < bytes) part.resize(bytes);
    return MutableBytes(part).first(bytes);
  }
};

}  // namespace dgfs::reader
