// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/codec.h"

#include "format/column/entry_columns.h"
#include "format/column/page_loader.h"
#include "format/column/reader.h"
#include "format/column/sizes.h"
#include "format/page/whole_page.h"
#include "format/zstd/payload.h"

namespace dgfs::format {

Result<Buffer> ColumnCodec::columns(std::span<const Entry> entries,
                                    const PageContext& context) const {
  DGFS_TRY(columns, encode_columns(entries, context.prefix_bytes, *context.attributes));
  if (columns) return std::move(columns->bytes);
  return Error(ErrorKind::kLimit, 2150, "entries exceed what a page may decode to");
}

Result<std::optional<Buffer>> ColumnCodec::encode(std::span<const Entry> entries,
                                                  const PageContext& context,
                                                  std::uint32_t& decoded_bytes) const {
  DGFS_TRY(columns, encode_columns(entries, context.prefix_bytes, *context.attributes));
  if (!columns) return std::nullopt;
  decoded_bytes = static_cast<std::uint32_t>(columns->bytes.size());
  const int level = context.level == 0 ? kDefaultLevel : context.level;
  DGFS_TRY(payload, compress_payload(columns->bytes, columns->block_ends, *context.model, level));
  return std::optional<Buffer>(std::move(payload));
}

Result<std::shared_ptr<const Page>> ColumnCodec::open(const PageHeader& header, Bytes payload,
                                                      const Model& model,
                                                      const AttributeTable& attributes) const {
  DGFS_TRY(columns, decompress_payload(payload, header.decoded_bytes, model));
  DGFS_TRY(page, decode_columns(columns, header.entry_count, attributes));
  return std::shared_ptr<const Page>(std::make_shared<const WholePage>(std::move(page)));
}

Result<std::vector<ColumnSize>> ColumnCodec::column_sizes(const PageHeader& header, Bytes payload,
                                                          const Model& model,
                                                          const AttributeTable& attributes) const {
  DGFS_TRY(columns, decompress_payload(payload, header.decoded_bytes, model));
  DGFS_TRY(marks, measure_columns(columns, header.entry_count, attributes));
  DGFS_TRY(blocks, payload_blocks(payload, columns.size(), model));
  DGFS_TRY(reader, ColumnReader::open(columns));
  return format::column_sizes(marks, blocks, columns.size(), reader.bit_stream_bytes());
}

}  // namespace dgfs::format
