// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PageCodec: makes the payload of an index page from entries, and a searchable page from a payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/model.h"
#include "format/page/header.h"
#include "format/page/page.h"
#include "format/page/sizes.h"

namespace dgfs::format {

/// Further arguments of fill().
struct PageContext {
  const Model* model = nullptr;          ///< never null
  AttributeTable* attributes = nullptr;  ///< must already hold the entries' combinations
  int level = 0;                         ///< effort, in the codec's own scale; 0 = its default
  /// Length of the page's prefix: the first bytes of every key. The codec leaves them out.
  std::size_t prefix_bytes = 0;
};

/// One finished page, and the values for its record in the page directory.
struct EncodedPage {
  Buffer bytes;           ///< kPageBytes
  std::string prefix;     ///< common to all keys in the page
  std::string first_key;  ///< full
  std::string last_key;   ///< full
  std::size_t entry_count = 0;
  std::uint64_t data_bytes = 0;  ///< DecodedPage::data_offset(entry_count)
  std::uint64_t checksum = 0;    ///< as in the page's header
};

/// Makes the page of all `entries`; for codecs. `header` must have codec, model, table and
/// decoded_bytes.
[[nodiscard]] EncodedPage make_encoded_page(PageHeader header, Bytes payload,
                                            std::span<const Entry> entries,
                                            std::size_t prefix_bytes);

class PageCodec {
 public:
  virtual ~PageCodec() = default;
  [[nodiscard]] virtual std::uint8_t id() const = 0;
  /// Does the work of fill_page() for this codec.
  [[nodiscard]] virtual Result<EncodedPage> fill(std::span<const Entry> entries,
                                                 const PageContext& context,
                                                 std::size_t& guess) const = 0;
  /// Errors: kCorrupt with the offset in the payload (the decoded one, if it is compressed as a
  /// whole).
  [[nodiscard]] virtual Result<std::shared_ptr<const Page>> open(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const = 0;
  /// How much each column takes of a payload that open() accepts, in the same order for all pages.
  /// This default reports one column, "payload". Errors: as open().
  [[nodiscard]] virtual Result<std::vector<ColumnSize>> column_sizes(
      const PageHeader& header, Bytes payload, const Model& model,
      const AttributeTable& attributes) const;
};

inline constexpr std::uint8_t kColumnCodec = 1;  ///< columns + zstd (format/column/codec.h)
inline constexpr std::uint8_t kTokenCodec = 2;   ///< blocks of prefix codes (format/token/codec.h)

/// Makes one page from as many of the first `entries` (full keys, strictly rising, at least one) as
/// fit, within about one percent, since the search is cut short. `guess` is the count to try first,
/// and is updated to help the next call. Deterministic. `entry_count` of the result tells how many
/// entries the page took. The caller makes sure that these belong to one zone and are in
/// context.attributes.
[[nodiscard]] Result<EncodedPage> fill_page(const PageCodec& codec, std::span<const Entry> entries,
                                            const PageContext& context, std::size_t& guess);

}  // namespace dgfs::format
