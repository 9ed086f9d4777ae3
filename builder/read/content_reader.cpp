// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/content_reader.h"

#include <algorithm>
#include <utility>

#include "format/content/extent.h"

namespace dgfs::builder {
namespace {

// Bounds the memory for files that have grown since the scan, for each reading thread.
constexpr std::uint64_t kGrownBytesMax = std::uint64_t{64} << 20;

}  // namespace

void ContentReader::fill(Batch& batch) {
  batch.reserve_data(options_.data_bytes);
  fragments_.clear();
  auto done = batch.piece ? read_piece(batch) : read_items(batch);
  if (!done) batch.failure = std::move(done).error();
  // If the piece has not had its turn, the other pieces must not wait for it.
  if (batch.piece) batch.piece->digest.give_up();
}

Status ContentReader::read_items(Batch& batch) {
  prefix_ = batch.prefix;
  for (std::size_t i = 0; i < batch.items.size() && !batch.failure; ++i) {
    const BatchItem& item = batch.items[i];
    const Bytes record = batch.record(item);
    if (record_kind(record) == RecordKind::kDirectory) {
      DGFS_TRY(directory, decode_directory_record(record));
      DGFS_CHECK(apply_directory_record(directory, prefix_));
      continue;
    }
    DGFS_TRY(entry, decode_entry_record(record));
    if (!needs_reading(entry, item) || item.extra != nullptr) continue;
    DGFS_CHECK(stop_.check());
    DGFS_CHECK(read_item(batch, i, entry));
  }
  if (!batch.failure) end_fragments(batch);
  return ok();
}

Status ContentReader::read_item(Batch& batch, std::size_t number, const ScannedEntry& entry) {
  const std::size_t frames = batch.checksums.size();
  for (int tries = 1; tries <= kReadsMax; ++tries) {
    auto read = read_file(batch, number, entry, tries == kReadsMax);
    batch.chunks.clear();
    if (read) return ok();
    batch.checksums.resize(frames);
    batch.items[number].more().error = std::move(read).error();
    if (batch.items[number].extra->error->kind() != ErrorKind::kChanged) return ok();
    DGFS_CHECK(stop_.check());
  }
  return ok();
}

void ContentReader::add_extent(Batch& batch, std::size_t number, std::size_t data_bytes,
                               std::size_t frames, std::uint64_t content_bytes) {
  if (batch.piece) return;  // the chunks are only a part of a file
  if (!batch.chunks.empty()) {
    batch.extents.push_back({number, number, batch.data_bytes - data_bytes,
                             batch.checksums.size() - frames, content_bytes,
                             fingerprint_of(batch.chunks)});
  }
  batch.chunks.clear();
}

Status ContentReader::read_piece(Batch& batch) {
  DGFS_CHECK(stop_.check());
  if (auto read = fill_piece(batch); !read) {
    batch.items.front().more().error = std::move(read).error();
  }
  return ok();
}

Status ContentReader::fill_piece(Batch& batch) {
  const FilePiece& piece = *batch.piece;
  if (piece.codec == format::ExtentCodec::kZstd) return read_packed_piece(batch);
  // The file is large only because of its holes.
  const bool is_small = piece.is_first && piece.is_last && piece.content_bytes != 0 &&
                        !format::has_seek_table(piece.content_bytes);
  if (options_.packer == nullptr || !is_small) return read_raw_piece(batch);
  DGFS_TRY(entry, decode_entry_record(batch.record(batch.items.front())));
  return read_packed(*piece.file, entry, batch, 0, false);
}

Status ContentReader::read_raw_piece(Batch& batch) {
  const FilePiece& piece = *batch.piece;
  const auto bytes = static_cast<std::size_t>(format::raw_extent_bytes(piece.content_bytes));
  const auto room = batch.next_data(bytes);
  DGFS_CHECK(piece.file->read_frames(piece.content_begin / format::kFrameBytes, piece.content_bytes,
                                     room, batch.checksums));
  add_raw_fingerprints(room, batch);
  batch.data_bytes = bytes;
  return add_piece_digest(batch, [&](FileDigest& digest) { return digest.update_frames(room); });
}

Status ContentReader::read_packed_piece(Batch& batch) {
  const FilePiece& piece = *batch.piece;
  DGFS_TRY(content, read_content(*piece.file, piece.content_begin, piece.content_bytes));
  add_fingerprints(content, batch);
  const auto frames = format::frame_count(piece.codec, content.size());
  const auto room = batch.next_data(frames * format::kZstdFrameStoredBytesMax);
  if (auto packed = options_.packer->pack_frames(piece.content_begin / format::kZstdFrameBytes,
                                                 content, room, batch.frames);
      !packed) {
    batch.failure = std::move(packed).error();
    return ok();
  }
  for (std::uint64_t i = 0; i < frames; ++i) batch.checksums.push_back(batch.frames.checksum(i));
  batch.data_bytes = static_cast<std::size_t>(batch.frames.begin(frames));
  return add_piece_digest(batch, [&](FileDigest& digest) { return digest.update(content); });
}

Status ContentReader::read_file(Batch& batch, std::size_t number, const ScannedEntry& entry,
                                bool is_last_try) {
  auto directory = cursor_.enter(prefix_);
  if (!directory) return as_change(std::move(directory).error());
  DGFS_TRY(file, open_item(*directory.value(), entry, options_.rules, kGrownBytesMax, stop_,
                           batch.items[number]));
  DGFS_CHECK(make_room(file, entry, batch, number));
  return options_.packer == nullptr ? read_raw(file, batch, number, is_last_try)
                                    : read_packed(file, entry, batch, number, is_last_try);
}

// The batch has room for the scanned sizes of its files.
Status ContentReader::make_room(const SourceFile& file, const ScannedEntry& entry, Batch& batch,
                                std::size_t number) {
  const auto room_for = [&](std::uint64_t bytes) {
    return options_.packer == nullptr ? format::raw_extent_bytes(bytes) : packed_bytes_max(bytes);
  };
  if (file.content_bytes() <= entry.size_bytes) return ok();
  std::uint64_t wanted = room_for(file.content_bytes());
  for (std::size_t i = 0; i < fragments_.items.size(); ++i) {
    wanted += room_for(fragments_.part(i).size());
  }
  for (std::size_t i = number + 1; i < batch.items.size(); ++i) {
    const Bytes record = batch.record(batch.items[i]);
    if (record_kind(record) == RecordKind::kDirectory) continue;
    DGFS_TRY(later, decode_entry_record(record));
    if (needs_reading(later, batch.items[i])) wanted += room_for(later.size_bytes);
  }
  batch.extend_data(static_cast<std::size_t>(wanted));
  return ok();
}

// A file that still changes in the last try is kept up to the size that it had when it was opened,
// if a second reading gives the same bytes: between the two readings, the file began with them.
template <class Again>
Status ContentReader::settle(const SourceFile& file, Bytes content, bool is_last_try,
                             BatchItem& item, const Again& again) {
  DGFS_TRY(change, file.change());
  if (change == SourceChange::kNone) return ok();
  if (is_last_try && change == SourceChange::kAttributes) return ok();
  if (!is_last_try || !options_.rules.keep_going) return changed_while_read(file.file());
  Buffer second(content.size());
  DGFS_CHECK(again(MutableBytes(second)));
  DGFS_CHECK(file.check_holes(stop_));
  if (!std::ranges::equal(content, second)) return changed_while_read(file.file());
  item.more().lost_parts.emplace_back(LostPart::kEnd, beginning_kept(file));
  return ok();
}

Status ContentReader::read_raw(const SourceFile& file, Batch& batch, std::size_t number,
                               bool is_last_try) {
  const auto bytes = static_cast<std::size_t>(format::raw_extent_bytes(file.content_bytes()));
  const auto room = batch.next_data(bytes);
  const auto frames = batch.checksums.size();
  DGFS_CHECK(file.read_frames(0, file.content_bytes(), room, batch.checksums));
  DGFS_CHECK(settle(file, room, is_last_try, batch.items[number], [&](MutableBytes out) {
    std::vector<std::uint64_t> checksums;
    return file.read_frames(0, file.content_bytes(), out, checksums);
  }));
  DGFS_CHECK(add_digest(file, batch.items[number],
                        [&](FileDigest& digest) { return digest.update_frames(room); }));
  add_raw_fingerprints(room, batch);
  const auto data_bytes = std::exchange(batch.data_bytes, batch.data_bytes + bytes);
  add_extent(batch, number, data_bytes, frames, file.content_bytes());
  return ok();
}

Status ContentReader::read_packed(const SourceFile& file, const ScannedEntry& entry, Batch& batch,
                                  std::size_t number, bool is_last_try) {
  BatchItem& item = batch.items[number];
  DGFS_TRY(content, read_content(file, 0, file.content_bytes()));
  if (!batch.piece) {  // the data writer looks after large files
    DGFS_CHECK(settle(file, content, is_last_try, item,
                      [&](MutableBytes out) { return file.read_content(0, out); }));
  }
  DGFS_CHECK(add_digest(file, item, [&](FileDigest& digest) { return digest.update(content); }));
  if (content.empty()) return ok();
  // Its group has room for its scanned size, and no place for holes.
  const bool joins = item.fragment_group != 0 && file.segments() == nullptr &&
                     file.size_bytes() <= entry.size_bytes;
  if (!joins || item.fragment_group != fragments_.group) end_fragments(batch);
  if (batch.failure) return ok();
  if (!joins) {
    pack(batch, number, entry.name, content);
    return ok();
  }
  fragments_.group = item.fragment_group;
  fragments_.items.push_back(number);
  fragments_.begins.push_back(fragments_.content.size());
  fragments_.content.insert(fragments_.content.end(), content.begin(), content.end());
  return ok();
}

void ContentReader::pack(Batch& batch, std::size_t number, std::string_view name, Bytes content) {
  add_fingerprints(content, batch);
  const bool put_off = is_known(content, batch);
  const auto room = batch.next_data(static_cast<std::size_t>(packed_bytes_max(content.size())));
  const auto frames = batch.checksums.size();
  auto stored = put_off ? Result<StoredExtent>(store_raw(content, room, batch.checksums))
                        : options_.packer->pack({name, batch.items[number].position}, content, room,
                                                batch.checksums);
  if (!stored) {
    batch.failure = std::move(stored).error();
    return;
  }
  batch.items[number].stored = stored.value();
  const auto bytes = static_cast<std::size_t>(stored.value().bytes);
  add_extent(batch, number, std::exchange(batch.data_bytes, batch.data_bytes + bytes), frames,
             content.size());
  if (put_off) batch.extents.back().is_put_off = true;
}

// Excludes pieces, which have no extent to compress later, and contents with a seek table, because
// their frames may become longer than the raw extent that they would replace.
bool ContentReader::is_known(Bytes content, const Batch& batch) const {
  return options_.known != nullptr && !batch.piece && !format::has_seek_table(content.size()) &&
         options_.known->has(fingerprint_of(batch.chunks));
}

void ContentReader::end_fragments(Batch& batch) {
  if (fragments_.items.empty()) return;
  if (!pack_fragments(batch) && !batch.failure) {
    for (std::size_t i = 0; i < fragments_.items.size() && !batch.failure; ++i) {
      pack(batch, fragments_.items[i], name_of(batch, fragments_.items[i]), fragments_.part(i));
    }
  }
  fragments_.clear();
}

// Returns false if there is only one file, or sharing gains nothing.
bool ContentReader::pack_fragments(Batch& batch) {
  if (fragments_.items.size() < 2) return false;
  const Bytes content(fragments_.content);
  const auto room = batch.next_data(static_cast<std::size_t>(packed_bytes_max(content.size())));
  const auto frames = batch.checksums.size();
  const auto first = fragments_.items.front();
  const auto name = name_of(batch, first);
  auto stored = options_.packer->pack_fragments({name, batch.items[first].position}, content, room,
                                                batch.checksums);
  if (!stored) {
    batch.failure = std::move(stored).error();
    return false;
  }
  if (!stored.value()) return false;
  StoredExtent extent = *stored.value();
  for (std::size_t i = 0; i < fragments_.items.size(); ++i) {
    extent.fragment_offset = static_cast<std::uint32_t>(fragments_.begins[i]);
    batch.items[fragments_.items[i]].stored = extent;
  }
  const auto bytes = static_cast<std::size_t>(extent.bytes);
  batch.chunks.clear();
  add_fingerprints(content, batch);
  add_extent(batch, first, std::exchange(batch.data_bytes, batch.data_bytes + bytes), frames,
             content.size());
  if (options_.fingerprints) batch.extents.back().last_item = fragments_.items.back();
  return true;
}

void ContentReader::add_fingerprints(Bytes content, Batch& batch) const {
  if (options_.fingerprints) append_chunk_fingerprints(content, batch.chunks);
}

void ContentReader::add_raw_fingerprints(Bytes frames, Batch& batch) const {
  if (options_.fingerprints) append_frame_fingerprints(frames, batch.chunks);
}

template <class Update>
Status ContentReader::add_digest(const SourceFile& file, BatchItem& item, const Update& update) {
  if (!options_.digest) return ok();
  if (!digest_) {
    DGFS_TRY(made, FileDigest::make(*options_.digest, stop_, options_.hashed_zeros));
    digest_.emplace(std::move(made));
  }
  DGFS_CHECK(digest_->begin(file.segments(), file.size_bytes()));
  DGFS_CHECK(update(*digest_));
  DGFS_TRY(digest, digest_->finish());
  item.more().digest = std::move(digest);
  return ok();
}

template <class Update>
Status ContentReader::add_piece_digest(Batch& batch, const Update& update) {
  FilePiece& piece = *batch.piece;
  if (!piece.digest.is_wanted()) return ok();
  DGFS_TRY(digest, piece.digest.take(piece.content_bytes, piece.is_last, update));
  if (digest) batch.items.front().more().digest = std::move(digest);
  return ok();
}

Result<Bytes> ContentReader::read_content(const SourceFile& file, std::uint64_t begin,
                                          std::uint64_t bytes) {
  if (content_.size() < bytes) content_.resize(static_cast<std::size_t>(bytes));
  const auto content = MutableBytes(content_).first(static_cast<std::size_t>(bytes));
  DGFS_CHECK(file.read_content(begin, content));
  return Bytes(content);
}

}  // namespace dgfs::builder
