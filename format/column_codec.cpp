// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column_codec.h"

#include "format/column_page.h"
#include "format/column_reader.h"
#include "format/column_sizes.h"
#include "format/entry_columns.h"
#include "format/zstd_payload.h"

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

namespace {

/// A page that is decoded from the start.
class OpenColumnPage final : public Page {
 public:
  explicit OpenColumnPage(std::shared_ptr<const DecodedPage> page) : page_(std::move(page)) {}

  std::size_t size() const override { return page_->size(); }
  std::string_view first_key() const override { return page_->key(0); }
  Result<std::optional<PageEntry>> find(std::string_view key) const override {
    const auto index = page_->lower_bound(key);
    if (index == page_->size() || page_->key(index) != key) return std::nullopt;
    return std::optional(at(index));
  }
  Result<PageEntry> entry(std::size_t index) const override { return at(index); }
  Result<PageSlice> slice(std::size_t /*begin*/, std::size_t /*end*/) const override {
    return PageSlice{page_, 0};
  }
  Result<std::shared_ptr<const DecodedPage>> decode() const override { return page_; }
  bool is_decoded() const override { return true; }
  std::size_t memory_bytes() const override { return sizeof *this + page_->memory_bytes(); }

 private:
  [[nodiscard]] PageEntry at(std::size_t index) const {
    return {index, page_->entry(index), page_->data_offset(index)};
  }

  std::shared_ptr<const DecodedPage> page_;
};

}  // namespace

Result<std::shared_ptr<const Page>> ColumnCodec::open(const PageHeader& header, Bytes payload,
                                                      const Model& model,
                                                      const AttributeTable& attributes) const {
  DGFS_TRY(columns, decompress_payload(payload, header.decoded_bytes, model));
  DGFS_TRY(page, ColumnPage::decode(columns, header.entry_count, attributes));
  return std::shared_ptr<const Page>(std::make_shared<const OpenColumnPage>(std::move(page)));
}

Result<std::vector<ColumnSize>> ColumnCodec::column_sizes(const PageHeader& header, Bytes payload,
                                                          const Model& model,
                                                          const AttributeTable& attributes) const {
  DGFS_TRY(columns, decompress_payload(payload, header.decoded_bytes, model));
  DGFS_TRY(marks, ColumnPage::measure(columns, header.entry_count, attributes));
  DGFS_TRY(blocks, payload_blocks(payload, columns.size(), model));
  DGFS_TRY(reader, ColumnReader::open(columns));
  return format::column_sizes(marks, blocks, columns.size(), reader.bit_stream_bytes());
}

}  // namespace dgfs::format
