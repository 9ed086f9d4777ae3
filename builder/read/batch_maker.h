// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The batch maker cuts the tree spool into batches. Where it cuts depends on the tree and on the
// size of a batch, never on threads. No batch holds files of two volume groups.
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
  /// @param root        the source; must outlive the maker, as `tree` must
  /// @param data_bytes  capacity of a batch: whole frames with their checksums, two at least of a
  ///                    compressed extent
  /// @param packer      what compresses contents, must outlive the maker; null: nothing does
  BatchMaker(const storage::Directory& root, const TreeSpool& tree, LinkNames links,
             std::size_t data_bytes, StopFlag stop, bool xattrs, ContentPacker* packer);
  /// Before the first batch: large files are to have digests.
  /// @param hashed  told of holes in them; must outlive the batches
  void want_digests(format::DigestAlgorithm algorithm, HashedZeros* hashed) {
    digest_algorithm_ = algorithm;
    hashed_zeros_ = hashed;
  }
  /// Before the first batch: small neighbours share frames of so much content.
  void join(std::size_t fragment_frame_bytes) { fragments_ = FragmentGroups(fragment_frame_bytes); }
  /// Before the first batch: there are several volumes.
  void spread(std::size_t volumes, GroupLimits limits) {
    groups_ = VolumeGroups(volumes, limits);
    planned_positions_.assign(volumes, format::kPageBytes);
  }

  /// Fills the cleared `batch` with records, and numbers it; false at the end. Opens files that
  /// are larger than a batch. Errors: kInterrupted; those of Spool::read.
  [[nodiscard]] Result<bool> fill(Batch& batch);

 private:
  /// A large file that is being handed out in pieces.
  struct LargeFile {
    std::shared_ptr<SourceFile> file;
    Buffer record;
    std::string prefix;
    BatchItem item;             ///< without extra
    std::vector<Buffer> parts;  ///< until the codec is chosen by them
    format::ExtentCodec codec = format::ExtentCodec::kRaw;
    std::uint64_t next_content = 0;
    bool is_apart = false;
    std::shared_ptr<SharedDigest> digest;  ///< null where none is wanted
  };

  /// Where the data of the batch is to go.
  void place(Batch& batch);
  /// Whether the entry was added; false if it does not fit any more.
  [[nodiscard]] Result<bool> add_entry(Batch& batch, Bytes record);
  [[nodiscard]] Result<bool> add_content(Batch& batch, const ScannedEntry& entry, BatchItem item,
                                         Bytes record);
  /// Whether there is room for so many bytes of data, and for what may follow in a fragment group.
  [[nodiscard]] bool has_room(const Batch& batch, const ScannedEntry& entry, std::uint64_t bytes,
                              bool joins) const;
  [[nodiscard]] Status begin_large(Batch& batch, const ScannedEntry& entry, BatchItem item,
                                   Bytes record);
  [[nodiscard]] Status open_large(const ScannedEntry& entry, BatchItem& item);
  [[nodiscard]] Status read_parts(const SourceFile& file);
  [[nodiscard]] Status choose_codec();
  [[nodiscard]] Status begin_digest(std::uint64_t size_bytes);
  void add_piece(Batch& batch);

  TreeReader reader_;
  LinkNames links_;
  std::size_t data_bytes_max_;
  StopFlag stop_;
  bool xattrs_;
  ContentPacker* packer_;
  std::optional<format::DigestAlgorithm> digest_algorithm_;
  HashedZeros* hashed_zeros_ = nullptr;
  DirectoryCursor cursor_;
  std::uint64_t next_number_ = 0;
  std::uint64_t next_position_ = 0;
  /// An entry that was read but did not fit into the last batch; valid until the next read.
  std::optional<Bytes> held_;
  FragmentGroups fragments_{0};
  VolumeGroups groups_{1, {}};
  format::VolumeNumber planned_volume_ = 0;  ///< of the batch being filled
  std::uint64_t planned_bytes_ = 0;          ///< of it
  /// Where the data of the next batch will stand in each volume, unless there are holes, losses or
  /// files that stand apart before.
  std::vector<std::uint64_t> planned_positions_{format::kPageBytes};
  std::optional<LargeFile> large_;
};

}  // namespace dgfs::builder
