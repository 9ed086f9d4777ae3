// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/page.h"
#include "format/column/codec.h"
#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/page_open.h"

#include "format/checksum.h"
#include "format/coding.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "tests/format/page/page_fixtures.h"

namespace dgfs::test {
namespace {

using format::EncodedPage;
using format::Entry;
using format::kPageBytes;
using format::kPageHeaderBytes;

std::vector<Entry> some_entries(std::uint64_t seed, std::size_t count, bool wild_names = true) {
  EntryOptions options;
  options.entry_count = count;
  options.wild_names = wild_names;
  return EntryGenerator(seed).tree(options);
}

/// A first page of random entries, and the dictionaries it needs.
struct Sample {
  explicit Sample(std::uint64_t seed) : entries(some_entries(seed, 800)) {
    const auto context = dictionaries.context(0, 1);
    intern_all(entries, *context.attributes);
    page = fill_pages(entries, context).front();
  }
  std::vector<Entry> entries;
  MapDictionaries dictionaries;
  EncodedPage page;
};

void fix_checksum(Buffer& page) {
  format::store<std::uint64_t>(page, 0, format::checksum64(Bytes(page).subspan(8)));
}

TEST(Page, HeaderSaysWhatThePageIs) {  // F-110
  const Sample sample(1);
  const auto header = format::read_page_header(sample.page.bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header.value().checksum, sample.page.checksum);
  EXPECT_EQ(header.value().codec, format::kColumnCodec);
  EXPECT_EQ(header.value().model_id, 0);
  EXPECT_EQ(header.value().attribute_table, 1);
  EXPECT_EQ(header.value().entry_count, sample.page.entry_count);
}

TEST(Page, EveryFlippedBitIsDetected) {  // F-111
  Sample sample(2);
  for (std::size_t at = 0; at < kPageBytes; ++at) {
    sample.page.bytes[at] ^= static_cast<std::uint8_t>(1u << (at % 8));
    const auto decoded = format::decode_page(sample.page.bytes, sample.dictionaries);
    ASSERT_FALSE(decoded) << at;
    EXPECT_EQ(decoded.error().kind(), ErrorKind::kCorrupt);
    sample.page.bytes[at] ^= static_cast<std::uint8_t>(1u << (at % 8));
  }
  EXPECT_TRUE(format::decode_page(sample.page.bytes, sample.dictionaries));
}

TEST(Page, OtherLengthsAreRefused) {
  const Sample sample(3);
  for (const std::size_t length : {std::size_t{0}, kPageHeaderBytes, kPageBytes - 1}) {
    EXPECT_EQ(format::read_page_header(Bytes(sample.page.bytes).first(length)).error().code(),
              2130);
  }
  auto longer = sample.page.bytes;
  longer.push_back(0);
  EXPECT_EQ(format::read_page_header(longer).error().code(), 2130);
}

/// A wrong header with a right checksum.
TEST(Page, HeaderFieldsAreBounded) {  // F-112, F-114 to F-120
  struct Case {
    std::size_t offset;
    std::uint32_t value;
    std::uint16_t code;
  };
  for (const auto& [offset, value, code] :
       {Case{8, 0, 2131}, Case{13, 1, 2940}, Case{13, 2, 2133}, Case{18, 0, 2134},
        Case{18, 16385, 2134}, Case{20, 0, 2135}, Case{20, (1 << 20) + 1, 2135},
        Case{24, 4069, 2136}, Case{26, 1, 2137}, Case{12, 2, 2931}, Case{12, 3, 2145},
        Case{14, 3, 2146}, Case{16, 3, 2147}, Case{24, 100, 2138}}) {
    Sample sample(4);
    auto& page = sample.page.bytes;
    const auto bytes = offset == 20 || offset == 8 ? 4u : offset < 14 ? 1u : 2u;
    std::memcpy(page.data() + offset, &value, bytes);
    fix_checksum(page);
    const auto decoded = format::decode_page(page, sample.dictionaries);
    ASSERT_FALSE(decoded) << offset;
    EXPECT_EQ(decoded.error().code(), code) << offset;
  }
}

TEST(Page, OneEntryAlwaysFits) {  // F-181
  EntryGenerator generator(5);
  for (int i = 0; i < 50; ++i) {
    Entry entry;
    entry.key = std::string(65000, 'k') + generator.name(true);
    entry.mode = format::kTypeSymlink | 0777;
    entry.uid = 0xffffffff;
    entry.mtime = {static_cast<std::int64_t>(generator.below(~std::uint64_t{0})), 999'999'999};
    entry.ctime = entry.atime = Time{-1, 999'999'998};
    for (std::size_t n = 0; n < 255; ++n) {
      entry.target.push_back(static_cast<char>(1 + generator.below(255)));
    }
    entry.size_bytes = entry.target.size();
    entry.xattrs = {std::uint64_t{1} << 62, 0xffffffff};
    MapDictionaries dictionaries;
    const auto context = dictionaries.context(0, 0);
    intern_all({entry}, *context.attributes);
    const auto pages = fill_pages({entry}, context);
    ASSERT_EQ(pages.size(), 1u);
    expect_page_holds(*format::decode_page(pages[0].bytes, dictionaries).value(), pages[0].prefix,
                      std::span(&entry, 1));
  }
}

/// Keys with hardly a common byte, as long as keys may be: a page takes as many as fit.
TEST(Page, LongKeysOverflowIntoFurtherPages) {
  EntryGenerator generator(6);
  std::vector<Entry> entries(300);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].key = std::string(1, static_cast<char>('a' + i / 20)) +
                     std::string(i % 20 == 0 ? 60000 : 50000, 'x') + std::to_string(1000 + i);
    entries[i].mode = format::kTypeRegular;
  }
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  intern_all(entries, *context.attributes);
  std::span<const Entry> rest(entries);
  for (const auto& page : fill_pages(entries, context)) {
    const auto decoded = format::decode_page(page.bytes, dictionaries);
    ASSERT_TRUE(decoded) << decoded.error().message();
    expect_page_holds(*decoded.value(), page.prefix, rest.first(page.entry_count));
    rest = rest.subspan(page.entry_count);
  }
  EXPECT_TRUE(rest.empty());
}

