// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/content_writer.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "delta/view/contents/content_reader.h"
#include "format/limits.h"

namespace dgfs::view {
namespace {

// Roughly the most that a record of a batch takes in addition to its bytes.
constexpr std::size_t kRecordBytes = 512;
// If so many consecutive whole chunks are written, a range delete is put below them, so that their
// old versions are not read by flushes.
constexpr std::uint64_t kChunksToClear = 4;

Status check_end(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  if (offset_bytes <= format::kFileBytesMax && length_bytes <= format::kFileBytesMax - offset_bytes)
    return ok();
  return Error(ErrorKind::kFileTooLarge, 7412, "a file cannot be so long");
}

std::string string_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<std::size_t> ContentWriter::write(ObjectNumber object, std::uint64_t offset_bytes,
                                         Bytes bytes) {
  DGFS_CHECK(check_end(offset_bytes, bytes.size()));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto at = offset_bytes + done;
    const auto part = bytes.subspan(done, part_of(at, bytes.size() - done));
    const auto edit = [&](Change& change, ComposedChunks::Writing& writing) -> Result<bool> {
      writing.forget(chunks_.number(at), chunks_.count(at + part.size()));
      put_bytes(change, object, at, part);
      return true;
    };
    auto written = change_further(object, done == 0, edit);
    if (!written && done != 0) break;
    DGFS_CHECK(written);
    done += part.size();
  }
  return done;
}

Result<Appended> ContentWriter::append(ObjectNumber object, Bytes bytes) {
  Appended appended;
  if (bytes.empty()) {
    DGFS_TRY(record, Moment(generations_.current()).needed_record(object));
    DGFS_CHECK(check_is_regular(record.attributes.mode));
    appended.offset_bytes = record.attributes.size_bytes;
    return appended;
  }
  bool is_first = true;
  bool is_there = true;  // the file still ends with the last part
  while (is_there && appended.length_bytes < bytes.size()) {
    const auto rest = bytes.subspan(appended.length_bytes);
    std::uint64_t at = 0;
    std::size_t length = 0;
    const auto edit = [&](Change& change, ComposedChunks::Writing& writing) -> Result<bool> {
      DGFS_TRY(record, change.moment().needed_record(object));
      DGFS_CHECK(check_is_regular(record.attributes.mode));
      at = record.attributes.size_bytes;
      // The appended bytes must be contiguous, so the call ends if another append came between two
      // parts.
      is_there = is_first || at == appended.offset_bytes + appended.length_bytes;
      if (!is_there) return false;
      DGFS_CHECK(check_end(at, rest.size()));
      length = part_of(at, rest.size());
      writing.forget(chunks_.number(at), chunks_.count(at + length));
      put_bytes(change, object, at, rest.first(length));
      return true;
    };
    auto written = change_further(object, is_first, edit);
    if (!written && !is_first) break;
    DGFS_CHECK(written);
    if (is_first) appended.offset_bytes = at;
    if (is_there) appended.length_bytes += length;
    is_first = false;
  }
  return appended;
}

Status ContentWriter::zero(ObjectNumber object, std::uint64_t offset_bytes,
                           std::uint64_t length_bytes, ZeroMode mode) {
  DGFS_CHECK(check_end(offset_bytes, length_bytes));
  if (length_bytes == 0) return Error(ErrorKind::kInvalidArgument, 7413, "a range of no bytes");
  const auto edit = [&](Change& change, ComposedChunks::Writing& writing) -> Result<bool> {
    const auto first_whole = chunks_.count(offset_bytes);
    const auto end = offset_bytes + length_bytes;
    writing.forget(chunks_.number(offset_bytes), chunks_.count(end));
    const auto end_whole = chunks_.number(end);
    if (first_whole < end_whole) {
      if (mode == ZeroMode::kKeepSize) change.set_removing();
      change.drop_chunks(object, first_whole, end_whole, chunks_.begin_of(end_whole - first_whole));
    }
    const auto head = std::min(length_bytes, chunks_.begin_of(first_whole) - offset_bytes);
    for (const ChunkPart& part : chunks_.parts(offset_bytes, head)) {
      change.zero_chunk(object, part.chunk, part.begin_bytes, part.length_bytes);
      change.add_blocks(object, blocks_of(part.length_bytes));
    }
    const auto rest = std::max(offset_bytes, chunks_.begin_of(end_whole));
    if (first_whole <= end_whole && rest < end) {
      change.zero_chunk(object, end_whole, rest - chunks_.begin_of(end_whole), end - rest);
      change.add_blocks(object, blocks_of(end - rest));
    }
    if (mode == ZeroMode::kGrow) change.grow(object, end);
    return true;
  };
  return change_content(object, edit);
}

// For a later part, a lack of memory is an error like a lack of space: the caller is told of the
// parts before it.
Status ContentWriter::change_further(ObjectNumber object, bool is_first, const Edit& edit) {
  if (is_first) return change_content(object, edit);
  try {
    return change_content(object, edit);
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7416, "no memory for the rest of what is written");
  }
}

