// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Index pages. Input: a byte that picks the kind; then a page header from its codec on, with the
// payload (the checksum is made to fit), or an entry count and columns before entropy coding.
#include <algorithm>
#include <vector>

#include "format/column/entry_columns.h"
#include "format/column/page_loader.h"
#include "format/entry/attribute_table.h"
#include "format/limits.h"
#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/page/page.h"
#include "format/page_open.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_tables.h"

namespace dgfs::test {
namespace {

/// Extents in the running sum lie one behind the other, with gaps between them.
void check_sum(const format::DecodedPage& page, const std::vector<format::Entry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    if (entry.address || entry.fragment_offset.value_or(0) != 0) {
      require(entry.gap_bytes == 0 && page.data_offset(i) == page.data_offset(i + 1));
      continue;
    }
    const auto begin = format::extent_offset(entry, page.data_offset(i));
    require(begin == page.data_offset(i) + entry.gap_bytes);
    require(begin + entry.stored_bytes == page.data_offset(i + 1));
  }
}

/// Writes entries with gaps, which only the token codec holds. A page of another model may hold
/// fewer of them, and some keys and targets not at all.
void write_tokens(const std::vector<format::Entry>& entries) {
  const FuzzDictionaries dictionaries;
  auto table = fuzz_attributes();
  const format::PageContext context{dictionaries.model(kFuzzTokenModel), &table};
  auto guess = entries.size();
  const auto& codec = *format::find_page_codec(format::kTokenCodec);
  const auto filled = format::fill_page(codec, entries, context, guess);
  if (!filled) return;
  const auto again = format::decode_page(filled.value().bytes, dictionaries);
  require(again && again.value()->size() == filled.value().entry_count);
  for (std::size_t i = 0; i < again.value()->size(); ++i) {
    auto entry = again.value()->entry(i);
    entry.key.insert(0, filled.value().prefix);
    require(entry == entries[i]);
  }
}

/// Entries of an accepted page can be used, and can be written.
void use(const format::DecodedPage& page) {
  std::vector<format::Entry> entries;
  for (std::size_t i = 0; i < page.size(); ++i) {
    entries.push_back(page.entry(i));
    require(page.lower_bound(page.key(i)) == i);
    require(page.data_offset(i) <= page.data_offset(i + 1));
    require(page.mode(i) == entries.back().mode);
    require(page.link_inode(i) == entries.back().link_inode);
  }
  check_sum(page, entries);
  const auto has_gap = [](const format::Entry& entry) { return entry.gap_bytes != 0; };
  if (std::any_of(entries.begin(), entries.end(), has_gap)) return write_tokens(entries);
  const auto columns = format::encode_columns(entries, 0, fuzz_attributes());
  require(columns.has_value());
  if (!columns.value()) return;  // a token page may hold more entries than columns may
  const auto again =
      format::decode_columns(columns.value()->bytes, entries.size(), fuzz_attributes());
  require(again && again.value()->size() == entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) require(again.value()->entry(i) == entries[i]);
}

/// Reads entries one by one: any answer in a page that is not sound as a whole, else those that it
/// decodes to.
void look_up(const format::Page& page, const format::DecodedPage* decoded) {
  for (std::size_t i = 0; i < page.size(); i += 1 + page.size() / 64) {
    const auto entry = page.entry(i);
    if (!entry) {
      require(decoded == nullptr);
      continue;
    }
    const auto& read = entry.value();
    if (!read.entry.address && read.entry.fragment_offset.value_or(0) == 0) {  // F-162
      const auto begin = format::extent_offset(read.entry, read.data_offset);
      require(begin <= format::kFileBytesMax - read.entry.stored_bytes);
    }
    const auto found = page.find(entry.value().entry.key);
    if (decoded == nullptr) continue;
    require(entry.value().entry == decoded->entry(i));
    require(entry.value().data_offset == decoded->data_offset(i));
    require(found && found.value() && found.value()->index == i);
  }
}

void fuzz_page(FuzzInput input) {
  format::PageHeader header;
  header.codec = input.take<std::uint8_t>();
  header.flags = input.take<std::uint8_t>();
  header.model_id = input.take<std::uint16_t>();
  header.attribute_table = input.take<std::uint16_t>();
  header.entry_count = input.take<std::uint16_t>();
  header.decoded_bytes = input.take<std::uint32_t>();
  auto payload = input.rest();
  payload.resize(std::min(payload.size(), format::kPagePayloadBytesMax));
  const FuzzDictionaries dictionaries;
  const auto page = format::open_page(format::make_page(header, payload), dictionaries);
  if (!page) return;
  const auto decoded = page.value()->decode();
  look_up(*page.value(), decoded ? decoded.value().get() : nullptr);
  if (decoded) use(*decoded.value());
}

void fuzz_columns(FuzzInput input) {
  const auto count = input.take<std::uint16_t>() % (format::kPageEntriesMax + 1);
  const auto columns = input.rest();
  if (count == 0 || columns.size() > format::kPageDecodedBytesMax) return;
  const auto page = format::decode_columns(columns, count, fuzz_attributes());
  if (page) use(*page.value());
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  dgfs::test::FuzzInput input({data, size_bytes});
  const bool is_page = input.take<std::uint8_t>() % 2 == 0;
  is_page ? dgfs::test::fuzz_page(input) : dgfs::test::fuzz_columns(input);
  return 0;
}
