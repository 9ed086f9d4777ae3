// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/content_update.h"

#include <algorithm>

namespace dgfs::update {
namespace {

// Read at once; a multiple of every length of chunks.
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

view::AttributeChange size_change(std::uint64_t size_bytes) {
  view::AttributeChange change;
  change.size_bytes = size_bytes;
  return change;
}

bool is_all_zeros(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

Result<bool> ContentUpdate::copy(const SizedContent& from, const SizedContent& before,
                                 view::ObjectNumber to) {
  to_ = to;
  has_written_ = false;
  if (from.size_bytes < before.size_bytes) {
    DGFS_CHECK(changes_.set_attributes(to, size_change(from.size_bytes)));
    has_written_ = true;
  }
  const SizedContent left{before.content, std::min(before.size_bytes, from.size_bytes)};
  std::uint64_t at = 0;
  while (at < from.size_bytes) {
    DGFS_CHECK(stop_.check());
    storage::DataSegment data{from.size_bytes, from.size_bytes};
    if (from.content != nullptr) {
      DGFS_TRY(next, from.content->next_data(at));
      if (next.begin < next.end) data = next;
    }
    data.begin = std::clamp(data.begin, at, from.size_bytes);
    data.end = std::clamp(data.end, data.begin, from.size_bytes);
    DGFS_CHECK(clear(left, at, data.begin));
    DGFS_CHECK(copy_data(from, left, data.begin, data.end));
    at = data.end;
  }
  // A hole at the end writes nothing.
  if (from.size_bytes > before.size_bytes) {
    DGFS_CHECK(changes_.set_attributes(to, size_change(from.size_bytes)));
    has_written_ = true;
  }
  return has_written_;
}

// Makes a range read as zeros.
Status ContentUpdate::clear(const SizedContent& before, std::uint64_t begin, std::uint64_t end) {
  if (before.content == nullptr) return ok();
  end = std::min(end, before.size_bytes);
  while (begin < end) {
    DGFS_TRY(data, before.content->next_data(begin));
    if (data.begin >= data.end || data.begin >= end) return ok();
    DGFS_CHECK(clear_data(before, data.begin, std::min(data.end, end)));
    begin = data.end;
  }
  return ok();
}

Status ContentUpdate::clear_data(const SizedContent& before, std::uint64_t begin,
                                 std::uint64_t end) {
  while (begin < end) {
    DGFS_CHECK(stop_.check());
    const auto piece_end = end_of_piece(begin, end);
    before_.resize(static_cast<std::size_t>(piece_end - begin));
    DGFS_TRY(count, before.content->read(begin, before_));
    if (!is_all_zeros(Bytes(before_).first(count))) {
      DGFS_CHECK(changes_.zero(to_, begin, piece_end - begin));
      has_written_ = true;
    }
    begin = piece_end;
  }
  return ok();
}

Status ContentUpdate::copy_data(const SizedContent& from, const SizedContent& before,
                                std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    DGFS_CHECK(stop_.check());
    const auto piece_end = end_of_piece(begin, end);
    bytes_.resize(static_cast<std::size_t>(piece_end - begin));
    DGFS_TRY(count, from.content->read(begin, bytes_));
    if (count != bytes_.size()) {
      return Error(ErrorKind::kChanged, 7673, "became shorter while being read");
    }
    before_.clear();
    if (before.content != nullptr && begin < before.size_bytes) {
      before_.resize(static_cast<std::size_t>(std::min(piece_end, before.size_bytes) - begin));
      DGFS_TRY(had, before.content->read(begin, before_));
      before_.resize(had);
    }
    DGFS_CHECK(write_differing(begin, bytes_, before_));
    begin = piece_end;
  }
  return ok();
}

// Neighbouring chunks go into one write.
Status ContentUpdate::write_differing(std::uint64_t begin, Bytes bytes, Bytes before) {
  std::size_t same_end = 0;  // all before is the same, or written
  const auto flush = [&](std::size_t until) -> Status {
    if (until == same_end) return ok();
    has_written_ = true;
    return changes_.write(to_, begin + same_end, bytes.subspan(same_end, until - same_end));
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const auto chunk_end = ((begin + at) / chunk_bytes_ + 1) * chunk_bytes_ - begin;
    const auto next = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_end, bytes.size()));
    const bool is_same = next <= before.size() && std::ranges::equal(bytes.subspan(at, next - at),
                                                                     before.subspan(at, next - at));
    if (is_same) {
      DGFS_CHECK(flush(at));
      same_end = next;
    }
    at = next;
  }
  return flush(bytes.size());
}

std::uint64_t ContentUpdate::end_of_piece(std::uint64_t begin, std::uint64_t end) const {
  return std::min((begin / kPieceBytes + 1) * kPieceBytes, end);
}

}  // namespace dgfs::update
