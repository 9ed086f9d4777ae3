// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The batch maker cuts the tree spool into batches. The cuts depend on the tree and on the size of
// a batch, never on threads. No batch has files of two volume groups.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "builder/read/batch.h"
#include "builder/read/content_packer.h"
#include "builder/read/fragment_groups.h"
#include "builder/read/volume_groups.h"
#include "builder/scan/directory_cursor.h"
#include "builder/spool/tree_spool.h"
#include "builder/stop.h"

namespace dgfs::builder {

/// Calls must not overlap; they may come from different threads.
class BatchMaker {
 public:
  /// @param root        the source; it and `tree` must outlive the maker
  /// @param data_bytes  capacity of a batch: whole frames with their checksums, at least two frames
  ///                    of a compressed extent
  /// @param packer      compresses contents; must outlive the maker. null: no compression
  BatchMaker(const storage::Directory& root, const TreeSpool& tree, LinkNames links,
             std::size_t data_bytes, StopFlag stop, const FileRules& rules, ContentPacker* packer);
  /// Makes digests of large files. Must be called before the first batch.
  /// @param hashed  counts the zeros of their holes; must outlive the batches
  void want_digests(format::DigestAlgorithm algorithm, HashedZeros* hashed) {
    digest_algorithm_ = algorithm;
    hashed_zeros_ = hashed;
  }
  /// Lets small neighbours share frames with so much content. Must be called before the first
  /// batch.
  void join(std::size_t fragment_frame_bytes) { fragments_ = FragmentGroups(fragment_frame_bytes); }
  /// Spreads contents over several volumes. Must be called before the first batch.
  void spread(std::size_t volumes, GroupLimits limits) {
    groups_ = VolumeGroups(volumes, limits);
    planned_positions_.assign(volumes, format::kPageBytes);
  }

  /// Fills the cleared `batch` with records, and numbers it. Opens files that are larger than a
  /// batch. Returns false at the end. Errors: kInterrupted; those of Spool::read().
  [[nodiscard]] Result<bool> fill(Batch& batch);

 private:
  /// A large file that is split into pieces.
  struct LargeFile {
    std::shared_ptr<SourceFile> file;
    Buffer record;
    std::string prefix;
    BatchItem item;             ///< `extra` comes with the last piece
    std::vector<Buffer> parts;  ///< sample of the content, until the codec is chosen
    format::ExtentCodec codec = format::ExtentCodec::kRaw;
    std::uint64_t next_content = 0;
    bool is_apart = false;
    std::shared_ptr<SharedDigest> digest;  ///< null if none is wanted
  };

  /// Plans volume and position of the batch's data.
  void place(Batch& batch);
  /// Returns false if the entry does not fit into the batch.
  [[nodiscard]] Result<bool> add_entry(Batch& batch, Bytes record);
  [[nodiscard]] Result<bool> add_content(Batch& batch, const ScannedEntry& entry, BatchItem item,
                                         Bytes record);
  /// Whether there is room for so many bytes of data, and for the rest of a fragment group.
  [[nodiscard]] bool has_room(const Batch& batch, const ScannedEntry& entry, std::uint64_t bytes,
                              bool joins) const;
  [[nodiscard]] Status begin_large(Batch& batch, const ScannedEntry& entry, BatchItem item,
                                   Bytes record);
  [[nodiscard]] Status open_large(const ScannedEntry& entry, BatchItem& item);
  [[nodiscard]] Status try_open_large(const ScannedEntry& entry, BatchItem& item);
  [[nodiscard]] Status read_parts(const SourceFile& file);
  [[nodiscard]] Status choose_codec();
  [[nodiscard]] Status begin_digest(std::uint64_t size_bytes);
  void add_piece(Batch& batch);

  TreeReader reader_;
  LinkNames links_;
  std::size_t data_bytes_max_;
  StopFlag stop_;
  FileRules rules_;
  ContentPacker* packer_;
  std::optional<format::DigestAlgorithm> digest_algorithm_;
  HashedZeros* hashed_zeros_ = nullptr;
  DirectoryCursor cursor_;
  std::uint64_t next_number_ = 0;
  std::uint64_t next_position_ = 0;
  /// A record that did not fit into the last batch; valid until the next read.
  std::optional<Bytes> held_;
  FragmentGroups fragments_{0};
  VolumeGroups groups_{1, {}};
  format::VolumeNumber planned_volume_ = 0;  ///< volume of the batch being filled
  std::uint64_t planned_bytes_ = 0;          ///< bytes of data in the batch being filled
  /// Position of the next batch's data in each volume, if no holes, losses or files that stand
  /// apart come before.
  std::vector<std::uint64_t> planned_positions_{format::kPageBytes};
  std::optional<LargeFile> large_;
};

}  // namespace dgfs::builder
