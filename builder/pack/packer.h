// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The packer completes the entries of batches whose data is written, in order, for the index. With
// the data writer it decides about the bytes of the image; neither knows how many threads read.
#pragma once

#include <cstdint>
#include <string>

#include "builder/index/writer.h"
#include "builder/losses.h"
#include "builder/pack/data_writer.h"
#include "builder/progress.h"
#include "format/limits.h"

namespace dgfs::builder {

/// What a packer works with; references outlive it.
struct PackerParts {
  DataWriter& data;
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

  /// Names of multiply linked objects beyond the first of each.
  [[nodiscard]] std::uint64_t further_names() const { return further_names_; }
  /// Files whose content is that of an earlier one, and what their extents would have taken.
  [[nodiscard]] std::uint64_t shared_files() const { return shared_files_; }
  [[nodiscard]] std::uint64_t shared_bytes() const { return shared_bytes_; }

 private:
  [[nodiscard]] Status pack(WrittenBatch& batch);
  [[nodiscard]] Status complete_items(WrittenBatch& batch);
  [[nodiscard]] Status complete(BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status complete_entry_fields(BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status add_digest(const BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status add_first_name();
  [[nodiscard]] Status add_further_name(const BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status omit(const BatchItem& item);
  [[nodiscard]] Status lose(const BatchItem& item, const ScannedEntry& scanned, Error error);

  PackerParts parts_;
  OmittedPositions omitted_;
  std::string prefix_;
  format::Entry entry_;  ///< being completed
  /// Where the next extent to be completed begins that has no place of its own.
  format::DataAddress data_at_{0, format::kPageBytes};
  std::uint64_t counted_bytes_ = 0;  ///< in the progress, of a file in pieces
  std::uint64_t further_names_ = 0;
  std::uint64_t shared_files_ = 0;
  std::uint64_t shared_bytes_ = 0;
};

}  // namespace dgfs::builder
