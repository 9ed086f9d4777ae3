// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/log/log.h"

#include <algorithm>
#include <utility>

#include "delta/store/private_mode.h"

namespace dgfs::delta {
namespace {

using Ahead = SegmentReader::Ahead;

constexpr std::size_t kZerosBytes = std::size_t{1} << 20;

std::string segment_path(const std::string& directory, std::size_t number) {
  return directory + "/log." + std::to_string(number);
}

// Written in advance, so that no write of a group has to allocate space or change metadata of the
// file.
Status make_segment(storage::Env& env, const std::string& path, std::uint64_t bytes) {
  DGFS_TRY(file, create_private(env, path));
  const Buffer zeros(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kZerosBytes)));
  for (std::uint64_t at = 0; at < bytes; at += zeros.size()) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(zeros.size(), bytes - at));
    DGFS_CHECK(file->write_at(at, Bytes(zeros).first(count)));
  }
  return file->sync();
}

Error in_log(Error error, const storage::File& file, std::uint64_t offset_bytes) {
  return std::move(error).in_file(file.path()).in_section("log").at_offset(offset_bytes);
}

}  // namespace

Status Log::create(storage::Env& env, const std::string& directory, std::uint64_t segment_bytes) {
  for (const std::size_t number : {0U, 1U}) {
    const auto path = segment_path(directory, number);
    if (env.status(path)) {
      DGFS_CHECK(env.remove(path));
    }
    DGFS_CHECK(make_segment(env, path, segment_bytes));
  }
  return ok();
}

Result<std::unique_ptr<Log>> Log::open(storage::Env& env, const std::string& directory,
                                       std::uint64_t segment_bytes, const StoreUuid& store,
                                       storage::OpenOptions::Mode mode) {
  Segments segments;
  for (std::size_t number = 0; number < segments.size(); ++number) {
    DGFS_TRY(file, env.open(segment_path(directory, number), {mode}));
    DGFS_TRY(size, file->size());
    if (size != segment_bytes) {
      return in_log(Error(ErrorKind::kCorrupt, 7020, "the segment has a wrong length"), *file,
                    size);
    }
    segments[number] = std::move(file);
  }
  return std::unique_ptr<Log>(new Log(std::move(segments), segment_bytes, store));
}

Result<std::optional<Log::Found>> Log::find(std::uint64_t generation, std::uint64_t offset_bytes,
                                            SegmentReader& reader, Ahead ahead) const {
  DGFS_TRY(found, find_since(generation, offset_bytes, reader, ahead));
  if (found && found->header.generation != generation) return std::optional<Found>();
  return found;
}

Result<std::optional<Log::Found>> Log::find_since(std::uint64_t generation_min,
                                                  std::uint64_t offset_bytes, SegmentReader& reader,
                                                  Ahead ahead) const {
  DGFS_TRY(begin, reader.read(offset_bytes, kGroupAlignmentBytes, ahead));
  const auto header = decode_group_header(begin);
  const std::uint64_t room = segment_bytes_ - offset_bytes;
  if (!header || header->store != store_ || header->generation < generation_min ||
      header->run_bytes > room || header->padded_bytes() > room) {
    return std::optional<Found>();
  }
  const auto group_bytes = static_cast<std::size_t>(header->padded_bytes());
  DGFS_TRY(group, reader.read(offset_bytes, group_bytes, Ahead::kPiece));
  if (!is_group_whole(*header, group)) return std::optional<Found>();
  return std::optional(Found{*header, group});
}

Status Log::replay(const LogPosition& begin, const Sink& sink) {
  position_ = begin;
  position_.is_end = false;
  segment_begin_ = position_;
  Readers readers = {SegmentReader(*segments_[0], segment_bytes_),
                     SegmentReader(*segments_[1], segment_bytes_)};
  return replay(sink, begin.is_end, readers);
}