TEST(Page, PagesAreFull) {
  const auto entries = some_entries(7, 20000, false);
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all(entries, *context.attributes);
  auto pages = fill_pages(entries, context);
  pages.pop_back();
  std::size_t payload_bytes = 0;
  for (const auto& page : pages) {
    payload_bytes += format::read_page_header(page.bytes).value().payload_bytes;
  }
  ASSERT_GT(pages.size(), 10u);
  EXPECT_GT(payload_bytes * 100, pages.size() * format::kPagePayloadBytesMax * 97);
}

TEST(Page, FillingIsDeterministic) {
  const auto entries = some_entries(8, 5000);
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all(entries, *context.attributes);
  const auto first = fill_pages(entries, context);
  const auto others = some_entries(9, 300);
  intern_all(others, *context.attributes);
  (void)fill_pages(others, context);  // changes the state of zstd's contexts
  const auto second = fill_pages(entries, context);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].bytes, second[i].bytes);
}

/// The guess only speeds up the search; it does not limit what a page holds.
TEST(Page, AnyGuessWorks) {
  const auto entries = some_entries(10, 3000, false);
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all(entries, *context.attributes);
  for (const std::size_t start : {0u, 1u, 7u, 300u, 100000u}) {
    auto guess = start;
    const auto page =
        format::fill_page(*format::find_page_codec(format::kColumnCodec), entries, context, guess);
    ASSERT_TRUE(page);
    const auto header = format::read_page_header(page.value().bytes).value();
    EXPECT_GT(header.payload_bytes, format::kPagePayloadBytesMax * 9 / 10) << start;
  }
}

