// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/root.h"

#include <limits>
#include <tuple>

#include "format/coding.h"
#include "format/entry/key.h"
#include "format/header/section.h"
#include "format/limits.h"
#include "format/page/directory_block.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kRowBytesMin = 6;  ///< shared, length, zone, ordinal, pages, bytes
constexpr std::uint64_t kBlockBytesMax = kSealedBlockHeaderBytes + kSectionBlockBytesMax;

Error corrupt_page_root(std::uint16_t code, std::size_t offset, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text)).at_offset(offset);
}

Result<std::uint64_t> add_varint(Decoder& decoder, std::uint64_t base) {
  DGFS_TRY(gap, decoder.varint_up_to(std::numeric_limits<std::uint64_t>::max() - base));
  return base + gap;
}

Result<std::string> decode_bound(Decoder& decoder, const std::string& previous) {
  DGFS_TRY(shared, decoder.varint_up_to(previous.size()));
  DGFS_TRY(rest, decoder.string(kKeyBytesMax - shared));
  return previous.substr(0, static_cast<std::size_t>(shared)).append(rest);
}

// `row` already holds the values that follow from the row before.
Status decode_row(Decoder& decoder, const PageRootRow& previous, PageRootRow& row) {
  DGFS_TRY(bound, decode_bound(decoder, previous.bound));
  DGFS_TRY(zone, add_varint(decoder, previous.zone));
  DGFS_TRY(ordinal, add_varint(decoder, previous.first_ordinal));
  DGFS_TRY(page_count, decoder.varint_up_to(kPageDirectoryBlockRecords));
  const auto length_offset = decoder.offset();
  DGFS_TRY(length, decoder.varint_up_to(kBlockBytesMax));
  if (page_count == 0 || length < kSealedBlockHeaderBytes) {  // F-072
    return corrupt_page_root(2840, length_offset, "block has no pages or no header");
  }
  row.bound = std::move(bound);
  row.zone = zone;
  row.first_ordinal = ordinal;
  row.page_count = static_cast<std::uint32_t>(page_count);
  row.length_bytes = static_cast<std::uint32_t>(length);
  return ok();
}

bool rises(const PageRootRow& a, const PageRootRow& b) {
  return std::tie(a.zone, a.bound) < std::tie(b.zone, b.bound) &&
         b.first_ordinal - a.first_ordinal >= a.page_count;  // every page holds an entry
}

Result<std::vector<PageRootRow>> decode_rows(Bytes body) {
  Decoder decoder(body);
  DGFS_TRY(first_page, decoder.varint_up_to(kFileBytesMax / kPageBytes));
  DGFS_TRY(first_offset, decoder.varint_up_to(kFileBytesMax));
  const auto count_offset = decoder.offset();
  DGFS_TRY(count, decoder.varint_up_to(kPageRootBlockRows));
  if (count == 0 || count > decoder.remaining() / kRowBytesMin) {  // F-002, F-070
    return corrupt_page_root(2841, count_offset, "number of rows is impossible");
  }
  std::vector<PageRootRow> rows;
  PageRootRow next;
  next.first_page = first_page;
  next.offset_bytes = first_offset;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto offset = decoder.offset();
    DGFS_CHECK(decode_row(decoder, rows.empty() ? PageRootRow{} : rows.back(), next));
    if (!rows.empty() && !rises(rows.back(), next)) {  // F-071
      return corrupt_page_root(2842, offset, "rows do not rise");
    }
    rows.push_back(next);
    next.first_page += next.page_count;
    next.offset_bytes += next.length_bytes;
  }
  DGFS_CHECK(decoder.finish());
  return rows;
}

}  // namespace

void encode_page_root(const std::vector<PageRootRow>& rows, Buffer& out) {
  Encoder encoder(out);
  encoder.varint(rows.front().first_page);
  encoder.varint(rows.front().offset_bytes);
  encoder.varint(rows.size());
  PageRootRow previous;
  for (const auto& row : rows) {
    const auto shared = shared_prefix_bytes(previous.bound, row.bound);
    encoder.varint(shared);
    encoder.string(std::string_view(row.bound).substr(shared));
    encoder.varint(row.zone - previous.zone);
    encoder.varint(row.first_ordinal - previous.first_ordinal);
    encoder.varint(row.page_count);
    encoder.varint(row.length_bytes);
    previous = row;
  }
}

Result<std::vector<PageRootRow>> decode_page_root(Bytes body) {
  return in_section(SectionKind::kPageRoot, decode_rows(body));
}

}  // namespace dgfs::format
