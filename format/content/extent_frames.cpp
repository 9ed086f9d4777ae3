// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/content/extent_frames.h"

#include <limits>

#include "format/checksum.h"

namespace dgfs::format {

std::uint64_t raw_content_bytes(std::uint64_t stored_bytes) {
  const auto full = stored_bytes / kStoredFrameBytes * kFrameBytes;
  const auto rest = stored_bytes % kStoredFrameBytes;
  if (rest == 0) return full;
  if (rest <= kChecksumBytes) return std::numeric_limits<std::uint64_t>::max();
  return full + rest - kChecksumBytes;
}

std::uint64_t frame_checksum(std::uint64_t frame, Bytes stored) noexcept {
  return checksum64(stored, frame);
}

}  // namespace dgfs::format