// A write to an object without a name must know whether the delta has its mark as an orphan
// already.
Status ContentWriter::change_content(ObjectNumber object, const Edit& edit) {
  ComposedChunks::Writing writing(composed_, object);
  DGFS_CHECK(writer_.change<bool>({object}, [&](Change& change) -> Result<std::optional<bool>> {
    if (change.layers().orphan_since(object)) {
      DGFS_TRY(record, change.moment().needed_record(object));
      DGFS_CHECK(change.begin_touching(object, record));
    }
    DGFS_TRY(changes, edit(change, writing));
    if (!changes) return std::optional(true);
    change.set_bytes(object, field::kMtime, time_bytes(change.now()));
    change.set_ctime(object);
    return std::optional(true);
  }));
  return ok();
}

// As many bytes as fit into one batch; if more are wanted, up to the end of a chunk.
std::size_t ContentWriter::part_of(std::uint64_t offset_bytes, std::size_t wanted_bytes) const {
  const auto batch_bytes = generations_.current()->live().batch_bytes_max();
  const auto chunk_bytes = chunks_.chunk_bytes();
  const auto chunks = std::max<std::uint64_t>(batch_bytes / (chunk_bytes + kRecordBytes), 1);
  const auto most = std::min(chunks * chunk_bytes,
                             batch_bytes - std::min<std::uint64_t>(batch_bytes / 2, kRecordBytes));
  if (wanted_bytes <= most) return wanted_bytes;
  const auto end = offset_bytes + most;
  const auto cut = chunks_.begin_of(chunks_.number(end));
  return static_cast<std::size_t>((cut > offset_bytes ? cut : end) - offset_bytes);
}

void ContentWriter::put_bytes(Change& change, ObjectNumber object, std::uint64_t offset_bytes,
                              Bytes bytes) const {
  if (bytes.empty()) return;
  const auto end = offset_bytes + bytes.size();
  const auto first_whole = chunks_.count(offset_bytes);
  const auto end_whole = chunks_.number(end);
  if (first_whole + kChunksToClear <= end_whole &&
      !change.layers().is_untouched(RecordClass::kChunk, object)) {
    change.drop_chunks(object, first_whole, end_whole, chunks_.begin_of(end_whole - first_whole));
  }
  for (const ChunkPart& part : chunks_.parts(offset_bytes, bytes.size())) {
    auto content = string_of(bytes.subspan(static_cast<std::size_t>(part.skip_bytes),
                                           static_cast<std::size_t>(part.length_bytes)));
    if (chunks_.is_whole(part)) {
      change.put_chunk(object, part.chunk, std::move(content));
    } else {
      change.patch_chunk(object, part.chunk, part.begin_bytes, std::move(content));
    }
  }
  change.grow(object, end);
  change.add_blocks(object, blocks_of(bytes.size()));
}

void drop_behind(Change& change, const Chunks& chunks, ObjectNumber object,
                 std::uint64_t size_bytes, std::uint64_t bytes) {
  const auto within = size_bytes % chunks.chunk_bytes();
  const auto last = chunks.number(size_bytes);
  if (within != 0) change.zero_chunk(object, last, within, chunks.chunk_bytes() - within);
  change.drop_chunks(object, chunks.count(size_bytes), std::nullopt, bytes);
}

}  // namespace dgfs::view
