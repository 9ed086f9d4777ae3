// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The column codec, page codec 1: columns (format/column/entry_columns.h), then one zstd frame
// (format/zstd/payload.h).
#pragma once

#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/page/page.h"

namespace dgfs::format {

class ColumnCodec final : public PageCodec {
 public:
  /// zstd level used if PageContext::level is 0; for figures see docs/FORMAT.md, "Column codec".
  static constexpr int kDefaultLevel = 15;

  [[nodiscard]] std::uint8_t id() const override { return kColumnCodec; }
  /// Column bytes of `entries` before entropy coding; dictionaries are trained on these.
  /// @param entries  in strictly rising key order; all keys share context.prefix_bytes bytes
  /// Errors: kLimit; kInvalidArgument for an entry that contradicts itself.
  [[nodiscard]] Result<Buffer> columns(std::span<const Entry> entries,
                                       const PageContext& context) const;
  /// Makes a payload for `entries`. It may exceed kPagePayloadBytesMax: its length tells fill() by
  /// how much. Returns nullopt if another bound of the format is exceeded. `decoded_bytes` receives
  /// the value for the header. One entry always fits. Errors: as columns().
  [[nodiscard]] Result<std::optional<Buffer>> encode(std::span<const Entry> entries,
                                                     const PageContext& context,
                                                     std::uint32_t& decoded_bytes) const;
  [[nodiscard]] Result<EncodedPage> fill(std::span<const Entry> entries, const PageContext& context,
                                         std::size_t& guess) const override;
  /// Decodes the whole page at once, since its columns are compressed together.
  [[nodiscard]] Result<std::shared_ptr<const Page>> open(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const override;
  /// Exact for whole zstd blocks, in proportion within one (format/column/sizes.h).
  [[nodiscard]] Result<std::vector<ColumnSize>> column_sizes(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const override;
};

}  // namespace dgfs::format
