// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/directory_block.h"

#include <span>

#include "format/coding.h"
#include "format/entry/key.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

void encode_bounds(const std::vector<PageRecord>& records, Encoder& encoder) {
  std::string previous;
  std::string suffixes;
  for (const auto& record : records) {
    const auto bound = record.prefix + record.separator;
    const auto shared = shared_prefix_bytes(previous, bound);
    encoder.varint(shared);
    encoder.varint(bound.size() - shared);
    encoder.varint(record.separator.size());
    suffixes.append(bound, shared);
    previous = bound;
  }
  encoder.raw(as_bytes(suffixes));
}

struct BoundShape {
  std::size_t shared = 0;
  std::size_t suffix = 0;
  std::size_t separator = 0;
};

// F-246: each of the three limits is a part of it.
Result<BoundShape> decode_bound_shape(Decoder& decoder, std::size_t previous_bytes) {
  BoundShape shape;
  DGFS_TRY(shared, decoder.varint_up_to(previous_bytes));
  DGFS_TRY(suffix, decoder.varint_up_to(kKeyBytesMax - shared));
  DGFS_TRY(separator, decoder.varint_up_to(shared + suffix));
  shape.shared = static_cast<std::size_t>(shared);
  shape.suffix = static_cast<std::size_t>(suffix);
  shape.separator = static_cast<std::size_t>(separator);
  return shape;
}

using Records = std::span<PackedPageRecord>;

std::string_view bound_of(const PackedPageRecord& record, const std::string& bounds) {
  return {bounds.data() + record.bound_begin, record.bound_bytes};
}

Status decode_bounds(Decoder& decoder, Records records, std::string& bounds) {
  std::vector<std::size_t> shared_bytes;
  shared_bytes.reserve(records.size());
  std::size_t previous_bytes = 0;
  for (auto& record : records) {
    DGFS_TRY(shape, decode_bound_shape(decoder, previous_bytes));
    previous_bytes = shape.shared + shape.suffix;
    shared_bytes.push_back(shape.shared);
    record.bound_bytes = static_cast<std::uint32_t>(previous_bytes);
    record.prefix_bytes = static_cast<std::uint32_t>(previous_bytes - shape.separator);
  }
  std::size_t previous_begin = bounds.size();
  for (std::size_t i = 0; i < records.size(); ++i) {
    DGFS_TRY(suffix, decoder.raw(records[i].bound_bytes - shared_bytes[i]));
    records[i].bound_begin = bounds.size();
    bounds.append(bounds, previous_begin, shared_bytes[i]);
    bounds += as_text(suffix);
    previous_begin = static_cast<std::size_t>(records[i].bound_begin);
  }
  return ok();
}

Status decode_zones(Decoder& decoder, Records records) {
  std::uint64_t zone = 0;
  for (auto& record : records) {
    DGFS_TRY(step, decoder.varint_up_to(~std::uint64_t{0} - zone));
    zone += step;
    record.zone = zone;
  }
  return ok();
}

Status decode_ordinals(Decoder& decoder, Records records) {
  DGFS_TRY(first, decoder.varint_up_to(kFileBytesMax));
  for (auto& record : records) {
    const auto at = decoder.offset();
    DGFS_TRY(count, decoder.varint_up_to(kPageEntriesMax));
    if (count == 0) {  // F-244
      return Error(ErrorKind::kCorrupt, 2310, "page record without entries").at_offset(at);
    }
    record.first_ordinal = first;
    record.entry_count = static_cast<std::uint32_t>(count);
    first += count;
  }
  return ok();
}

Status decode_places(Decoder& decoder, Records records) {
  for (auto& record : records) {
    DGFS_TRY(volume, decoder.varint_up_to(0xffff));
    record.volume = static_cast<VolumeNumber>(volume);
  }
  std::uint64_t offset = 0;
  for (auto& record : records) {
    const auto at = decoder.offset();
    DGFS_TRY(step, decoder.signed_varint());
    offset += static_cast<std::uint64_t>(step);
    if (offset > kFileBytesMax) {  // F-245
      return Error(ErrorKind::kCorrupt, 2311, "page record has a data offset out of bounds")
          .at_offset(at);
    }
    record.first_data_offset = offset;
  }
  for (auto& record : records) {
    DGFS_TRY(checksum, decoder.fixed<std::uint64_t>());
    record.checksum = checksum;
  }
  return ok();
}

// F-242 within the block.
Status check_order(Records records, const std::string& bounds) {
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i - 1].zone != records[i].zone) continue;  // decode_zones() only lets zones rise
    if (bound_of(records[i - 1], bounds) < bound_of(records[i], bounds)) continue;
    return Error(ErrorKind::kCorrupt, 2312,
                 "page record " + std::to_string(i) + " of a block is out of order");
  }
  return ok();
}

}  // namespace

Buffer encode_page_block(const std::vector<PageRecord>& records) {
  Buffer out;
  Encoder encoder(out);
  encoder.varint(records.size());
  encode_bounds(records, encoder);
  std::uint64_t zone = 0;
  for (const auto& record : records) {
    encoder.varint(record.zone - zone);
    zone = record.zone;
  }
  encoder.varint(records.empty() ? 0 : records.front().first_ordinal);
  for (const auto& record : records) encoder.varint(record.entry_count);
  for (const auto& record : records) encoder.varint(record.volume);
  std::uint64_t offset = 0;
  for (const auto& record : records) {
    encoder.signed_varint(static_cast<std::int64_t>(record.first_data_offset - offset));
    offset = record.first_data_offset;
  }
  for (const auto& record : records) encoder.fixed(record.checksum);
  return out;
}

Status decode_page_block(Bytes body, std::vector<PackedPageRecord>& records, std::string& bounds) {
  Decoder decoder(body);
  DGFS_TRY(count, decoder.varint_up_to(kPageDirectoryBlockRecords));
  records.resize(records.size() + static_cast<std::size_t>(count));
  const auto block = Records(records).last(static_cast<std::size_t>(count));
  DGFS_CHECK(decode_bounds(decoder, block, bounds));
  DGFS_CHECK(decode_zones(decoder, block));
  DGFS_CHECK(decode_ordinals(decoder, block));
  DGFS_CHECK(decode_places(decoder, block));
  DGFS_CHECK(decoder.finish());
  return check_order(block, bounds);
}

Result<std::vector<PageRecord>> decode_page_block(Bytes body) {
  std::vector<PackedPageRecord> packed;
  std::string bounds;
  DGFS_CHECK(decode_page_block(body, packed, bounds));
  std::vector<PageRecord> records;
  records.reserve(packed.size());
  for (const auto& record : packed) {
    const auto bound = bound_of(record, bounds);
    records.push_back({record.zone, std::string(bound.substr(0, record.prefix_bytes)),
                       std::string(bound.substr(record.prefix_bytes)), record.first_ordinal,
                       record.entry_count, record.volume, record.first_data_offset,
                       record.checksum});
  }
  return records;
}

}  // namespace dgfs::format
