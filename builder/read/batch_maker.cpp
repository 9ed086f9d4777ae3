// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/batch_maker.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "format/content/extent.h"
#include "format/limits.h"

namespace dgfs::builder {
namespace {

// Bounds the records and items (which take more memory) of a batch with many tiny files, links and
// directories.
constexpr std::size_t kRecordBytesMax = std::size_t{1} << 18;

// Large files in one directory follow one another, so few levels of handles are enough.
constexpr std::size_t kBatchOpenLevelsMax = 16;

// Large files are read in pieces, so they may have grown to any size.
constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

std::size_t held_bytes(const Batch& batch) {
  return batch.records.size() + batch.items.size() * sizeof(BatchItem);
}

void append_item(Batch& batch, BatchItem item, Bytes record) {
  item.record_begin = batch.records.size();
  item.record_bytes = record.size();
  batch.records.insert(batch.records.end(), record.begin(), record.end());
  batch.items.push_back(std::move(item));
}

}  // namespace

BatchMaker::BatchMaker(const storage::Directory& root, const TreeSpool& tree, LinkNames links,
                       std::size_t data_bytes, StopFlag stop, const FileRules& rules,
                       ContentPacker* packer)
    : reader_(tree),
      links_(std::move(links)),
      data_bytes_max_(data_bytes),
      stop_(stop),
      rules_(rules),
      packer_(packer),
      cursor_(root, kBatchOpenLevelsMax) {}

Result<bool> BatchMaker::fill(Batch& batch) {
  batch.number = next_number_++;
  planned_positions_[planned_volume_] += std::exchange(planned_bytes_, 0);
  place(batch);
  if (large_) {
    add_piece(batch);
    return true;
  }
  batch.prefix = reader_.prefix();
  // An open fragment group stays in this batch, even if the batch is full.
  while ((held_bytes(batch) < kRecordBytesMax || fragments_.is_open()) && !batch.piece) {
    DGFS_CHECK(stop_.check());
    if (!held_) {
      DGFS_TRY(record, reader_.next());
      if (!record) break;
      if (record_kind(*record) == RecordKind::kDirectory) {
        fragments_.pass(record->size());
        append_item(batch, {}, *record);
        continue;
      }
      held_ = record;
    }
    DGFS_TRY(added, add_entry(batch, *held_));
    if (!added) break;
    held_.reset();
  }
  return !batch.items.empty();
}

void BatchMaker::place(Batch& batch) {
  batch.volume = groups_.volume();
  planned_volume_ = batch.volume;
  // Plans the data in the second block, so that it can move into the first block if its final place
  // in a block differs.
  batch.data_begin =
      AppendFile::kBlockBytes +
      static_cast<std::size_t>(planned_positions_[batch.volume] % AppendFile::kBlockBytes);
}

Result<bool> BatchMaker::add_entry(Batch& batch, Bytes record) {
  DGFS_TRY(entry, decode_entry_record(record));
  BatchItem item;
  item.position = next_position_;
  if (entry.is_multiply_linked()) {
    DGFS_TRY(link, links_.at(item.position));
    item.link = link;
  }
  if (needs_reading(entry, item)) return add_content(batch, entry, std::move(item), record);
  fragments_.pass(record.size());
  ++next_position_;
  append_item(batch, std::move(item), record);
  return true;
}

Result<bool> BatchMaker::add_content(Batch& batch, const ScannedEntry& entry, BatchItem item,
                                     Bytes record) {
  const std::uint64_t bytes = packer_ == nullptr ? format::raw_extent_bytes(entry.size_bytes)
                                                 : packed_bytes_max(entry.size_bytes);
  const bool is_apart = groups_.is_apart(entry.size_bytes);
  const bool ends_volume_group = !is_apart && groups_.is_full_for(entry.size_bytes);
  const bool joins = fragments_.may_join(entry, record.size());
  if (!joins || ends_volume_group) fragments_.end();
  const bool is_large = bytes > data_bytes_max_;
  if (is_large ? !batch.items.empty() : !has_room(batch, entry, bytes, joins)) return false;
  if (!is_apart) {
    if (ends_volume_group && !batch.items.empty()) return false;
    groups_.add(entry.size_bytes);
    if (batch.items.empty()) place(batch);
  }
  ++next_position_;
  if (is_large) {
    DGFS_CHECK(begin_large(batch, entry, std::move(item), record));
    return true;
  }
  if (joins) item.fragment_group = fragments_.join(entry);
  planned_bytes_ += bytes;
  append_item(batch, std::move(item), record);
  return true;
}

bool BatchMaker::has_room(const Batch& batch, const ScannedEntry& entry, std::uint64_t bytes,
                          bool joins) const {
  const std::uint64_t left = data_bytes_max_ - planned_bytes_;
  if (!joins) return bytes <= left && held_bytes(batch) < kRecordBytesMax;
  if (fragments_.has_room(entry)) return true;  // reserved when its group began
  return fragments_.stored_bytes_max() <= left && held_bytes(batch) < kRecordBytesMax;
}

Status BatchMaker::begin_large(Batch& batch, const ScannedEntry& entry, BatchItem item,
                               Bytes record) {
  large_ = LargeFile();
  if (auto opened = open_large(entry, item); !opened) {
    large_.reset();
    if (opened.error().kind() == ErrorKind::kInterrupted) return std::move(opened).error();
    item.more().error = std::move(opened).error();
    append_item(batch, std::move(item), record);
    return ok();
  }
  DGFS_CHECK(choose_codec());
  DGFS_CHECK(begin_digest(large_->file->size_bytes()));
  large_->record.assign(record.begin(), record.end());
  large_->prefix = reader_.prefix();
  large_->is_apart = groups_.is_apart(entry.size_bytes);
  large_->item = std::move(item);
  add_piece(batch);
  return ok();
}

Status BatchMaker::open_large(const ScannedEntry& entry, BatchItem& item) {
  for (int tries = 1;; ++tries) {
    auto opened = try_open_large(entry, item);
    if (opened || opened.error().kind() != ErrorKind::kChanged || tries == kReadsMax) return opened;
    large_->parts.clear();
  }
}

Status BatchMaker::try_open_large(const ScannedEntry& entry, BatchItem& item) {
  auto directory = cursor_.enter(reader_.prefix());
  if (!directory) return as_change(std::move(directory).error());
  DGFS_TRY(file, open_item(*directory.value(), entry, rules_, kUnbounded, stop_, item));
  DGFS_CHECK(read_parts(file));
  large_->file = std::make_shared<SourceFile>(std::move(file));
  return ok();
}

// Reads beginning, middle and end of a file that may be compressed.
Status BatchMaker::read_parts(const SourceFile& file) {
  const auto content_bytes = file.content_bytes();
  // A sparse file larger than a batch may have less than a frame of content.
  if (packer_ == nullptr || !format::has_seek_table(content_bytes)) return ok();
  if (format::frame_count(format::ExtentCodec::kZstd, content_bytes) > format::kZstdFramesMax) {
    return ok();
  }
  for (const auto& part : ContentPacker::parts_of(content_bytes)) {
    DGFS_CHECK(file.read_content(part.begin, large_->parts.emplace_back(part.bytes)));
  }
  return ok();
}

// Decides by these parts whether to compress the file.
Status BatchMaker::choose_codec() {
  if (large_->parts.empty()) return ok();
  const auto parts = std::exchange(large_->parts, {});
  DGFS_TRY(pays, packer_->pays({parts.begin(), parts.end()}));
  if (pays) large_->codec = format::ExtentCodec::kZstd;
  return ok();
}

Status BatchMaker::begin_digest(std::uint64_t size_bytes) {
  if (!digest_algorithm_) return ok();
  DGFS_TRY(digest, FileDigest::make(*digest_algorithm_, stop_, hashed_zeros_));
  DGFS_CHECK(digest.begin(large_->file->segments(), size_bytes));
  large_->digest = std::make_shared<SharedDigest>(std::move(digest));
  return ok();
}

void BatchMaker::add_piece(Batch& batch) {
  const auto stored_frame_bytes = large_->codec == format::ExtentCodec::kRaw
                                      ? format::kStoredFrameBytes
                                      : format::kZstdFrameStoredBytesMax;
  const std::uint64_t piece_bytes_max =
      data_bytes_max_ / stored_frame_bytes * format::frame_bytes(large_->codec);
  const std::uint64_t left = large_->file->content_bytes() - large_->next_content;
  FilePiece piece;
  piece.file = large_->file;
  piece.codec = large_->codec;
  piece.content_begin = large_->next_content;
  piece.content_bytes = std::min(left, piece_bytes_max);
  piece.is_first = piece.content_begin == 0;
  piece.is_apart = large_->is_apart;
  piece.is_last = piece.content_bytes == left;
  piece.digest = DigestTurn(large_->digest, piece.content_begin);
  batch.prefix = large_->prefix;
  BatchItem item;
  if (piece.is_last) item = std::move(large_->item);
  append_item(batch, std::move(item), large_->record);
  large_->next_content += piece.content_bytes;
  if (piece.is_last) large_.reset();
  planned_bytes_ = piece.is_apart ? 0 : format::raw_extent_bytes(piece.content_bytes);
  batch.piece = std::move(piece);
}

}  // namespace dgfs::builder
