// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page_open.h"

#include "format/column/codec.h"
#include "format/token/codec.h"

namespace dgfs::format {

const PageCodec* find_page_codec(std::uint8_t id) {
  static const ColumnCodec column_codec;
  static const TokenCodec token_codec;
  if (id == kColumnCodec) return &column_codec;
  return id == kTokenCodec ? &token_codec : nullptr;
}

namespace {

Error bad_reference(std::uint16_t code, const char* what, std::size_t offset) {
  return Error(ErrorKind::kCorrupt, code, what).at_offset(offset);
}

/// A page, and the objects that its header names.
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
    return bad_reference(2146, "page is of a model that the index lacks", 14);  // F-117
  const auto* attributes = dictionaries.attribute_table(header.attribute_table);
  if (attributes == nullptr) {  // F-118
    return bad_reference(2147, "page is of an attribute table that the index lacks", 16);
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
