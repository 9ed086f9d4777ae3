// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/filter/filter_table.h"

#include <algorithm>

#include "delta/store/disk/place_codec.h"
#include "delta/store/filter/prefix_filter.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

Error corrupt(std::uint16_t code, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text);
}

void encode_prefix(const ObjectPrefix& prefix, Encoder& out) {
  out.fixed(prefix.object_class);
  out.fixed(prefix.object);
}

Result<ObjectPrefix> decode_prefix(Decoder& in) {
  DGFS_TRY(object_class, in.fixed<std::uint8_t>());
  DGFS_TRY(object, in.fixed<std::uint64_t>());
  return ObjectPrefix{object_class, object};
}

Result<FilterTable::Stage> decode_stage(Decoder& in, bool is_last) {
  DGFS_TRY(capacity, in.varint());
  DGFS_TRY(count, in.varint());
  DGFS_TRY(place, decode_place(in));
  if (!FilterStage::is_capacity(capacity) ||
      place.length_bytes != FilterStage::bytes_of(capacity)) {
    return corrupt(7181, "a stage of the filter has an impossible size");
  }
  if (count == 0 || count > capacity || (count < capacity && !is_last)) {
    return corrupt(7182, "a stage of the filter has a wrong number of prefixes");
  }
  return FilterTable::Stage{capacity, count, place};
}

// Without overlaps, no more bytes are read than the file has.
bool overlap(const std::vector<FilterTable::Stage>& stages) {
  std::vector<Extent> blocks;
  for (const auto& stage : stages) blocks.push_back(stage.place.extent());
  std::ranges::sort(blocks);
  return std::ranges::adjacent_find(blocks, [](const Extent& a, const Extent& b) {
           return b.offset_bytes - a.offset_bytes < a.length_bytes;
         }) != blocks.end();
}

}  // namespace

Buffer encode_filter_table(const FilterTable& table) {
  Buffer bytes;
  Encoder out(bytes);
  out.varint(table.stages.size());
  for (const auto& stage : table.stages) {
    out.varint(stage.capacity);
    out.varint(stage.count);
    encode_place(stage.place, out);
  }
  out.varint(table.ranges.size());
  for (const auto& [first, last] : table.ranges) {
    encode_prefix(first, out);
    encode_prefix(last, out);
  }
  return bytes;
}

Result<FilterTable> decode_filter_table(Bytes bytes, const OlderObjects& older) {
  if (older.empty()) return corrupt(7183, "a filter in a store with nothing below it");
  FilterTable table;
  Decoder in(bytes);
  DGFS_TRY(stages, in.varint_up_to(PrefixFilter::kStagesMax));
  for (std::uint64_t left = stages; left > 0; --left) {
    DGFS_TRY(stage, decode_stage(in, left == 1));
    table.stages.push_back(stage);
  }
  if (overlap(table.stages)) return corrupt(7187, "two stages of the filter overlap");
  DGFS_TRY(ranges, in.varint_up_to(PrefixRanges::kRangesMax));
  for (std::uint64_t i = 0; i < ranges; ++i) {
    DGFS_TRY(first, decode_prefix(in));
    DGFS_TRY(last, decode_prefix(in));
    table.ranges.push_back({first, last});
  }
  if (!PrefixRanges::is_valid(table.ranges, older)) {
    return corrupt(7184, "ranges of the filter are out of order, or of young objects");
  }
  DGFS_CHECK(in.finish());
  return table;
}

Result<FilterTable> read_filter_table(const BlockFile& file, const Place& place,
                                      const OlderObjects& older) {
  if (place.length_bytes > FilterTable::kBytesMax) {
    return file.at_place(corrupt(7185, "a table of the filter is too long"), place.offset_bytes);
  }
  DGFS_TRY(block, file.read(place));
  auto table = decode_filter_table(block, older);
  if (!table) return file.at_place(table.error(), place.offset_bytes);
  return table;
}

Status read_filter_stage(const BlockFile& file, const Place& place, FilterStage& into) {
  DGFS_TRY(block, file.read(place));
  into.read(block);
  return ok();
}

}  // namespace dgfs::delta
