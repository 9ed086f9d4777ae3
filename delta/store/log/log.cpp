// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/log/log.h"

#include <algorithm>
#include <utility>

namespace dgfs::delta {
namespace {

constexpr std::size_t kZerosBytes = std::size_t{1} << 20;

std::string segment_path(const std::string& directory, std::size_t number) {
  return directory + "/log." + std::to_string(number);
}

// Written once, so that no write of a group has to allocate space, or to change what the file
// system knows of the file.
Status make_segment(storage::Env& env, const std::string& path, std::uint64_t bytes) {
  DGFS_TRY(file, env.open(path, {storage::OpenOptions::Mode::kCreateNew}));
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
      return in_log(Error(ErrorKind::kCorrupt, 7020, "the segment has another length"), *file,
                    size);
    }
    segments[number] = std::move(file);
  }
  return std::unique_ptr<Log>(new Log(std::move(segments), segment_bytes, store));
}

Result<std::optional<Log::Found>> Log::find(std::uint64_t generation,
                                            std::uint64_t offset_bytes) const {
  DGFS_TRY(found, find_since(generation, segment(generation), offset_bytes));
  if (found && found->header.generation != generation) return std::optional<Found>();
  return std::move(found);
}

Result<std::optional<Log::Found>> Log::find_since(std::uint64_t generation_min,
                                                  const storage::File& file,
                                                  std::uint64_t offset_bytes) const {
  Found found;
  found.bytes.resize(kGroupAlignmentBytes);
  DGFS_CHECK(storage::read_exactly(file, offset_bytes, found.bytes));
  const auto header = decode_group_header(found.bytes);
  const std::uint64_t room = segment_bytes_ - offset_bytes;
  if (!header || header->store != store_ || header->generation < generation_min ||
      header->run_bytes > room || header->padded_bytes() > room) {
    return std::optional<Found>();
  }
  found.header = *header;
  found.bytes.resize(static_cast<std::size_t>(header->padded_bytes()));
  DGFS_CHECK(storage::read_exactly(file, offset_bytes + kGroupAlignmentBytes,
                                   MutableBytes(found.bytes).subspan(kGroupAlignmentBytes)));
  if (!is_group_whole(found.header, found.bytes)) return std::optional<Found>();
  return std::optional(std::move(found));
}

Status Log::replay(const LogPosition& begin, const Sink& sink) {
  position_ = begin;
  segment_begin_ = begin;
  while (true) {
    DGFS_CHECK(replay_segment(sink));
    // A whole group is at the begin of the next segment only if all of this one were durable.
    DGFS_TRY(next, find(position_.generation + 1, 0));
    if (!next) return check_nothing_follows();
    if (next->header.number != position_.number || next->header.previous != position_.previous) {
      return in_log(Error(ErrorKind::kCorrupt, 7021, "groups are missing at the end"),
                    segment(position_.generation), used_bytes_);
    }
    ++position_.generation;
    segment_begin_ = position_;
  }
}

Status Log::replay_segment(const Sink& sink) {
  used_bytes_ = 0;
  while (used_bytes_ < segment_bytes_) {
    DGFS_TRY(group, find(position_.generation, used_bytes_));
    if (!group) return ok();
    const GroupHeader& header = group->header;
    const storage::File& file = segment(position_.generation);
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

Status Log::check_nothing_follows() const {
  for (auto at = used_bytes_; at < segment_bytes_; at += kGroupAlignmentBytes) {
    DGFS_TRY(group, find(position_.generation, at));
    if (group && group->header.number >= position_.number) {
      return in_log(Error(ErrorKind::kCorrupt, 7023, "whole groups follow a damaged one"),
                    segment(position_.generation), at);
    }
  }
  return check_not_outrun();
}

// A superblock that was lost, though it was said to be written, leaves one whose segment may have
// been used again meanwhile. It does so from its begin on.
Status Log::check_not_outrun() const {
  for (const auto& file : segments_) {
    DGFS_TRY(first, find_since(position_.generation + 1, *file, 0));
    if (first && first->header.number >= position_.number) {
      return in_log(Error(ErrorKind::kCorrupt, 7025, "groups are newer than the superblock knows"),
                    *file, 0);
    }
  }
  return ok();
}

Status Log::append(const Run& run, std::uint64_t last_sequence) {
  GroupHeader header{
      store_, position_.generation, position_.number, last_sequence, position_.previous, 0, 0};
  const Buffer group = encode_group(header, run);
  storage::File& file = segment(position_.generation);
  // Whoever replays it has memory for as much as a segment, which keys that are alike do not tell.
  if (group.size() > segment_bytes_ - used_bytes_ || run.size_bytes() > segment_bytes_) {
    return in_log(Error(ErrorKind::kNoSpace, 7024, "the segment is full"), file, used_bytes_);
  }
  DGFS_CHECK(file.write_at(used_bytes_, group));
  DGFS_CHECK(file.sync());
  ++position_.number;
  position_.previous = header.checksum;
  used_bytes_ += group.size();
  written_bytes_ += group.size();
  return ok();
}

void Log::change_segment() {
  ++position_.generation;
  segment_begin_ = position_;
  used_bytes_ = 0;
}

}  // namespace dgfs::delta
