// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The token codec, page codec 2: names as strings of a vocabulary that the whole index shares,
// everything in prefix codes, in blocks of kBlockEntries of which a lookup decodes one.
#pragma once

#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/page/page.h"

namespace dgfs::format {

/// Needs a token model.
class TokenCodec final : public PageCodec {
 public:
  [[nodiscard]] std::uint8_t id() const override { return kTokenCodec; }
  /// Encodes each entry once: what it costs is known at once. `guess` is not used.
  /// Errors: kInvalidArgument also for a key with '/', which this codec cannot hold: link records
  /// are the column codec's.
  [[nodiscard]] Result<EncodedPage> fill(std::span<const Entry> entries, const PageContext& context,
                                         std::size_t& guess) const override;
  /// Decodes the heads of the blocks.
  [[nodiscard]] Result<std::shared_ptr<const Page>> open(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const override;
  /// Exact: every bit is for one thing.
  [[nodiscard]] Result<std::vector<ColumnSize>> column_sizes(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const override;
};

}  // namespace dgfs::format
