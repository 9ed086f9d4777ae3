// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A batch: consecutive records of the tree with the content of their files; the unit of work of the
// reading threads. Its data is a contiguous part of a volume, ready to be written at once. A file
// larger than a batch is split into pieces, each in a batch of its own.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "builder/read/piece_digest.h"
#include "builder/report.h"
#include "builder/scan/entry_rules.h"
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

/// A batch is one write: large enough for devices, and small enough that several batches fit into
/// processor caches.
inline constexpr std::size_t kBatchBytesMax = 64 * format::kStoredFrameBytes;

/// How and where the extent of a file is stored. A value.
struct StoredExtent {
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  bool is_shared = false;           ///< shared with an earlier file of the same content
  format::VolumeNumber volume = 0;  ///< volume of at_bytes
  std::uint64_t bytes = 0;          ///< 0: a raw extent of the file's content
  /// Offset in the volume; 0: behind the extent of the file before, in the volume of the batch.
  std::uint64_t at_bytes = 0;
  std::optional<std::uint32_t> fragment_offset = std::nullopt;  ///< as in format::Entry
};

/// An extent in the data of a batch, as the deduplicator needs it. A value.
struct BatchExtent {
  std::size_t item = 0;             ///< its item, in Batch::items
  std::size_t last_item = 0;        ///< the last item in a fragment frame; else `item`
  std::size_t data_bytes = 0;       ///< stored bytes
  std::size_t frame_count = 0;      ///< number of its checksums
  std::uint64_t content_bytes = 0;  ///< without holes
  Fingerprint fingerprint;
  /// The extent is raw because its content is probably in the image already
  /// (builder/read/known_contents.h). If it is not, it must be compressed like others. Only for
  /// contents of one frame.
  bool is_put_off = false;
};

/// Further data from reading a file, beside its content. Rare.
struct ItemExtra {
  /// The file could not be read; the batch's data has nothing of it.
  std::optional<Error> error;
  /// Parts of the file that could not be read; the batch has the rest. Only with keep_going.
  std::vector<std::pair<LostPart, Error>> lost_parts;
  /// Attributes of the file that was read, if they are not those of the scanned entry.
  std::optional<EntryAttributes> restated;
  /// Null if the file has no holes.
  std::shared_ptr<const SegmentList> segments;
  Buffer xattrs;                     ///< encoded set; empty if there are none
  std::optional<MadeDigest> digest;  ///< set if digests are wanted and the file has content
};

/// One record of the tree in a batch.
struct BatchItem {
  std::size_t record_begin = 0;  ///< offset in Batch::records
  std::size_t record_bytes = 0;
  std::uint64_t position = 0;  ///< position of the entry among all scanned ones
  LinkName link;
  std::uint64_t fragment_group = 0;  ///< group that shares a fragment frame; 0: none
  StoredExtent stored;
  std::unique_ptr<ItemExtra> extra;  ///< null: no further data

  /// Makes it on first use.
  ItemExtra& more() {
    if (extra == nullptr) extra = std::make_unique<ItemExtra>();
    return *extra;
  }
};

/// Whether to read the content of this entry: it has content, and this is the first name of its
/// object.
[[nodiscard]] bool needs_reading(const ScannedEntry& entry, const BatchItem& item);

/// How files of the source are opened and described. A value.
struct FileRules {
  EntryRules attributes;
  bool xattrs = true;       ///< keep extended attributes
  bool keep_going = false;  ///< keep the rest of a file if parts cannot be read
};

/// Opens the file of an item, finds its holes, and notes attributes, holes and xattrs in the item;
/// forgets the notes of an earlier try. Errors: those of SourceFile::open() and
/// find_holes(); kChanged if other names of the scanned object would get the content of another.
/// @param grown_bytes_max  if the file has grown beyond this since the scan: kChanged, or with
///                         keep_going its content up to the scanned size
[[nodiscard]] Result<SourceFile> open_item(const storage::Directory& directory,
                                           const ScannedEntry& entry, const FileRules& rules,
                                           std::uint64_t grown_bytes_max, const StopFlag& stop,
                                           BatchItem& item);
/// Notes attributes, holes and xattrs of an opened file. Errors: those of read_source_xattrs().
[[nodiscard]] Status describe_file(const SourceFile& file, const ScannedEntry& entry,
                                   const FileRules& rules, BatchItem& item);

/// The part of a large file in a batch, which has one item then.
struct FilePiece {
  std::shared_ptr<const SourceFile> file;
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  std::uint64_t content_begin = 0;  ///< begin of a frame
  std::uint64_t content_bytes = 0;
  bool is_first = false;
  bool is_last = false;
  bool is_apart = false;  ///< not bound to the volume of its group
  DigestTurn digest;      ///< of no digest if none is wanted
};

/// One thread at a time owns it. Reused, because its buffers are large.
struct Batch {
  std::uint64_t number = 0;
  format::VolumeNumber volume = 0;  ///< volume of its group (builder/read/volume_groups.h)
  std::string prefix;               ///< of the directory with the first item
  Buffer records;
  std::vector<BatchItem> items;
  std::optional<FilePiece> piece;
  storage::AlignedMemory memory;         ///< holds the data; AppendFile uses the rest
  std::size_t data_begin = 0;            ///< offset in memory, in its first two blocks
  std::size_t data_bytes = 0;            ///< bytes of data so far
  std::vector<std::uint64_t> checksums;  ///< of the frames in the data, in order
  format::SeekTable frames;              ///< of a compressed piece: its frames in the data
  /// All extents in the data, in order. Empty for a piece, and if contents are not shared.
  std::vector<BatchExtent> extents;
  /// Fingerprints of the chunks of a piece. Empty if contents are not shared.
  std::vector<Fingerprint> chunks;
  std::optional<Error> failure;  ///< ends the build

  /// The filler calls it before it fills the batch. Keeps memory that is large enough.
  /// @param data_bytes_max  at most kBatchBytesMax
  void reserve_data(std::size_t data_bytes_max) {
    memory.reserve(AppendFile::memory_bytes(data_bytes_max));
  }
  /// Gives the data behind data_bytes at least so much room, whatever was reserved.
  void extend_data(std::size_t bytes) {
    const auto kept = data_begin + data_bytes;
    const auto wanted = AppendFile::memory_bytes(kept + bytes);
    if (wanted <= memory.capacity_bytes()) return;
    storage::AlignedMemory larger;
    larger.reserve(wanted);
    if (kept != 0) std::memcpy(larger.first(kept).data(), memory.first(kept).data(), kept);
    memory = std::move(larger);
  }
  /// Room for the next `bytes` bytes of data.
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
    // Files that have grown may have needed more.
    if (memory.capacity_bytes() > AppendFile::memory_bytes(2 * kBatchBytesMax)) memory.release();
  }
};

/// Name of the file of an item, which must have been decoded successfully before.
[[nodiscard]] std::string name_of(const Batch& batch, std::size_t item);

}  // namespace dgfs::builder
