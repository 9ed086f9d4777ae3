// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A batch: consecutive records of the tree with the content of their files, the unit of work of
// the reading threads. Its data is a stretch of the image, ready to be written in one piece. A
// file larger than a batch is spread over several, each holding a piece of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builder/read/piece_digest.h"
#include "builder/scan/source_file.h"
#include "builder/spool/append_file.h"
#include "builder/spool/fingerprint.h"
#include "builder/spool/link_sorter.h"
#include "builder/spool/tree_record.h"
#include "format/content/seek_table.h"
#include "format/entry/entry.h"
#include "format/limits.h"
#include "storage/reads/aligned_memory.h"

namespace dgfs::builder {

/// A batch is one write: large enough for devices, small enough that several fit into caches.
inline constexpr std::size_t kBatchBytesMax = 64 * format::kStoredFrameBytes;

/// How the extent of a file was stored. A value.
struct StoredExtent {
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  bool is_shared = false;           ///< with an earlier file, of the same content
  format::VolumeNumber volume = 0;  ///< of at_bytes
  std::uint64_t bytes = 0;          ///< 0: a raw extent of the file's content
  /// Where it stands in the volume; 0: behind that of the file before, in the batch's own.
  std::uint64_t at_bytes = 0;
  std::optional<std::uint32_t> fragment_offset = std::nullopt;  ///< as format::Entry has it
};

/// An extent in the data of a batch that may be found to be there already. A value.
struct BatchExtent {
  std::size_t item = 0;             ///< whose it is, in Batch::items
  std::size_t last_item = 0;        ///< of a fragment frame: the last one that shares it
  std::size_t data_bytes = 0;       ///< stored
  std::size_t frame_count = 0;      ///< of its checksums
  std::uint64_t content_bytes = 0;  ///< without holes
  Fingerprint fingerprint;
  /// It is raw because it is probably there already (builder/read/known_contents.h); if it is not,
  /// it is to be compressed as others are. Never where that takes more than one frame.
  bool is_put_off = false;
};

/// What reading found out about one file, where that is more than its content. Rare.
struct ItemExtra {
  std::optional<Error> error;  ///< it could not be read; nothing of it is in the batch's data
  /// Null if the file has no holes.
  std::shared_ptr<const SegmentList> segments;
  Buffer xattrs;                     ///< encoded set; empty if it has none
  std::optional<MadeDigest> digest;  ///< where digests are wanted and it has content
};

/// One record of the tree in a batch.
struct BatchItem {
  std::size_t record_begin = 0;  ///< in Batch::records
  std::size_t record_bytes = 0;
  std::uint64_t position = 0;  ///< of an entry, among all scanned ones
  LinkName link;
  std::uint64_t fragment_group = 0;  ///< of whose frame its content is to be a part; 0: of none
  StoredExtent stored;
  std::unique_ptr<ItemExtra> extra;  ///< null: nothing to add

  /// Makes it on first use.
  ItemExtra& more() {
    if (extra == nullptr) extra = std::make_unique<ItemExtra>();
    return *extra;
  }
};

/// Whether the content of this entry is to be read: it has some, and this is the name that counts.
[[nodiscard]] bool needs_reading(const ScannedEntry& entry, const BatchItem& item);

/// Notes what is remarkable about an opened file: holes, and xattrs if wanted.
[[nodiscard]] Status describe_file(const SourceFile& file, bool xattrs, BatchItem& item);

/// The part of a large file that a batch holds; the batch has one item then.
struct FilePiece {
  std::shared_ptr<const SourceFile> file;
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  std::uint64_t content_begin = 0;  ///< at a frame
  std::uint64_t content_bytes = 0;
  bool is_first = false;
  bool is_last = false;
  bool is_apart = false;  ///< goes to whatever volume
  DigestTurn digest;      ///< of none where digests are not wanted
};

/// Owned by one thread at a time. Reused, since its buffers are large.
struct Batch {
  std::uint64_t number = 0;
  format::VolumeNumber volume = 0;  ///< of its group (builder/read/volume_groups.h)
  std::string prefix;               ///< of the directory that the first item is in
  Buffer records;
  std::vector<BatchItem> items;
  std::optional<FilePiece> piece;
  storage::AlignedMemory memory;         ///< holds the data; what else is in it is AppendFile's
  std::size_t data_begin = 0;            ///< in memory: in its first two blocks
  std::size_t data_bytes = 0;            ///< filled
  std::vector<std::uint64_t> checksums;  ///< of the frames in data, in order
  format::SeekTable frames;              ///< of a compressed piece: those in data
  std::vector<BatchExtent> extents;      ///< all in data, in order, if they may be shared; no piece
  std::vector<Fingerprint> chunks;       ///< likewise, of a piece
  std::optional<Error> failure;          ///< ends the build

  /// Called by the filler before it fills; keeps memory that is large enough.
  /// @param data_bytes_max  at most kBatchBytesMax
  void reserve_data(std::size_t data_bytes_max) {
    memory.reserve(AppendFile::memory_bytes(data_bytes_max));
  }
  /// Where the next `bytes` of data are to stand.
  [[nodiscard]] MutableBytes next_data(std::size_t bytes) {
    return memory.first(data_begin + data_bytes + bytes).last(bytes);
  }
  [[nodiscard]] Bytes record(const BatchItem& item) const {
    return Bytes(records).subspan(item.record_begin, item.record_bytes);
  }
  void clear() {
    prefix.clear();
    records.clear();
    items.clear();
    piece.reset();
    data_begin = 0;
    data_bytes = 0;
    checksums.clear();
    frames = {};
    extents.clear();
    chunks.clear();
    failure.reset();
  }
};

/// Name of the file of an item that has been decoded before.
[[nodiscard]] std::string name_of(const Batch& batch, std::size_t item);

}  // namespace dgfs::builder
