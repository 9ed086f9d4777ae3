// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The packer takes batches in order, writes their data, and completes their entries. All that
// decides about the bytes of the image happens here, in one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "builder/append_file.h"
#include "builder/batch.h"
#include "builder/content_hash.h"
#include "builder/index_writer.h"
#include "builder/losses.h"
#include "builder/progress.h"
#include "builder/read_pool.h"

namespace dgfs::builder {

/// What a packer works with; references outlive it.
struct PackerParts {
  ReadPool& pool;
  AppendFile& image;  ///< positioned at the first extent
  IndexWriter& index;
  LossLog& losses;
  ProgressMeter& progress;
};

/// Single use.
class Packer {
 public:
  explicit Packer(PackerParts parts) : parts_(parts) {}

  /// Until the tree is done. Errors: those of reading (unless keep_going), writing, indexing.
  [[nodiscard]] Status run();

  [[nodiscard]] const ContentHash& frames() const { return frames_; }
  /// Names of multiply linked objects beyond the first of each.
  [[nodiscard]] std::uint64_t further_names() const { return further_names_; }

 private:
  /// Where to return to if a large file turns out to be lost.
  struct LargeStart {
    std::uint64_t position = 0;
    ContentHash frames;
    std::optional<Error> error;
    std::uint64_t counted_bytes = 0;  ///< in the progress
  };

  [[nodiscard]] Status pack(Batch& batch);
  [[nodiscard]] Status pack_piece(Batch& batch);
  [[nodiscard]] Status write_data(const Batch& batch);
  [[nodiscard]] Status complete_items(Batch& batch);
  [[nodiscard]] Status complete(BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status complete_entry_fields(const BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status add_first_name();
  [[nodiscard]] Status add_further_name(const BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status omit(const BatchItem& item);
  [[nodiscard]] Status lose(const BatchItem& item, const ScannedEntry& scanned, Error error);

  PackerParts parts_;
  ContentHash frames_;
  OmittedPositions omitted_;
  std::string prefix_;
  format::Entry entry_;        ///< being completed
  std::uint64_t data_at_ = 0;  ///< where the next extent to be completed begins
  std::optional<LargeStart> large_;
  std::uint64_t further_names_ = 0;
};

}  // namespace dgfs::builder
