// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content packer turns the content of a file into an extent, compressed where that pays.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "builder/read/batch.h"
#include "builder/stop.h"
#include "builder/train/dictionary_set.h"
#include "format/content/extent.h"
#include "format/content/seek_table.h"
#include "format/zstd/frame.h"

namespace dgfs::builder {

/// Content that is not compressed.
/// @param out        at least format::raw_extent_bytes(), as pack() needs or less
/// @param checksums  of the frames are appended
StoredExtent store_raw(Bytes content, MutableBytes out, std::vector<std::uint64_t>& checksums);

/// Room that pack() needs for any content of this size.
[[nodiscard]] std::uint64_t packed_bytes_max(std::uint64_t content_bytes);

/// Thread-safe. Few threads compress at a time, since compression's memory is large and
/// processors are few; the others wait.
class ContentPacker {
 public:
  /// @param level         zstd's
  /// @param dictionaries  must outlive this
  /// @param at_a_time     threads that compress; at least 1
  ContentPacker(int level, const DictionarySet& dictionaries, unsigned at_a_time, StopFlag stop);

  /// What depends on content, name, level and dictionaries alone. Errors of all: kInterrupted,
  /// kLimit (memory). None is of the file: they end a build.
  /// @param name       of the file
  /// @param out        at least packed_bytes_max()
  /// @param checksums  of the frames are appended
  [[nodiscard]] Result<StoredExtent> pack(std::string_view name, Bytes content, MutableBytes out,
                                          std::vector<std::uint64_t>& checksums);
  /// The same of content that several files share, at most kFragmentFrameBytesMax; nullopt, and
  /// nothing appended, where it does not pay to compress it.
  /// @param name  of the first of them
  [[nodiscard]] Result<std::optional<StoredExtent>> pack_fragments(
      std::string_view name, Bytes content, MutableBytes out,
      std::vector<std::uint64_t>& checksums);
  /// Frames of an extent with a seek table, back to back.
  /// @param first_frame  number of the first one
  /// @param content      whole frames but for the last
  /// @param out          at least packed_bytes_max()
  /// @param frames       receives them; where its last one ends, the data in `out` does
  [[nodiscard]] Status pack_frames(std::uint64_t first_frame, Bytes content, MutableBytes out,
                                   format::SeekTable& frames);

  /// A stretch of a file's content.
  struct Part {
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
  };
  /// What tells of a file with so much content whether it pays to compress it; nothing of a small
  /// one, which is compressed to see.
  [[nodiscard]] static std::vector<Part> parts_of(std::uint64_t content_bytes);
  /// Whether it does, by the content of these parts.
  [[nodiscard]] Result<bool> pays(const std::vector<Bytes>& parts);

 private:
  /// A context, for as long as it lives.
  class Lease;

  [[nodiscard]] Result<StoredExtent> pack_small(std::string_view name, Bytes content,
                                                MutableBytes out,
                                                std::vector<std::uint64_t>& checksums);
  [[nodiscard]] Result<StoredExtent> pack_large(Bytes content, MutableBytes out,
                                                std::vector<std::uint64_t>& checksums);

  int level_;
  const DictionarySet& dictionaries_;
  StopFlag stop_;
  std::mutex mutex_;  ///< guards free_
  std::condition_variable freed_;
  std::vector<std::unique_ptr<format::ZstdCompressor>> free_;
};

}  // namespace dgfs::builder
