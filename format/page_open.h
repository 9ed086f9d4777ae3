// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opens an index page of any codec: the only place that knows all codecs.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/attribute_table.h"
#include "format/model.h"
#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/page/page.h"
#include "format/page/sizes.h"

namespace dgfs::format {

/// The codec with this id, or nullptr.
[[nodiscard]] const PageCodec* find_page_codec(std::uint8_t id);

/// The models and attribute tables of one index, by id.
class PageDictionaries {
 public:
  virtual ~PageDictionaries() = default;
  /// nullptr if the index has none with that id.
  [[nodiscard]] virtual const Model* model(std::uint16_t id) const = 0;
  [[nodiscard]] virtual const AttributeTable* attribute_table(std::uint16_t id) const = 0;
};

/// Checks the header and opens a page of any known codec. The model and table that `dictionaries`
/// returns must outlive the page. Errors: kCorrupt (checksum, bounds, unknown model or table),
/// kUnsupported (unknown codec).
[[nodiscard]] Result<std::shared_ptr<const Page>> open_page(Bytes page,
                                                            const PageDictionaries& dictionaries);
/// The same for a page whose `header` came from read_page_header(); it is not checked again.
[[nodiscard]] Result<std::shared_ptr<const Page>> open_page(const PageHeader& header, Bytes page,
                                                            const PageDictionaries& dictionaries);

/// open_page(), then decode(): checks every byte of the page.
[[nodiscard]] Result<std::shared_ptr<const DecodedPage>> decode_page(
    Bytes page, const PageDictionaries& dictionaries);

/// The sizes of the parts of a page. Costs several times as much as decode_page(). Errors: as
/// decode_page().
[[nodiscard]] Result<PageSizes> measure_page(Bytes page, const PageDictionaries& dictionaries);

}  // namespace dgfs::format
