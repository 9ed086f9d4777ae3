// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One zstd frame, in a sealed block or in an extent.
#pragma once

#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "format/zstd/content_dictionary.h"

namespace dgfs::format {

/// Lowest and highest level of zstd.
inline constexpr int kZstdLevelMin = 1;
inline constexpr int kZstdLevelMax = 22;

/// A reusable context. Not thread-safe. Its output depends only on content, level and dictionary.
class ZstdCompressor {
 public:
  ZstdCompressor();
  ~ZstdCompressor();
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;

  /// Appends `content` as one frame to `out`.
  /// @param level       zstd's; kInvalidArgument outside of kZstdLevelMin to kZstdLevelMax
  /// @param dictionary  may be null
  [[nodiscard]] Status append(Bytes content, int level, Buffer& out,
                              const ContentDictionary* dictionary = nullptr);
  /// Stores `content` as one frame at the beginning of `out`.
  /// @param dictionary  may be null
  /// @return length of the frame; nullopt if `out` has no room for it
  /// Errors: kInvalidArgument (level), kLimit (memory).
  [[nodiscard]] Result<std::optional<std::size_t>> compress(Bytes content, int level,
                                                            const ContentDictionary* dictionary,
                                                            MutableBytes out);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Decompresses exactly one frame to exactly out.size() bytes (F-044).
/// @param dictionaries  dictionaries that the frame may name; null: it must name none
/// Errors: kCorrupt. Cost: no allocation after the first call of a thread.
[[nodiscard]] Status decompress_zstd_frame(Bytes frame, MutableBytes out,
                                           const ContentDictionaries* dictionaries = nullptr);

}  // namespace dgfs::format
