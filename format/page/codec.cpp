// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/codec.h"

#include "format/coding.h"

namespace dgfs::format {

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

}  // namespace dgfs::format
