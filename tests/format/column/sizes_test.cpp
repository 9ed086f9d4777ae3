// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/sizes.h"

#include "format/coding.h"
#include "tests/format/page/page_fixtures.h"

namespace dgfs::test {
namespace {

using format::ColumnSize;

const ColumnSize& column(const std::vector<ColumnSize>& sizes, const std::string& name) {
  static const ColumnSize none;
  for (const auto& size : sizes) {
    if (size.name == name) return size;
  }
  ADD_FAILURE() << "no column " << name;
  return none;
}

TEST(ColumnSizes, SharesABlockInProportion) {
  // One block has 8 bytes of head and 8 of "first". The other has 4 of "second" and 4 of bits: 8
  // bits for "first", 16 for "second", and 8 of padding.
  const format::ColumnMarks marks = {{"first", 16, 8}, {"second", 20, 24}};
  const std::vector<format::PayloadBlock> blocks = {{2, 0}, {10, 16}, {16, 8}};
  const auto sizes = format::column_sizes(marks, blocks, 24, 4);
  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes[0].plain_bits, 64U + 8);
  EXPECT_DOUBLE_EQ(sizes[0].stored_bytes, 5 + 2);
  EXPECT_EQ(sizes[1].plain_bits, 32U + 16);
  EXPECT_DOUBLE_EQ(sizes[1].stored_bytes, 8 + 4);
  EXPECT_EQ(sizes[2].name, "head");
  EXPECT_EQ(sizes[2].plain_bits, 64U + 8);
  EXPECT_DOUBLE_EQ(sizes[2].stored_bytes, 2 + 5 + 2);
}

/// For every page of trees with all features, the sizes of the columns add up to both lengths.
TEST(ColumnSizes, AddUpToThePayload) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EntryGenerator generator(seed);
    EntryOptions options;
    options.entry_count = 1 + generator.below(2000);
    options.feature_percent = static_cast<unsigned>(seed % 3) * 20;
    options.wild_names = options.wild_values = seed % 2 == 0;
    const auto entries = generator.tree(options);
    MapDictionaries dictionaries;
    const auto context = dictionaries.context(0, 7);
    ASSERT_TRUE(intern_all(entries, *context.attributes));
    for (const auto& page : fill_pages(entries, context)) {
      const auto header = format::read_page_header(page.bytes);
      const auto sizes = format::measure_page(page.bytes, dictionaries);
      ASSERT_TRUE(header && sizes) << sizes.error().message();
      std::uint64_t plain_bits = 0;
      double stored_bytes = 0;
      for (const auto& size : sizes.value().columns) {
        plain_bits += size.plain_bits;
        stored_bytes += size.stored_bytes;
      }
      EXPECT_EQ(plain_bits, std::uint64_t{8} * header.value().decoded_bytes);
      EXPECT_NEAR(stored_bytes, header.value().payload_bytes, 1e-6);
      EXPECT_EQ(
          sizes.value().header_bytes + header.value().payload_bytes + sizes.value().unused_bytes,
          format::kPageBytes);
      EXPECT_EQ(sizes.value().entry_count, page.entry_count);
      EXPECT_EQ(sizes.value().attribute_table, 7);
    }
  }
}

TEST(ColumnSizes, TellNoiseFromNames) {
  // Consecutive names compress, random sizes do not.
  EntryGenerator generator(3);
  EntryOptions options;
  options.entry_count = 400;
  const auto entries = generator.tree(options);
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  ASSERT_TRUE(intern_all(entries, *context.attributes));
  const auto page = fill_pages(entries, context).front();
  const auto sizes = format::measure_page(page.bytes, dictionaries);
  ASSERT_TRUE(sizes);
  const auto& columns = sizes.value().columns;
  const auto& noise = column(columns, "sizes");
  const auto& kinds = column(columns, "kinds");
  EXPECT_EQ(kinds.plain_bits, 8U * page.entry_count);
  EXPECT_GT(noise.stored_bytes, 0.95 * static_cast<double>(noise.plain_bits) / 8);
  EXPECT_LT(kinds.stored_bytes, 0.9 * static_cast<double>(kinds.plain_bits) / 8);
}

TEST(ColumnSizes, RefuseWhatDecodeRefuses) {
  EntryGenerator generator(1);
  EntryOptions options;
  options.entry_count = 200;
  const auto entries = generator.tree(options);
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  ASSERT_TRUE(intern_all(entries, *context.attributes));
  auto page = fill_pages(entries, context).front();
  const auto header = format::read_page_header(page.bytes).value();
  for (std::size_t at = 0; at < header.payload_bytes; ++at) {
    Buffer payload(page.bytes.begin() + format::kPageHeaderBytes,
                   page.bytes.begin() + format::kPageHeaderBytes + header.payload_bytes);
    payload[at] ^= 0x41;
    const auto damaged = format::make_page(header, payload);
    const bool decodes = format::decode_page(damaged, dictionaries).has_value();
    EXPECT_EQ(format::measure_page(damaged, dictionaries).has_value(), decodes) << "byte " << at;
  }
}

// A future page codec that does not report what its columns take.
class SilentCodec final : public format::PageCodec {
 public:
  [[nodiscard]] std::uint8_t id() const override { return 200; }
  [[nodiscard]] Result<format::EncodedPage> fill(std::span<const format::Entry>,
                                                 const format::PageContext&,
                                                 std::size_t&) const override {
    return Error(ErrorKind::kUnsupported, 1, "unused");
  }
  [[nodiscard]] Result<std::shared_ptr<const format::Page>> open(
      const format::PageHeader&, Bytes, const format::Model&,
      const format::AttributeTable&) const override {
    return Error(ErrorKind::kUnsupported, 1, "unused");
  }
};

TEST(ColumnSizes, ACodecThatDoesNotSayHasOneColumn) {
  format::PageHeader header;
  header.decoded_bytes = 100;
  const auto sizes = SilentCodec().column_sizes(header, Buffer(40), *format::Model::empty(),
                                                format::AttributeTable(0));
  ASSERT_EQ(sizes.value().size(), 1U);
  EXPECT_EQ(sizes.value()[0].name, "payload");
  EXPECT_EQ(sizes.value()[0].plain_bits, 800U);
  EXPECT_DOUBLE_EQ(sizes.value()[0].stored_bytes, 40);
}

TEST(ColumnSizes, OfNoPageAreNone) {
  EXPECT_EQ(format::measure_page(Buffer(format::kPageBytes), MapDictionaries()).error().kind(),
            ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace dgfs::test
