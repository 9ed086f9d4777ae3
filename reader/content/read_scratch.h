// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Scratch memory of a thread for reads of contents, so that a read allocates only memory that a
// cache then keeps.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace dgfs::reader {

/// Never shrinks. One call at a time uses a part: a caller must not keep a part across a call that
/// may read.
struct ReadScratch {
  Buffer stored;                         ///< frames as stored in the volume; up to 1 MiB
  Buffer frame;                          ///< one raw frame, if a read wants only a part of it
  std::vector<std::uint64_t> checksums;  ///< of raw frames
  std::vector<MutableBytes> spans;       ///< destinations of a read

  /// The scratch memory of this thread.
  [[nodiscard]] static ReadScratch& get() {
    thread_local ReadScratch scratch;
    return scratch;
  }
  /// The first `bytes` bytes of a part, which grows if it must.
  [[nodiscard]] static MutableBytes first(Buffer& part, std::size_t bytes) {
    if (part.size() < bytes) part.resize(bytes);
    return MutableBytes(part).first(bytes);
  }
};

}  // namespace dgfs::reader