/// A page holds neither its prefix nor its place: the same bytes work under another directory.
TEST(Page, SubtreeKeepsItsPagesUnderAnotherPrefix) {  // F-121
  auto entries = some_entries(11, 3000);
  const auto move_to = [&](std::string_view directory) {
    auto moved = entries;
    for (auto& entry : moved) {
      const auto path = format::path_of_key(entry.key).value();
      entry.key = format::key_of_path(std::string(directory) + "/x/" + path).value();
    }
    moved.erase(moved.begin());  // x itself belongs to the page of its siblings
    std::sort(moved.begin(), moved.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
    return moved;
  };
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all(entries, *context.attributes);
  const auto here = move_to("some/where");
  const auto there = move_to("else");
  const auto pages = fill_pages(here, context);
  ASSERT_GT(pages.size(), 2u);
  const std::string here_prefix =
      format::children_prefix(format::key_of_path("some/where").value());
  const std::string there_prefix = format::children_prefix(format::key_of_path("else").value());
  std::span<const Entry> rest(there);
  for (const auto& page : pages) {
    const auto base = here_prefix.substr(0, here_prefix.size() - 1);
    ASSERT_TRUE(page.prefix.starts_with(base));
    const auto prefix =
        there_prefix.substr(0, there_prefix.size() - 1) + page.prefix.substr(base.size());
    const auto decoded = format::decode_page(page.bytes, dictionaries);
    expect_page_holds(*decoded.value(), prefix, rest.first(page.entry_count));
    rest = rest.subspan(page.entry_count);
  }
}

/// Pages of several origins side by side, each with its own model and table (F-117, F-118).
TEST(Page, GenerationsStandSideBySide) {
  MapDictionaries dictionaries;
  std::vector<EncodedPage> pages;
  std::vector<std::vector<Entry>> trees;
  for (std::uint16_t generation = 0; generation < 3; ++generation) {
    trees.push_back(some_entries(20 + generation, 4000, false));
    const auto table_id = static_cast<std::uint16_t>(40 - generation);
    auto context = dictionaries.context(0, table_id);
    intern_all(trees.back(), *context.attributes);
    if (generation > 0) {
      std::vector<Buffer> samples;
      for (std::size_t at = 0; at + 100 <= trees.back().size(); at += 100) {
        const auto run = std::span(trees.back()).subspan(at, 100);
        samples.push_back(format::ColumnCodec().columns(run, context).value());
      }
      dictionaries.models[generation] =
          format::Model::train(generation, samples, 4096u * generation).value();
      context = dictionaries.context(generation, table_id);
      ASSERT_EQ(context.model->id(), generation);
    }
    pages.push_back(fill_pages(trees.back(), context).front());
  }
  EXPECT_GT(pages[1].entry_count, pages[0].entry_count) << "the dictionary lets more entries fit";
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto decoded = format::decode_page(pages[i].bytes, dictionaries);
    ASSERT_TRUE(decoded) << decoded.error().message();
    expect_page_holds(*decoded.value(), pages[i].prefix,
                      std::span(trees[i]).first(pages[i].entry_count));
  }
  dictionaries.models.erase(2);
  EXPECT_EQ(format::decode_page(pages[2].bytes, dictionaries).error().code(), 2146);
}

TEST(Page, ContradictoryEntriesAreRefused) {
  Entry entry;
  entry.key = std::string("\0a", 2);
  entry.mode = format::kTypeRegular | 0644;
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all({entry}, *context.attributes);
  const auto* codec = format::find_page_codec(format::kColumnCodec);
  const auto code_of = [&](const std::vector<Entry>& entries) {
    std::size_t guess = 1;
    const auto page = format::fill_page(*codec, entries, context, guess);
    return page ? 0 : int{page.error().code()};
  };
  EXPECT_EQ(code_of({entry}), 0);
  EXPECT_EQ(code_of({}), 2148);
  const auto with = [&](auto change) {
    auto changed = entry;
    change(changed);
    return code_of({changed});
  };
  EXPECT_EQ(with([](Entry& e) { e.mode = 0644; }), 2189);
  EXPECT_EQ(with([](Entry& e) { e.link_inode = 5; }), 2180);
  EXPECT_EQ(with([](Entry& e) { e.size_bytes = std::uint64_t{1} << 63; }), 2181);
  EXPECT_EQ(with([](Entry& e) { e.stored_bytes = std::uint64_t{1} << 63; }), 2182);
  EXPECT_EQ(with([](Entry& e) { e.target = "x"; }), 2186);
  EXPECT_EQ(with([](Entry& e) { e.mtime.nanoseconds = 1'000'000'000; }), 2190);
  EXPECT_EQ(with([](Entry& e) { e.xattrs = {~std::uint64_t{0}, 1}; }), 2191);
  EXPECT_EQ(with([](Entry& e) { e.rdev = 1; }), 2192);
  EXPECT_EQ(with([](Entry& e) { e.uid = 1; }), 2195);
  EXPECT_EQ(with([](Entry& e) { e.mode = format::kTypeSymlink; }), 2188);
  EXPECT_EQ(with([](Entry& e) { e.mode = format::kTypeFifo, e.stored_bytes = 1; }), 2184);
  EXPECT_EQ(with([](Entry& e) { e.mode = format::kTypeFifo, e.size_bytes = 1; }), 2185);
}

TEST(Page, KeysMustRise) {
  Entry entry;
  entry.key = std::string("\0a", 2);
  entry.mode = format::kTypeRegular | 0644;
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all({entry}, *context.attributes);
  std::size_t guess = 2;
  const std::vector<Entry> twice{entry, entry};
  EXPECT_EQ(format::fill_page(*format::find_page_codec(format::kColumnCodec), twice, context, guess)
                .error()
                .code(),
            2193);
}

}  // namespace
}  // namespace dgfs::test
