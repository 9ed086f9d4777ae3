// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/content_reader.h"

#include <utility>

#include "format/extent.h"

namespace dgfs::builder {

void ContentReader::fill(Batch& batch) {
  batch.reserve_data(options_.data_bytes);
  auto done = batch.piece ? read_piece(batch) : read_items(batch);
  if (!done) batch.failure = std::move(done).error();
}

Status ContentReader::read_items(Batch& batch) {
  prefix_ = batch.prefix;
  for (BatchItem& item : batch.items) {
    const Bytes record = batch.record(item);
    if (record_kind(record) == RecordKind::kDirectory) {
      DGFS_TRY(directory, decode_directory_record(record));
      DGFS_CHECK(apply_directory_record(directory, prefix_));
      continue;
    }
    DGFS_TRY(entry, decode_entry_record(record));
    if (!needs_reading(entry, item) || item.extra != nullptr) continue;
    DGFS_CHECK(stop_.check());
    const std::size_t checksums = batch.checksums.size();
    if (auto read = read_file(batch, item, entry); !read) {
      batch.checksums.resize(checksums);
      item.more().error = std::move(read).error();
    }
  }
  return ok();
}

Status ContentReader::read_piece(Batch& batch) {
  DGFS_CHECK(stop_.check());
  const FilePiece& piece = *batch.piece;
  const auto bytes = static_cast<std::size_t>(format::raw_extent_bytes(piece.content_bytes));
  auto read = piece.file->read_frames(piece.first_frame, piece.content_bytes,
                                      batch.next_data(bytes), batch.checksums);
  if (read) {
    batch.data_bytes = bytes;
  } else {
    batch.items.front().more().error = std::move(read).error();
  }
  return ok();
}

Status ContentReader::read_file(Batch& batch, BatchItem& item, const ScannedEntry& entry) {
  auto directory = cursor_.enter(prefix_);
  if (!directory) return as_change(std::move(directory).error());
  DGFS_TRY(file, SourceFile::open(*directory.value(), entry));
  DGFS_CHECK(file.find_holes(stop_));
  DGFS_CHECK(describe_file(file, options_.xattrs, item));
  const auto bytes = static_cast<std::size_t>(format::raw_extent_bytes(file.content_bytes()));
  DGFS_CHECK(file.read_frames(0, file.content_bytes(), batch.next_data(bytes), batch.checksums));
  DGFS_CHECK(file.check_unchanged());
  batch.data_bytes += bytes;
  return ok();
}

}  // namespace dgfs::builder
