// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One zstd frame to bytes and back, with the strictness hostile input needs: exactly one frame,
// exactly the expected size, no memory beyond the output.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

/// Compresses frames one after the other. Output depends on the frames given to this object so
/// far, the level and the zstd version, on nothing else; not thread-safe. Memory: zstd's
/// compression context for the level (0.5 to 10 MB for frames of 64 KiB).
class ZstdCompressor {
 public:
  ZstdCompressor();
  ~ZstdCompressor();
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;

  /// Appends `content` as one frame to `out`.
  /// @param level  zstd's, 1 to 22; kInvalidArgument otherwise
  [[nodiscard]] Status append(Bytes content, int level, Buffer& out);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Decodes `frame`, which must be exactly one zstd frame of exactly out.size() bytes of content.
/// Thread-safe; each thread keeps one decompression context (about 160 KB).
/// Errors: kCorrupt.
[[nodiscard]] Status decompress_zstd_frame(Bytes frame, MutableBytes out);

}  // namespace dgfs::format
