// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The deduplicator finds contents that the image has already, so that each is stored once.
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

/// What tells the reading threads what they need not compress, and compresses it where that was a
/// mistake. Both or none.
struct PutOff {
  KnownContents* known = nullptr;
  ContentPacker* packer = nullptr;
};

/// Contents are the same if their bytes are, in however different extents they are stored: files of
/// two classes are compressed with two dictionaries. The first in the order of the image is kept,
/// so that what is shared depends on the tree alone. For one thread.
class Deduplicator {
 public:
  /// @param volumes       of the image that is being written
  /// @param dictionaries  of its compressed extents
  /// @param put_off       where contents were not compressed that are likely to be there
  /// All must outlive this.
  Deduplicator(const AppendFiles& volumes, const format::ContentDictionaries& dictionaries,
               ContentTable table, PutOff put_off = {})
      : volumes_(volumes),
        dictionaries_(dictionaries),
        table_(std::move(table)),
        put_off_(put_off),
        read_back_(volumes) {}

  /// Takes out of the batch, which follows in its volume, what is there already or stands in the
  /// batch before: its data and checksums; the items say where it is instead. What was put off and
  /// is not there is compressed. Errors: kIo, kNoSpace (of the table's file); those of
  /// ContentPacker::pack.
  [[nodiscard]] Status share(Batch& batch);

  /// The extent before `own` that has the same content, if any. If there is none, `own` is known
  /// from now on.
  /// @param own            the last one in its volume
  /// @param content_bytes  without holes
  /// Errors: as share().
  [[nodiscard]] Result<std::optional<PlacedExtent>> find_or_add(const Fingerprint& fingerprint,
                                                                const PlacedExtent& own,
                                                                std::uint64_t content_bytes);

 private:
  /// An extent whose bytes are in memory.
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