Status Log::replay(const Sink& sink, bool is_end, Readers& readers) {
  const auto first = position_.number;
  while (true) {
    SegmentReader& reader = readers[position_.generation % 2];
    DGFS_CHECK(replay_segment(sink, reader));
    // The next segment begins with a whole group only if all groups of this segment were durable.
    DGFS_TRY(next, find(position_.generation + 1, 0, readers[(position_.generation + 1) % 2],
                        Ahead::kNothing));
    if (!next) {
      if (!is_end || position_.number != first) {
        DGFS_CHECK(check_nothing_follows(reader));
      }
      return check_not_outrun(readers);
    }
    if (next->header.number != position_.number || next->header.previous != position_.previous) {
      return in_log(Error(ErrorKind::kCorrupt, 7021, "groups are missing at the end"),
                    segment(position_.generation), used_bytes_);
    }
    ++position_.generation;
    segment_begin_ = position_;
  }
}

Status Log::replay_segment(const Sink& sink, SegmentReader& reader) {
  used_bytes_ = 0;
  while (used_bytes_ < segment_bytes_) {
    const auto ahead = used_bytes_ == 0 ? Ahead::kNothing : Ahead::kPiece;
    DGFS_TRY(group, find(position_.generation, used_bytes_, reader, ahead));
    if (!group) return ok();
    const GroupHeader& header = group->header;
    const storage::File& file = reader.file();
    if (header.number != position_.number || header.previous != position_.previous) {
      return in_log(Error(ErrorKind::kCorrupt, 7022, "a group does not follow the one before"),
                    file, used_bytes_);
    }
    auto run = decode_group_run(header, group->bytes, static_cast<std::size_t>(segment_bytes_));
    if (!run) return in_log(std::move(run).error(), file, used_bytes_);
    DGFS_CHECK(sink(*run.value(), header.last_sequence));
    ++position_.number;
    position_.previous = header.checksum;
    used_bytes_ += header.padded_bytes();
  }
  return ok();
}

Status Log::check_nothing_follows(SegmentReader& reader) const {
  for (auto at = used_bytes_; at < segment_bytes_; at += kGroupAlignmentBytes) {
    DGFS_TRY(group, find(position_.generation, at, reader, Ahead::kPiece));
    if (group && group->header.number >= position_.number) {
      return in_log(Error(ErrorKind::kCorrupt, 7023, "whole groups follow a damaged one"),
                    reader.file(), at);
    }
  }
  return ok();
}

// If the newest superblock was lost although the disk reported it as written, the older one that
// was read refers to a segment that may have been reused since. Reuse starts at the start of the
// segment, so it shows there.
Status Log::check_not_outrun(Readers& readers) const {
  for (SegmentReader& reader : readers) {
    DGFS_TRY(first, find_since(position_.generation + 1, 0, reader, Ahead::kNothing));
    if (first && first->header.number >= position_.number) {
      return in_log(Error(ErrorKind::kCorrupt, 7025, "groups are newer than the superblock knows"),
                    reader.file(), 0);
    }
  }
  return ok();
}

Status Log::append(const Run& run, std::uint64_t last_sequence) {
  GroupHeader header{
      store_, position_.generation, position_.number, last_sequence, position_.previous, 0, 0};
  const Buffer group = encode_group(header, run);
  storage::File& file = segment(position_.generation);
  // A replay has memory for one segment; the encoded length does not show the memory, because keys
  // share prefixes.
  if (group.size() > segment_bytes_ - used_bytes_ || run.size_bytes() > segment_bytes_) {
    return in_log(Error(ErrorKind::kNoSpace, 7024, "the segment is full"), file, used_bytes_);
  }
  DGFS_CHECK(write_group(file, group));
  ++position_.number;
  position_.previous = header.checksum;
  used_bytes_ += group.size();
  written_bytes_ += group.size();
  return ok();
}

Status Log::write_group(storage::File& file, Bytes group) {
  try {
    DGFS_CHECK(file.write_at(used_bytes_, group));
    return file.sync();
  } catch (const std::bad_alloc&) {
    return std::move(unknown_);
  }
}

void Log::change_segment() {
  ++position_.generation;
  segment_begin_ = position_;
  used_bytes_ = 0;
}

}  // namespace dgfs::delta
