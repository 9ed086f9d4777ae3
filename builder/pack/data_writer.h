// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The data writer: a thread that takes batches in order, writes their data to the volumes, and
// hands on what is then left of them, so that the device does not wait for the index, nor for the
// model that the index needs first.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "builder/pack/deduplicator.h"
#include "builder/pack/output_volumes.h"
#include "builder/read/read_pool.h"
#include "builder/spool/content_hash.h"

namespace dgfs::builder {

/// A batch whose data is in the image, or a piece of a large file.
struct WrittenBatch {
  std::string prefix;
  format::DataAddress group;  ///< where the extents of its volume group begin
  Buffer records;
  std::vector<BatchItem> items;
  std::uint64_t piece_bytes = 0;  ///< written of a large file
  bool is_whole = true;           ///< false: of a large file of which more comes

  /// What it holds in memory: records, and what reading added to them.
  [[nodiscard]] std::size_t held_bytes() const;
  [[nodiscard]] Bytes record(const BatchItem& item) const {
    return Bytes(records).subspan(item.record_begin, item.record_bytes);
  }
};

/// start(), then next() until the end; single use. Its methods are for one thread.
class DataWriter {
 public:
  /// All are used by the thread alone until next() has given the end, and outlive this.
  /// @param volumes         positioned at their first extents
  /// @param dedup           finds what is there already; null: all is written
  /// @param held_bytes_max  of records not yet taken; one batch may go beyond
  DataWriter(ReadPool& pool, AppendFiles& volumes, Deduplicator* dedup, std::size_t held_bytes_max)
      : pool_(pool),
        volumes_(volumes),
        dedup_(dedup),
        held_bytes_max_(held_bytes_max),
        group_{0, volumes.front().position()} {}
  /// Waits for the thread to end what it is at.
  ~DataWriter();
  DataWriter(const DataWriter&) = delete;
  DataWriter& operator=(const DataWriter&) = delete;

  /// Error: kLimit if the system gives no thread.
  [[nodiscard]] Status start();
  /// In order; nullopt at the end. Errors: those of ReadPool::next and of writing.
  /// @param waiting  called a few times a second while there is none: the digest of one file may
  ///                 take many minutes
  [[nodiscard]] Result<std::optional<WrittenBatch>> next(const std::function<void()>& waiting);
  /// Of all frames in the image; after the end.
  [[nodiscard]] const ContentHash& frames() const { return frames_; }

 private:
  /// Where to return to if a large file turns out to be lost, or to be there already.
  struct LargeStart {
    AppendFile::Mark mark;
    format::DataAddress at;
    ContentHash frames;
    FingerprintStream fingerprint;
    format::SeekTable table;  ///< of a compressed one
    std::uint64_t content_bytes = 0;
    std::optional<Error> error;
  };

  void work();
  [[nodiscard]] Status write_all();
  [[nodiscard]] Result<WrittenBatch> write(Batch& batch);
  [[nodiscard]] Status begin_large(const Batch& batch);
  [[nodiscard]] Result<std::uint64_t> write_piece(Batch& batch);
  [[nodiscard]] Status write_data(Batch& batch);
  [[nodiscard]] Status end_large(const FilePiece& piece, BatchItem& item);
  [[nodiscard]] Status write_seek_table(BatchItem& item);
  [[nodiscard]] Status share_large(BatchItem& item);
  [[nodiscard]] format::VolumeNumber emptiest() const;
  void rewind_large();
  [[nodiscard]] bool hand_over(WrittenBatch batch);

  ReadPool& pool_;
  AppendFiles& volumes_;
  Deduplicator* dedup_;
  std::size_t held_bytes_max_;
  format::DataAddress group_;  ///< where the extents of the volume group being written begin
  ContentHash frames_;
  std::optional<LargeStart> large_;

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable taken_;
  std::condition_variable written_;
  std::deque<WrittenBatch> queue_;
  std::size_t held_bytes_ = 0;
  bool ended_ = false;
  std::optional<Error> failure_;  ///< why it ended, if not well
  bool cancelled_ = false;

  std::thread thread_;
};

}  // namespace dgfs::builder
