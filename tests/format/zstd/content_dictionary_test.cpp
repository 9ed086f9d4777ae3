// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd/content_dictionary.h"

#include "format/content/extent.h"
#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

Buffer record(int i) {
  const auto text = R"({"kind":"record","number":)" + std::to_string(i * 7919) +
                    R"(,"state":"of no account","owner":"nobody"})";
  return {text.begin(), text.end()};
}

Buffer trained() {
  std::vector<Buffer> samples;
  for (int i = 0; i < 300; ++i) samples.push_back(record(i));
  return ZstdDictionary::train(samples, 4096).value();
}

ContentDictionaries only(std::uint8_t id) {
  ContentDictionaries dictionaries;
  EXPECT_TRUE(dictionaries.add(make_content_dictionary(id, ".json", trained()).value()));
  return dictionaries;
}

TEST(ContentDictionary, ComesBack) {  // F-231, F-232
  const auto made = make_content_dictionary(7, ".json", trained()).value();
  Buffer body;
  encode_content_dictionary(made, body);
  const auto again = decode_content_dictionary(body).value();
  EXPECT_EQ(again.id, 7);
  EXPECT_EQ(again.label, ".json");
  EXPECT_EQ(again.zstd->id(), 7U);
  EXPECT_TRUE(std::ranges::equal(again.zstd->bytes(), made.zstd->bytes()));
}

TEST(ContentDictionary, RefusesWhatIsNone) {  // F-001, F-231, F-232
  const auto good = trained();
  for (const auto id : {std::uint8_t{0}, std::uint8_t{65}, std::uint8_t{255}}) {
    expect_error(make_content_dictionary(id, "", good), ErrorKind::kCorrupt, 2770);
  }
  Buffer long_one(kContentDictionaryBytesMax + 1);
  expect_error(make_content_dictionary(1, "", long_one), ErrorKind::kCorrupt, 2770);
  expect_error(make_content_dictionary(1, "", {}), ErrorKind::kCorrupt, 2771);
  expect_error(make_content_dictionary(1, "", Buffer(100, 'x')), ErrorKind::kCorrupt, 2771);
  expect_error(make_content_dictionary(1, "", Buffer(good.begin(), good.begin() + 20)),
               ErrorKind::kCorrupt, 2771);
  EXPECT_FALSE(make_content_dictionary(1, std::string(256, 'l'), good));
  Buffer body;
  encode_content_dictionary(make_content_dictionary(7, "l", good).value(), body);
  body[0] = 8;  // the body has another id than the dictionary
  expect_error(decode_content_dictionary(body), ErrorKind::kCorrupt, 2771);
  expect_error(decode_content_dictionary({}), ErrorKind::kCorrupt, 2001);
}

TEST(ContentDictionaries, HaveEachIdOnce) {  // F-232
  auto dictionaries = only(3);
  expect_error(dictionaries.add(make_content_dictionary(3, "x", trained()).value()),
               ErrorKind::kCorrupt, 2772);
  EXPECT_NE(dictionaries.find(3), nullptr);
  for (const std::uint32_t id : {0U, 2U, 4U, 259U, ~0U}) {
    EXPECT_EQ(dictionaries.find(id), nullptr) << id;
  }
}

TEST(ContentDictionary, ServesFrames) {  // F-233
  const auto dictionaries = only(3);
  const auto content = record(12345);
  Buffer plain;
  ASSERT_TRUE(append_zstd_extent(content, 3, plain));
  Buffer extent;
  ASSERT_TRUE(append_zstd_extent(content, 3, extent, dictionaries.find(3)));
  EXPECT_LT(extent.size(), plain.size() / 2);
  Buffer out(content.size());
  ASSERT_TRUE(open_frame(ExtentCodec::kZstd, 0, extent, out, {&dictionaries, true}));
  EXPECT_TRUE(out == content);
  // A frame does not open without its dictionary, with another one, or with a different one of the
  // same id.
  expect_error(open_frame(ExtentCodec::kZstd, 0, extent, out), ErrorKind::kCorrupt, 2526);
  const auto others = only(4);
  expect_error(open_frame(ExtentCodec::kZstd, 0, extent, out, {&others, true}), ErrorKind::kCorrupt,
               2526);
}

}  // namespace
}  // namespace dgfs::format
