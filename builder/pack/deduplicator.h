// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The deduplicator finds contents that are already in the image, so that each is stored once.
#pragma once

#include <cstdint>
#include <optional>

#include "builder/pack/batch_compaction.h"
#include "builder/pack/content_table.h"
#include "builder/pack/read_back.h"
#include "builder/read/batch.h"
#include "builder/read/content_packer.h"
#include "builder/read/known_contents.h"
#include "format/zstd/content_dictionary.h"

namespace dgfs::builder {

/// For putting compression off: `known` tells the reading threads which contents they need not
/// compress, and `packer` compresses those that were not in the image after all. Both are set or
/// none.
struct PutOff {
  KnownContents* known = nullptr;
  ContentPacker* packer = nullptr;
};

/// Contents are equal if their bytes are, even if their extents differ, because files of different
/// classes or runs are compressed with different dictionaries. The first content in the order of
/// the image is kept, so the result depends only on the tree. For one thread.
class Deduplicator {
 public:
  /// @param volumes       volumes of the image being written
  /// @param dictionaries  those of the image's compressed extents
  /// @param put_off       set if readers put compression off
  /// All must outlive this.
  Deduplicator(const AppendFiles& volumes, const format::ContentDictionaries& dictionaries,
               ContentTable table, PutOff put_off = {})
      : volumes_(volumes),
        dictionaries_(dictionaries),
        table_(std::move(table)),
        put_off_(put_off),
        read_back_(volumes) {}

  /// Removes data and checksums of each content that is already in the image, or earlier in this
  /// batch, and points the items to the first copy. Compresses contents that were put off and are
  /// not there. The batch must be the next one in its volume. Errors: kIo, kNoSpace (of the table's
  /// file); those of ContentPacker::pack().
  [[nodiscard]] Status share(Batch& batch);

  /// The earlier extent with the same content as `own`, if any. If there is none, adds `own` to the
  /// table.
  /// @param own            the last extent in its volume
  /// @param content_bytes  without holes
  /// Errors: as share().
  [[nodiscard]] Result<std::optional<PlacedExtent>> find_or_add(const Fingerprint& fingerprint,
                                                                const PlacedExtent& own,
                                                                std::uint64_t content_bytes);

 private:
  /// An extent with its bytes in memory.
  struct Loaded {
    format::ExtentCodec codec;
    Bytes stored;
  };

  [[nodiscard]] Result<bool> is_there(const PlacedExtent& known, const BatchExtent& extent,
                                      Bytes own, const Batch& batch);
  [[nodiscard]] Status pack_late(const BatchExtent& extent, BatchCompaction& data, Batch& batch);
  [[nodiscard]] Result<Bytes> load(const PlacedExtent& extent, const Batch& batch);
  [[nodiscard]] Result<bool> is_same_written(const PlacedExtent& a, const PlacedExtent& b,
                                             std::uint64_t content_bytes) const;
  [[nodiscard]] bool is_same(const Loaded& a, const Loaded& b, std::uint64_t content_bytes) const;
  [[nodiscard]] std::optional<Buffer> open(const Loaded& extent, std::uint64_t content_bytes) const;

  const AppendFiles& volumes_;
  const format::ContentDictionaries& dictionaries_;
  ContentTable table_;
  PutOff put_off_;
  ReadBack read_back_;
};

}  // namespace dgfs::builder
