// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The deduplicator finds contents that the image has already, so that each is stored once.
#pragma once

#include <cstdint>
#include <optional>

#include "builder/batch.h"
#include "builder/content_table.h"
#include "builder/read_back.h"
#include "format/content_dictionary.h"

namespace dgfs::builder {

/// Contents are the same if their bytes are, in however different extents they are stored: files of
/// two classes are compressed with two dictionaries. The first in the order of the image is kept,
/// so that what is shared depends on the tree alone. For one thread.
class Deduplicator {
 public:
  /// @param volumes       of the image that is being written
  /// @param dictionaries  of its compressed extents
  /// Both must outlive this.
  Deduplicator(const AppendFiles& volumes, const format::ContentDictionaries& dictionaries,
               ContentTable table)
      : volumes_(volumes),
        dictionaries_(dictionaries),
        table_(std::move(table)),
        read_back_(volumes) {}

  /// Takes out of the batch, which follows in its volume, what is there already or stands in the
  /// batch before: its data and checksums; the items say where it is instead. Errors: kIo, kNoSpace
  /// (of the table's file).
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

  [[nodiscard]] Result<Bytes> load(const PlacedExtent& extent, const Batch& batch);
  [[nodiscard]] Result<bool> is_same_written(const PlacedExtent& a, const PlacedExtent& b,
                                             std::uint64_t content_bytes) const;
  [[nodiscard]] bool is_same(const Loaded& a, const Loaded& b, std::uint64_t content_bytes) const;
  [[nodiscard]] std::optional<Buffer> open(const Loaded& extent, std::uint64_t content_bytes) const;

  const AppendFiles& volumes_;
  const format::ContentDictionaries& dictionaries_;
  ContentTable table_;
  ReadBack read_back_;
};

}  // namespace dgfs::builder
