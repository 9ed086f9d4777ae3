// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page.h"

#include <algorithm>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/column_codec.h"
#include "format/token_codec.h"

namespace dgfs::format {
namespace {

constexpr std::uint32_t kPageMagic = 0x47504744;  // "DGPG"

Error bad_page(std::uint16_t code, const char* what, std::size_t offset) {
  return Error(ErrorKind::kCorrupt, code, what).at_offset(offset);
}

std::uint64_t page_checksum(Bytes page) { return checksum64(page.subspan(8)); }

Status check_bounds(const PageHeader& header) {
  if (header.flags != 0) return bad_page(2133, "page has unknown flags", 13);  // F-119
  if (header.entry_count == 0 || header.entry_count > kPageEntriesMax) {       // F-114
    return bad_page(2134, "page has an entry count out of bounds", 18);
  }
  if (header.decoded_bytes == 0 || header.decoded_bytes > kPageDecodedBytesMax) {  // F-115
    return bad_page(2135, "page has a decoded length out of bounds", 20);
  }
  if (header.payload_bytes > kPagePayloadBytesMax) {  // F-116
    return bad_page(2136, "page has a payload length out of bounds", 24);
  }
  if (header.reserved != 0) return bad_page(2137, "page has reserved bytes set", 26);  // F-119
  return ok();
}

}  // namespace

Result<PageHeader> read_page_header(Bytes page) {
  if (page.size() != kPageBytes) return bad_page(2130, "page is not 4096 bytes long", 0);
  PageHeader header;
  header.checksum = load<std::uint64_t>(page, 0);
  header.magic = load<std::uint32_t>(page, 8);
  header.codec = page[12];
  header.flags = page[13];
  header.model_id = load<std::uint16_t>(page, 14);
  header.attribute_table = load<std::uint16_t>(page, 16);
  header.entry_count = load<std::uint16_t>(page, 18);
  header.decoded_bytes = load<std::uint32_t>(page, 20);
  header.payload_bytes = load<std::uint16_t>(page, 24);
  header.reserved = load<std::uint16_t>(page, 26);
  if (header.magic != kPageMagic) return bad_page(2131, "page has the wrong magic number", 8);
  if (header.checksum != page_checksum(page)) return bad_page(2132, "page checksum differs", 0);
  DGFS_CHECK(check_bounds(header));
  const auto padding = page.subspan(kPageHeaderBytes + header.payload_bytes);
  if (std::any_of(padding.begin(), padding.end(), [](auto byte) { return byte != 0; })) {  // F-116
    return bad_page(2138, "page has bytes after its payload", kPageHeaderBytes);
  }
  return header;
}

Buffer make_page(const PageHeader& header, Bytes payload) {
  Buffer page(kPageBytes);
  store<std::uint32_t>(page, 8, kPageMagic);
  page[12] = header.codec;
  page[13] = header.flags;
  store(MutableBytes(page), 14, header.model_id);
  store(MutableBytes(page), 16, header.attribute_table);
  store(MutableBytes(page), 18, header.entry_count);
  store(MutableBytes(page), 20, header.decoded_bytes);
  store(MutableBytes(page), 24, static_cast<std::uint16_t>(payload.size()));
  std::copy(payload.begin(), payload.end(), page.begin() + kPageHeaderBytes);
  store<std::uint64_t>(page, 0, page_checksum(page));
  return page;
}

std::size_t DecodedPage::lower_bound(std::string_view wanted) const {
  std::size_t begin = 0;
  std::size_t end = size();
  while (begin < end) {
    const auto middle = begin + (end - begin) / 2;
    if (key(middle) < wanted) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

const PageCodec* find_page_codec(std::uint8_t id) {
  static const ColumnCodec column_codec;
  static const TokenCodec token_codec;
  if (id == kColumnCodec) return &column_codec;
  return id == kTokenCodec ? &token_codec : nullptr;
}

namespace {

/// A page and what its header names.
struct ReadPage {
  PageHeader header;
  Bytes payload;
  const PageCodec* codec = nullptr;
  const Model* model = nullptr;
  const AttributeTable* attributes = nullptr;
};

Result<ReadPage> read_page(const PageHeader& header, Bytes page,
                           const PageDictionaries& dictionaries) {
  const auto* codec = find_page_codec(header.codec);
  if (codec == nullptr) {  // F-120
    return Error(ErrorKind::kUnsupported, 2145, "page is of an unknown codec").at_offset(12);
  }
  const auto* model = dictionaries.model(header.model_id);
  if (model == nullptr)
    return bad_page(2146, "page is of a model that the index lacks", 14);  // F-117
  const auto* attributes = dictionaries.attribute_table(header.attribute_table);
  if (attributes == nullptr) {  // F-118
    return bad_page(2147, "page is of an attribute table that the index lacks", 16);
  }
  const auto payload = page.subspan(kPageHeaderBytes, header.payload_bytes);
  return ReadPage{header, payload, codec, model, attributes};
}

}  // namespace

Result<std::shared_ptr<const Page>> open_page(Bytes page, const PageDictionaries& dictionaries) {
  DGFS_TRY(header, read_page_header(page));
  return open_page(header, page, dictionaries);
}

Result<std::shared_ptr<const Page>> open_page(const PageHeader& header, Bytes page,
                                              const PageDictionaries& dictionaries) {
  DGFS_TRY(read, read_page(header, page, dictionaries));
  return read.codec->open(read.header, read.payload, *read.model, *read.attributes);
}

Result<std::shared_ptr<const DecodedPage>> decode_page(Bytes page,
                                                       const PageDictionaries& dictionaries) {
  DGFS_TRY(opened, open_page(page, dictionaries));
  return opened->decode();
}

Result<EncodedPage> fill_page(const PageCodec& codec, std::span<const Entry> entries,
                              const PageContext& context, std::size_t& guess) {
  if (entries.empty()) return Error(ErrorKind::kInvalidArgument, 2148, "a page needs an entry");
  return codec.fill(entries, context, guess);
}

EncodedPage make_encoded_page(PageHeader header, Bytes payload, std::span<const Entry> entries,
                              std::size_t prefix_bytes) {
  header.entry_count = static_cast<std::uint16_t>(entries.size());
  EncodedPage page;
  page.bytes = make_page(header, payload);
  page.first_key = entries.front().key;
  page.last_key = entries.back().key;
  page.prefix = page.first_key.substr(0, prefix_bytes);
  page.entry_count = entries.size();
  for (const auto& entry : entries) {
    page.data_bytes += running_bytes(entry);
  }
  page.checksum = load<std::uint64_t>(page.bytes, 0);
  return page;
}

Result<std::vector<ColumnSize>> PageCodec::column_sizes(
    const PageHeader& header, Bytes payload, const Model& /*model*/,
    const AttributeTable& /*attributes*/) const {
  const auto plain_bits = std::uint64_t{8} * header.decoded_bytes;
  return std::vector<ColumnSize>{{"payload", plain_bits, static_cast<double>(payload.size())}};
}

Result<PageSizes> measure_page(Bytes page, const PageDictionaries& dictionaries) {
  DGFS_TRY(header, read_page_header(page));
  DGFS_TRY(read, read_page(header, page, dictionaries));
  DGFS_TRY(columns, read.codec->column_sizes(header, read.payload, *read.model, *read.attributes));
  PageSizes sizes;
  sizes.codec = header.codec;
  sizes.model_id = header.model_id;
  sizes.attribute_table = header.attribute_table;
  sizes.entry_count = header.entry_count;
  sizes.header_bytes = kPageHeaderBytes;
  sizes.unused_bytes = static_cast<std::uint16_t>(kPagePayloadBytesMax - header.payload_bytes);
  sizes.columns = std::move(columns);
  return sizes;
}

}  // namespace dgfs::format
