// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/diff/contents.h"

#include <algorithm>

namespace dgfs::tools {
namespace {

constexpr std::uint64_t kComparePieceBytes = std::uint64_t{1} << 20;
// Reading across a hole of this length is as fast as two reads around it.
constexpr std::uint64_t kGapBytesMax = std::uint64_t{16} << 10;

bool is_empty(const storage::DataSegment& segment) { return segment.begin == segment.end; }

/// The data of one side. Offsets must rise from call to call: each segment is looked up once.
class SideData {
 public:
  SideData(const DiffContent& content, std::uint64_t size_bytes)
      : content_(content), size_bytes_(size_bytes) {}

  /// Like DiffContent::next_data(), but within the size.
  Result<storage::DataSegment> next(std::uint64_t offset) {
    if (offset >= segment_.end && !is_ended_) {
      DGFS_TRY(segment, content_.next_data(offset));
      is_ended_ = is_empty(segment) || segment.begin >= size_bytes_;
      // The file was truncated meanwhile: it ends there, and the rest is no hole.
      if (is_empty(segment)) size_bytes_ = std::min(size_bytes_, segment.end);
      segment_ = {segment.begin, std::min(segment.end, size_bytes_)};
    }
    if (is_ended_) return storage::DataSegment{size_bytes_, size_bytes_};
    return storage::DataSegment{std::max(segment_.begin, offset), segment_.end};
  }
  Result<Bytes> read(const storage::DataSegment& piece, Buffer& buffer) const {
    buffer.resize(static_cast<std::size_t>(piece.end - piece.begin));
    DGFS_TRY(count, content_.read(piece.begin, buffer));
    return Bytes(buffer).first(count);
  }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  const DiffContent& content_;
  std::uint64_t size_bytes_;  ///< lowered if the file turns out to be shorter
  storage::DataSegment segment_;
  bool is_ended_ = false;
};

class ContentComparison {
 public:
  ContentComparison(const DiffContent& first, const DiffContent& second, std::uint64_t size_bytes)
      : first_(first, size_bytes), second_(second, size_bytes), size_bytes_(size_bytes) {}

  Result<std::optional<std::uint64_t>> run(const std::atomic<bool>& stop) {
    std::optional<std::uint64_t> difference;
    for (std::uint64_t at = 0; !difference && !stop;) {
      DGFS_TRY(piece, next_piece(at));
      if (is_empty(piece)) break;
      DGFS_TRY(found, compare(piece));
      difference = found;
      at = piece.end;
    }
    const auto end = std::min(first_.size_bytes(), second_.size_bytes());
    if (end < size_bytes_) difference = std::min(end, difference.value_or(end));
    return difference;
  }

 private:
  /// The next range to read: data of either side, without a long hole in between.
  Result<storage::DataSegment> next_piece(std::uint64_t at) {
    DGFS_TRY(piece, next_data(at));
    while (!is_empty(piece) && piece.end - piece.begin < kComparePieceBytes) {
      DGFS_TRY(more, next_data(piece.end));
      if (is_empty(more) || more.begin - piece.end > kGapBytesMax) break;
      piece.end = more.end;
    }
    piece.end = std::min(piece.end, piece.begin + kComparePieceBytes);
    return piece;
  }

  /// The data segment of either side that begins first.
  Result<storage::DataSegment> next_data(std::uint64_t at) {
    DGFS_TRY(first, first_.next(at));
    DGFS_TRY(second, second_.next(at));
    const bool takes_first = is_empty(second) || (!is_empty(first) && first.begin <= second.begin);
    return takes_first ? first : second;
  }

  Result<std::optional<std::uint64_t>> compare(const storage::DataSegment& piece) {
    DGFS_TRY(first, first_.read(piece, first_buffer_));
    DGFS_TRY(second, second_.read(piece, second_buffer_));
    if (std::ranges::equal(first, second)) return std::optional<std::uint64_t>();  // runs as memcmp
    const auto [difference, other] = std::ranges::mismatch(first, second);
    return std::optional(piece.begin + static_cast<std::uint64_t>(difference - first.begin()));
  }

  SideData first_;
  SideData second_;
  std::uint64_t size_bytes_;
  Buffer first_buffer_;
  Buffer second_buffer_;
};

}  // namespace

Result<std::optional<std::uint64_t>> first_difference(const DiffContent& first,
                                                      const DiffContent& second,
                                                      std::uint64_t size_bytes,
                                                      const std::atomic<bool>& stop) {
  return ContentComparison(first, second, size_bytes).run(stop);
}

}  // namespace dgfs::tools
