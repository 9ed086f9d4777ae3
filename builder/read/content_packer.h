// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content packer turns the content of a file into an extent, compressed if that pays.
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

/// Stores content uncompressed.
/// @param out        at least format::raw_extent_bytes(), which is not more than pack() needs
/// @param checksums  gets the checksums of the frames appended
StoredExtent store_raw(Bytes content, MutableBytes out, std::vector<std::uint64_t>& checksums);

/// Room that pack() needs for content of this size.
[[nodiscard]] std::uint64_t packed_bytes_max(std::uint64_t content_bytes);

/// Thread-safe. Only `at_a_time` threads compress at once, because compression takes much memory
/// and processors are few; the others wait.
class ContentPacker {
 public:
  /// @param level         of zstd
  /// @param dictionaries  must outlive this
  /// @param at_a_time     threads that compress at once; at least 1
  ContentPacker(int level, const DictionarySet& dictionaries, unsigned at_a_time, StopFlag stop);

  /// Packs a content. The result depends only on content, file, level and dictionaries. Errors of
  /// all methods: kInterrupted, kLimit (memory). They do not concern the file and end a build.
  /// @param out        at least packed_bytes_max()
  /// @param checksums  gets the checksums of the frames appended
  [[nodiscard]] Result<StoredExtent> pack(const NamedPosition& file, Bytes content,
                                          MutableBytes out, std::vector<std::uint64_t>& checksums);
  /// The same for the content of a fragment frame, at most kFragmentFrameBytesMax. nullopt, with
  /// nothing appended, if compression does not pay.
  /// @param file  the first one in the frame
  [[nodiscard]] Result<std::optional<StoredExtent>> pack_fragments(
      const NamedPosition& file, Bytes content, MutableBytes out,
      std::vector<std::uint64_t>& checksums);
  /// Packs frames of an extent with a seek table, back to back.
  /// @param first_frame  number of the first frame
  /// @param content      whole frames, except the last
  /// @param out          at least packed_bytes_max()
  /// @param frames       receives the frames; their end is the end of the data in `out`
  [[nodiscard]] Status pack_frames(std::uint64_t first_frame, Bytes content, MutableBytes out,
                                   format::SeekTable& frames);

  /// A part of a file's content.
  struct Part {
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
  };
  /// The parts of a file by which pays() decides about its content. Empty for a small file: pack()
  /// compresses it to find out. It does the same with a file that has the dictionary of a class by
  /// name.
  [[nodiscard]] static std::vector<Part> parts_of(std::uint64_t content_bytes);
  /// Whether compressing a file pays, judged by the content of these parts.
  [[nodiscard]] Result<bool> pays(const std::vector<Bytes>& parts);

 private:
  /// Holds a compression context while it exists.
  class Lease;

  [[nodiscard]] Result<StoredExtent> pack_small(const format::ContentDictionary* dictionary,
                                                Bytes content, MutableBytes out,
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
