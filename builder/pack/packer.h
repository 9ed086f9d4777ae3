// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The packer takes batches with written data in order, completes their entries, and adds these to
// the index. Packer and data writer determine the bytes of the image, independently of the number
// of reading threads.
#pragma once

#include <cstdint>
#include <string>

#include "builder/index/writer.h"
#include "builder/losses.h"
#include "builder/pack/data_writer.h"
#include "builder/progress.h"
#include "format/limits.h"

namespace dgfs::builder {

/// Parts that a packer uses. The references must outlive it.
struct PackerParts {
  DataWriter& data;
  IndexWriter& index;
  LossLog& losses;
  ProgressMeter& progress;
  bool keeps_numbers = false;   ///< ScannedEntry::inode
  bool keeps_contents = false;  ///< some contents lie in volumes of other images
};

/// Single use.
class Packer {
 public:
  explicit Packer(PackerParts parts) : parts_(parts) {}

  /// Packs the whole tree. Errors: those of reading (unless keep_going), writing and indexing.
  [[nodiscard]] Status run();

  /// Names of multiply linked objects beyond the first of each.
  [[nodiscard]] std::uint64_t further_names() const { return further_names_; }
  /// Objects whose contents stay in volumes of other images.
  [[nodiscard]] std::uint64_t kept_files() const { return kept_files_; }
  /// Files with the content of an earlier file, and the bytes that their extents would have taken.
  [[nodiscard]] std::uint64_t shared_files() const { return shared_files_; }
  [[nodiscard]] std::uint64_t shared_bytes() const { return shared_bytes_; }

 private:
  [[nodiscard]] Status pack(WrittenBatch& batch);
  [[nodiscard]] Status complete_items(WrittenBatch& batch);
  [[nodiscard]] Status complete(BatchItem& item, ScannedEntry& scanned);
  [[nodiscard]] Status take_from_reading(BatchItem& item, ScannedEntry& scanned);
  [[nodiscard]] Status complete_entry_fields(BatchItem& item, const ScannedEntry& scanned);
  /// The digest to keep; none if none is wanted.
  [[nodiscard]] Result<std::optional<format::Digest>> digest_of(const BatchItem& item,
                                                                const ScannedEntry& scanned) const;
  [[nodiscard]] format::InodeNumber number_of(const ScannedEntry& scanned) const;
  [[nodiscard]] Status add_entry(const BatchItem& item, const ScannedEntry& scanned,
                                 const std::optional<format::Digest>& digest);
  [[nodiscard]] Status add_digest(const std::optional<format::Digest>& digest);
  [[nodiscard]] Status add_first_name(const ScannedEntry& scanned,
                                      const std::optional<format::Digest>& digest);
  [[nodiscard]] Status add_placed(const BatchItem& item, const ScannedEntry& scanned,
                                  const std::optional<format::Digest>& digest);
  [[nodiscard]] Status add_further_name(const BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status add_nameless(const BatchItem& item, const ScannedEntry& scanned,
                                    const std::optional<format::Digest>& digest);
  [[nodiscard]] ExtentPlace place_of(const BatchItem& item, const ScannedEntry& scanned);
  [[nodiscard]] Status omit(const BatchItem& item);
  [[nodiscard]] Status lose(const BatchItem& item, const ScannedEntry& scanned, Error error);

  PackerParts parts_;
  OmittedPositions omitted_;
  std::string prefix_;
  format::Entry entry_;  ///< being completed
  /// Begin of the next extent in the running sum, that is, without an address of its own.
  format::DataAddress data_at_{0, format::kPageBytes};
  std::uint64_t counted_bytes_ = 0;  ///< bytes of a file in pieces that progress has counted
  std::uint64_t further_names_ = 0;
  std::uint64_t kept_files_ = 0;
  std::uint64_t shared_files_ = 0;
  std::uint64_t shared_bytes_ = 0;
};

}  // namespace dgfs::builder
