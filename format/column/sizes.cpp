// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/sizes.h"

#include <algorithm>

#include "format/column/writer.h"

namespace dgfs::format {
namespace {

/// A range [begin, end) of the columns, in bits.
struct BitRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

double bits_in(const BitRange& range, const BitRange& block) {
  const auto begin = std::max(range.begin, block.begin);
  const auto end = std::min(range.end, block.end);
  return begin < end ? static_cast<double>(end - begin) : 0;
}

/// The stored bytes that `range` takes in the blocks.
double stored_bytes_of(const BitRange& range, std::span<const PayloadBlock> blocks) {
  double stored_bytes = 0;
  std::uint64_t begin = 0;
  for (const auto& block : blocks) {
    const BitRange whole{begin, begin + std::uint64_t{8} * block.plain_bytes};
    begin = whole.end;
    if (block.plain_bytes == 0) continue;
    stored_bytes += bits_in(range, whole) / static_cast<double>(whole.end - whole.begin) *
                    static_cast<double>(block.stored_bytes);
  }
  return stored_bytes;
}

}  // namespace

std::vector<ColumnSize> column_sizes(const ColumnMarks& marks, std::span<const PayloadBlock> blocks,
                                     std::size_t columns_bytes, std::size_t bit_stream_bytes) {
  const auto stream_begin = std::uint64_t{8} * (columns_bytes - bit_stream_bytes);
  const auto add = [&](ColumnSize& size, const BitRange& range) {
    size.plain_bits += range.end - range.begin;
    size.stored_bytes += stored_bytes_of(range, blocks);
  };
  ColumnSize head{"head", 0, 0};
  for (const auto& block : blocks) {
    if (block.plain_bytes == 0) head.stored_bytes += static_cast<double>(block.stored_bytes);
  }
  add(head, {0, std::uint64_t{8} * kColumnHeadBytes});
  std::vector<ColumnSize> sizes;
  BitRange body{0, std::uint64_t{8} * kColumnHeadBytes};
  BitRange stream{stream_begin, stream_begin};
  for (const auto& mark : marks) {
    body = {body.end, std::uint64_t{8} * mark.body_end};
    stream = {stream.end, stream_begin + mark.bits_end};
    auto& size = sizes.emplace_back(ColumnSize{mark.name, 0, 0});
    add(size, body);
    add(size, stream);
  }
  add(head, {stream.end, std::uint64_t{8} * columns_bytes});  // fill bits of the last byte
  sizes.push_back(std::move(head));
  return sizes;
}

}  // namespace dgfs::format
