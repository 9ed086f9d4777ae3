// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The token codec, page codec 2. It writes names as strings of a vocabulary that the whole index
// shares, and everything in prefix codes. Blocks have kBlockEntries entries; a lookup decodes one
// block.
#pragma once

#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/page/page.h"

namespace dgfs::format {

/// Needs a token model.
class TokenCodec final : public PageCodec {
 public:
  [[nodiscard]] std::uint8_t id() const override { return kTokenCodec; }
  /// Encodes each entry once, since its size is known then. Does not use `guess`. Errors: also
  /// kInvalidArgument for a key with '/', which this codec cannot hold: link records need the
  /// column codec.
  [[nodiscard]] Result<EncodedPage> fill(std::span<const Entry> entries, const PageContext& context,
                                         std::size_t& guess) const override;
  /// Decodes the tables of the page and its first key.
  [[nodiscard]] Result<std::shared_ptr<const Page>> open(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const override;
  /// Exact: each bit belongs to one column.
  [[nodiscard]] Result<std::vector<ColumnSize>> column_sizes(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const override;
};

}  // namespace dgfs::format
