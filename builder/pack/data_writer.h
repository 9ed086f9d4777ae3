// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The data writer: a thread that takes batches in order, writes their data to the volumes, and
// passes the rest of each batch on to the packer. So the device does not wait for the index, nor
// for the training of the index's model.
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

/// A batch with written data, or a piece of a large file.
struct WrittenBatch {
  std::string prefix;
  format::DataAddress group;  ///< where the extents of the volume group begin
  Buffer records;
  std::vector<BatchItem> items;
  std::uint64_t piece_bytes = 0;  ///< bytes written of a large file
  bool is_whole = true;           ///< false: further pieces of the large file follow

  /// Memory of the records, and of the data that reading added to them.
  [[nodiscard]] std::size_t held_bytes() const;
  [[nodiscard]] Bytes record(const BatchItem& item) const {
    return Bytes(records).subspan(item.record_begin, item.record_bytes);
  }
};

/// How a large file is read again that changed while it was read. A value.
struct LargeFileRules {
  FileRules file;
  StopFlag stop;
  std::optional<format::DigestAlgorithm> digest;  ///< set if digests of contents are wanted
  HashedZeros* hashed_zeros = nullptr;            ///< must outlive the data writer; may be null
};

/// Call start(), then next() until the end. Single use. One thread calls the methods.
class DataWriter {
 public:
  /// All arguments must outlive this. Only the writer's thread may use them until next() returns
  /// the end.
  /// @param volumes         positioned at their first extents
  /// @param dedup           finds contents that are already there; null: writes all
  /// @param held_bytes_max  bound of the memory of batches not yet taken; one batch may exceed it
  /// @param large  how large files are read again that changed while they were read
  DataWriter(ReadPool& pool, AppendFiles& volumes, Deduplicator* dedup, std::size_t held_bytes_max,
             const LargeFileRules& large)
      : pool_(pool),
        volumes_(volumes),
        dedup_(dedup),
        held_bytes_max_(held_bytes_max),
        large_rules_(large),
        group_{0, volumes.front().position()} {}
  /// Waits until the thread has ended its current work.
  ~DataWriter();
  DataWriter(const DataWriter&) = delete;
  DataWriter& operator=(const DataWriter&) = delete;

  /// Error: kLimit if the system gives no thread.
  [[nodiscard]] Status start();
  /// The next batch, in order; nullopt at the end. Errors: those of ReadPool::next() and of
  /// writing.
  /// @param waiting  called a few times a second while no batch is ready: the digest of one file
  ///                 may take many minutes
  [[nodiscard]] Result<std::optional<WrittenBatch>> next(const std::function<void()>& waiting);
  /// Hash of the checksums of all frames in the image. Valid after the end.
  [[nodiscard]] const ContentHash& frames() const { return frames_; }

 private:
  /// State to return to if a large file turns out to be lost or already in the image.
  struct LargeStart {
    AppendFile::Mark mark;
    format::DataAddress at;
    ContentHash frames;
    FingerprintStream fingerprint;
    format::SeekTable table;  ///< of a compressed file
    std::uint64_t content_bytes = 0;
    std::optional<Error> error;
    /// Of the frames of the last reading, once the file is read again.
    std::uint64_t frames_checksum = 0;
  };

  void work();
  [[nodiscard]] Status write_all();
  [[nodiscard]] Result<WrittenBatch> write(Batch& batch);
  [[nodiscard]] Status begin_large(const Batch& batch);
  [[nodiscard]] Result<std::uint64_t> write_piece(Batch& batch);
  [[nodiscard]] Status write_data(Batch& batch);
  [[nodiscard]] Status end_large(const Batch& batch, BatchItem& item);
  void check_large(const SourceFile& file);
  [[nodiscard]] Status read_large_again(const SourceFile& opened, const ScannedEntry& entry,
                                        BatchItem& item);
  [[nodiscard]] Status try_large_again(SourceFile& file, const ScannedEntry& entry,
                                       BatchItem& item);
  [[nodiscard]] Status append_large(const SourceFile& file, BatchItem& item);
  [[nodiscard]] Status keep_beginning(const SourceFile& file, BatchItem& item);
  template <class Sink>
  [[nodiscard]] Status read_large(const SourceFile& file, const Sink& sink);
  [[nodiscard]] Status write_seek_table(BatchItem& item);
  [[nodiscard]] Status share_large(BatchItem& item);
  [[nodiscard]] format::VolumeNumber emptiest() const;
  void rewind_large();
  [[nodiscard]] bool hand_over(WrittenBatch batch);

  ReadPool& pool_;
  AppendFiles& volumes_;
  Deduplicator* dedup_;
  std::size_t held_bytes_max_;
  LargeFileRules large_rules_;
  format::DataAddress group_;  ///< where the extents of the volume group being written begin
  ContentHash frames_;
  std::optional<LargeStart> large_;

  std::mutex mutex_;  ///< guards the members below
  std::condition_variable taken_;
  std::condition_variable written_;
  std::deque<WrittenBatch> queue_;
  std::size_t held_bytes_ = 0;
  bool ended_ = false;
  std::optional<Error> failure_;  ///< error that ended the thread
  bool cancelled_ = false;

  std::thread thread_;
};

}  // namespace dgfs::builder
