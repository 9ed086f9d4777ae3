// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/codec.h"

#include <algorithm>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/column/entry_columns.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/token/bit_reader.h"
#include "format/token/bit_writer.h"
#include "tests/format/token/round_trip.h"
#include "tests/format/token/token_fixtures.h"

namespace dgfs::test {
namespace {

using format::Entry;

TEST(TokenCodec, RandomTreesComeBack) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EntryGenerator generator(seed);
    EntryOptions options;
    options.entry_count = 1 + generator.below(1000);
    options.feature_percent = static_cast<unsigned>(seed % 3) * 20;
    options.wild_names = seed % 2 == 0;
    options.wild_values = seed % 4 < 2;
    auto dictionaries = token_dictionaries(seed, 1 + seed % 5);
    expect_token_round_trip(generator.tree(options), dictionaries);
  }
}

Entry file(const std::string& path, std::uint64_t bytes = 0) {
  Entry entry;
  entry.key = format::key_of_path(path).value();
  entry.mode = format::kTypeRegular | 0644;
  entry.size_bytes = bytes;
  entry.stored_bytes = format::implied_stored_bytes(entry);
  return entry;
}

TEST(TokenCodec, NumberedNamesCostLessThanTheirDigits) {
  std::vector<Entry> entries;
  for (int i = 0; i < 5000; ++i) {
    auto digits = std::to_string(i);
    entries.push_back(file("img_" + std::string(6 - digits.size(), '0') + digits + ".jpg"));
  }
  auto dictionaries = token_dictionaries(1, 2);
  expect_token_round_trip(entries, dictionaries);
  const auto context = dictionaries.context(1, 7);
  const auto pages = fill_pages(entries, context, format::kTokenCodec);
  EXPECT_GT(pages.front().entry_count, 1800u) << "each entry takes about one row symbol";
}

std::string numbered(const std::string& stem, int number, std::size_t digits) {
  const auto text = std::to_string(number);
  return stem + std::string(digits - text.size(), '0') + text;
}

// Short sizes are read together with the symbol that gives their length.
TEST(TokenCodec, NumberedFilesOfAnySizeComeBack) {
  for (const auto* ending : {"", ".jpg", "x9"}) {
    std::vector<Entry> entries;
    for (int i = 0; i < 900; ++i) {
      const auto bits = static_cast<unsigned>(i / 3 % 56);
      const auto bytes = (std::uint64_t{1} << bits) - (i % 3 == 0 ? 1 : 0);
      entries.push_back(file(numbered("f", i, 4) + ending, bytes));
    }
    auto dictionaries = token_dictionaries(2, 3);
    expect_token_round_trip(entries, dictionaries);
  }
}

TEST(TokenCodec, SuccessorsAreOnlyWhatTheyAre) {  // F-192
  const auto is = [](std::string before, std::string_view key) {
    const auto shared = format::shared_prefix_bytes(before, key);
    const bool is_one = format::is_successor(before, key, shared);
    std::string made = before;
    const bool has_one = format::make_successor(made.data(), made.size()) < made.size();
    EXPECT_EQ(is_one, has_one && made == key) << before << " " << key;
    return is_one;
  };
  EXPECT_TRUE(is("a1", "a2"));
  EXPECT_TRUE(is("a09b", "a10b"));
  EXPECT_TRUE(is("x199.tar", "x200.tar"));
  EXPECT_FALSE(is("a1", "a3"));
  EXPECT_FALSE(is("a9", "a10"));
  EXPECT_FALSE(is("a99", "b00"));
  EXPECT_FALSE(is("a1b1", "a2b1"));
  EXPECT_FALSE(is("a1b9", "a2b0"));
  EXPECT_FALSE(is("a09", "a19"));
  EXPECT_FALSE(is("a19", "a20b"));
  EXPECT_FALSE(is("a/9", "a/:"));
  EXPECT_FALSE(is("a1", "a1"));
  EXPECT_FALSE(is("", ""));
  EXPECT_FALSE(is(std::string("1\0b", 3), std::string_view("2\0b", 3)));
}

TEST(TokenCodec, OneEntryAlwaysFits) {  // F-181
  EntryGenerator generator(5);
  for (int round = 0; round < 200; ++round) {
    Entry entry;
    entry.key = std::string(60000, 'd') + std::string(2, '\0');
    for (int i = 0; i < 255; ++i) entry.key += static_cast<char>(128 + generator.below(128));
    entry.mode = format::kTypeSymlink | 0777;
    for (int i = 0; i < 255; ++i) entry.target += static_cast<char>(1 + generator.below(255));
    entry.size_bytes = entry.target.size();
    entry.mtime = {-(std::int64_t{1} << 62), 999999999};
    entry.ctime = entry.atime = Time{std::int64_t{1} << 62, 1};
    entry.xattrs = {format::kFileBytesMax - 7, 7};
    auto dictionaries = token_dictionaries(static_cast<std::uint64_t>(round), 3);
    expect_token_round_trip({entry}, dictionaries);
  }
}

TEST(TokenCodec, PagesAreFilled) {
  EntryGenerator generator(2);
  EntryOptions options;
  options.entry_count = 5000;
  options.wild_names = false;
  options.wild_values = false;
  const auto entries = generator.tree(options);
  auto dictionaries = token_dictionaries(2, 4);
  const auto context = dictionaries.context(1, 7);
  ASSERT_TRUE(intern_all(entries, *context.attributes));
  const auto pages = fill_pages(entries, context, format::kTokenCodec);
  ASSERT_GT(pages.size(), 3u);
  for (std::size_t i = 0; i + 1 < pages.size(); ++i) {
    const auto header = format::read_page_header(pages[i].bytes).value();
    EXPECT_GT(header.payload_bytes, format::kPagePayloadBytesMax - 120) << i;
  }
}

TEST(TokenCodec, RefusesWhatItCannotHold) {  // F-197
  auto dictionaries = token_dictionaries(1, 1);
  const auto context = dictionaries.context(1, 7);
  const auto* codec = format::find_page_codec(format::kTokenCodec);
  std::vector<Entry> entries{file("a"), file("b")};
  intern_all(entries, *context.attributes);
  std::size_t guess = 1;
  const auto code_of = [&](const std::vector<Entry>& given, const format::PageContext& with) {
    auto page = format::fill_page(*codec, given, with, guess);
    return page ? 0 : page.error().code();
  };
  EXPECT_EQ(code_of(entries, context), 0);
  EXPECT_EQ(code_of(entries, dictionaries.context(0, 7)), 2930);
  EXPECT_EQ(code_of({}, context), 2148);
  EXPECT_EQ(code_of({entries[1], entries[0]}, context), 2934);
  auto slash = entries;
  slash[1].key += "/c";
  EXPECT_EQ(code_of(slash, context), 2933);
  auto contradiction = entries;
  contradiction[0].target = "t";
  EXPECT_EQ(code_of(contradiction, context), 2186);
}

TEST(TokenCodec, DataOfAPageIsBounded) {
  auto dictionaries = token_dictionaries(1, 1);
  const auto context = dictionaries.context(1, 7);
  std::vector<Entry> entries{file("a"), file("b")};
  for (auto& entry : entries) {
    entry.size_bytes = entry.stored_bytes = std::uint64_t{3} << 61;
    entry.codec = format::ExtentCodec::kZstd;
  }
  intern_all(entries, *context.attributes);
  EXPECT_EQ(fill_pages(entries, context, format::kTokenCodec).size(), 2U);  // not in a single page
  std::vector<Entry> link(1);
  link[0].key = entries[0].key;
  link[0].mode = format::kTypeRegular;
  link[0].link_inode = 7;
  link[0].stored_bytes = ~std::uint64_t{0};
  std::size_t guess = 1;
  const auto* codec = format::find_page_codec(format::kTokenCodec);
  EXPECT_EQ(format::fill_page(*codec, link, context, guess).error().code(), 2935);
}

TEST(TokenCodec, AnEntryThatFillsMoreThanAPageIsRefused) {
  EntryGenerator generator(5);
  auto dictionaries = token_dictionaries(1, 1);
  const auto context = dictionaries.context(1, 7);
  std::vector<Entry> entries{file("a")};
  for (int i = 0; i < 40; ++i) entries[0].key += generator.name(true);  // no valid name
  std::erase(entries[0].key, '/');
  entries[0].key.resize(6000, '\xfe');
  intern_all(entries, *context.attributes);
  std::size_t guess = 1;
  const auto* codec = format::find_page_codec(format::kTokenCodec);
  EXPECT_EQ(format::fill_page(*codec, entries, context, guess).error().code(), 2932);
}

// The first entry that does not fit may belong to another directory. The filler must then restore
// the prefix that the page had before this entry.
TEST(TokenCodec, AFullPageKeepsItsPrefix) {
  std::size_t cut = 0;
  for (int count = 1; count < 60; ++count) {
    EntryGenerator generator(static_cast<std::uint64_t>(count));
    std::vector<Entry> entries;
    for (int i = 0; i < count; ++i) {
      auto entry = file("deep/dir/" + std::to_string(100 + i));
      entry.key += std::string(150, static_cast<char>('a' + i % 26));
      entries.push_back(entry);
    }
    entries.push_back(file("other/" + std::string(250, 'q')));
    auto dictionaries = token_dictionaries(1, 1);
    expect_token_round_trip(entries, dictionaries);
    const auto pages = fill_pages(entries, dictionaries.context(1, 7), format::kTokenCodec);
    cut += pages.front().entry_count == entries.size() - 1 ? 1U : 0U;
  }
  EXPECT_GT(cut, 0U);
}

TEST(TokenCodec, SizesAreToldOfSoundPagesAlone) {
  std::vector<Entry> entries;
  for (int i = 100; i < 400; ++i) entries.push_back(file("d/f" + std::to_string(i), 7));
  auto dictionaries = token_dictionaries(3, 2);
  const auto context = dictionaries.context(1, 7);
  intern_all(entries, *context.attributes);
  const auto page = fill_pages(entries, context, format::kTokenCodec).front();
  EXPECT_EQ(format::measure_page(page.bytes, dictionaries).value().entry_count, page.entry_count);
  std::size_t refused = 0;
  for (std::size_t at = format::kPageHeaderBytes; at < 300; ++at) {
    auto changed = page.bytes;
    changed[at] ^= 0x5a;
    format::store<std::uint64_t>(changed, 0, format::checksum64(Bytes(changed).subspan(8)));
    const auto sizes = format::measure_page(changed, dictionaries);
    if (sizes) continue;
    EXPECT_EQ(sizes.error().kind(), ErrorKind::kCorrupt);
    ++refused;
  }
  EXPECT_GT(refused, 0U);
  dictionaries.models[1] = format::Model::empty();
  EXPECT_EQ(format::measure_page(page.bytes, dictionaries).error().code(), 2936);
  EXPECT_EQ(format::open_page(page.bytes, dictionaries).error().code(), 2931);
}

TEST(TokenCodec, APageKeepsItsBytesUnderAnotherPrefix) {  // F-121
  std::vector<Entry> entries;
  for (int i = 100; i < 400; ++i) entries.push_back(file("deep/er/f" + std::to_string(i), 7));
  auto dictionaries = token_dictionaries(3, 2);
  const auto context = dictionaries.context(1, 7);
  intern_all(entries, *context.attributes);
  const auto page = fill_pages(entries, context, format::kTokenCodec).front();
  EXPECT_EQ(page.prefix, format::children_prefix(format::key_of_path("deep/er").value()));
  auto moved = entries;
  for (auto& entry : moved) entry.key.replace(0, page.prefix.size(), "elsewhere");
  const auto again = fill_pages(moved, context, format::kTokenCodec).front();
  const auto opened = format::open_page(page.bytes, dictionaries).value();
  for (const auto& entry : moved) {
    EXPECT_TRUE(opened->find(entry.key.substr(9)).value());
  }
  EXPECT_EQ(again.entry_count, entries.size());
}

/// A page that a decoder accepts must be one that an encoder can write.
void expect_sound_token_page(const format::DecodedPage& page, MapDictionaries& dictionaries) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < page.size(); ++i) entries.push_back(page.entry(i));
  expect_token_round_trip(entries, dictionaries, false);
}

Buffer with_flipped_bit(Buffer bytes, std::size_t bit) {
  bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
  return bytes;
}

std::vector<Entry> entries_of_two_blocks(std::uint64_t seed) {
  EntryGenerator generator(seed);
  EntryOptions options;
  options.entry_count = 90;
  options.special_percent = 30;
  options.link_percent = 15;
  options.feature_percent = 20;
  return generator.tree(options);
}

struct TokenSample {
  explicit TokenSample(std::uint64_t seed) : TokenSample(seed, entries_of_two_blocks(seed)) {}
  /// The first page of `entries`.
  TokenSample(std::uint64_t seed, const std::vector<Entry>& entries)
      : dictionaries(token_dictionaries(seed, 2)) {
    const auto context = dictionaries.context(1, 7);
    intern_all(entries, *context.attributes);
    const auto page = fill_pages(entries, context, format::kTokenCodec).front();
    header = format::read_page_header(page.bytes).value();
    const auto bytes = Bytes(page.bytes).subspan(format::kPageHeaderBytes, header.payload_bytes);
    payload.assign(bytes.begin(), bytes.end());
  }
  [[nodiscard]] auto open(Bytes bad) const {
    return format::open_page(format::make_page(header, bad), dictionaries);
  }
  MapDictionaries dictionaries;
  format::PageHeader header;
  Buffer payload;
};

TEST(TokenCodec, FlippedBitsNeverViolateTheRules) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    TokenSample sample(seed);
    std::size_t accepted = 0;
    // All bits of the heads, and a third of the rest.
    for (std::size_t bit = 0; bit < sample.payload.size() * 8; bit += bit < 2000 ? 1 : 3) {
      const auto opened = sample.open(with_flipped_bit(sample.payload, bit));
      if (!opened) {
        ASSERT_EQ(opened.error().kind(), ErrorKind::kCorrupt);
        continue;
      }
      for (std::size_t i = 0; i < opened.value()->size(); i += 17) {
        const auto entry = opened.value()->entry(i);
        if (!entry) {
          ASSERT_EQ(entry.error().kind(), ErrorKind::kCorrupt);
        }
      }
      const auto decoded = opened.value()->decode();
      if (!decoded) continue;
      ++accepted;
      expect_sound_token_page(*decoded.value(), sample.dictionaries);
      if (HasFailure()) FAIL() << "seed " << seed << " bit " << bit;
    }
    EXPECT_GT(accepted, 0u) << "some flips only change a value";
  }
}

// A list may take its names from slices that meet at the border of two blocks.
TEST(TokenCodec, ASliceEndsBelowTheNextBlock) {  // F-144
  const TokenSample sample(0);
  std::size_t found = 0;
  for (std::size_t bit = 0; bit < sample.payload.size() * 8; ++bit) {
    const auto opened = sample.open(with_flipped_bit(sample.payload, bit));
    if (!opened) continue;
    const auto first = opened.value()->slice(0, format::kBlockEntries);
    const auto second = opened.value()->slice(format::kBlockEntries, format::kBlockEntries + 1);
    if (!first) {
      if (first.error().code() == 2925) ++found;
    } else if (second) {
      const auto& rows = *first.value().rows;
      ASSERT_LT(rows.key(rows.size() - 1), second.value().rows->key(0)) << "bit " << bit;
    }
  }
  EXPECT_GT(found, 0u);
}

// A page of several groups, so its first keys are in several runs.
TEST(TokenCodec, FlippedHeadsOfGroupsNeverViolateTheRules) {  // F-191
  std::vector<Entry> entries;
  for (int i = 0; i < 2000; ++i) entries.push_back(file("f" + std::to_string(10000 + 3 * i)));
  TokenSample sample(1, entries);
  ASSERT_GT(sample.header.entry_count, format::kGroupBlocks * format::kBlockEntries);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 5000; bit += 3) {
    const auto opened = sample.open(with_flipped_bit(sample.payload, bit));
    const auto decoded = opened ? opened.value()->decode() : opened.error();
    if (!decoded) {
      ASSERT_EQ(decoded.error().kind(), ErrorKind::kCorrupt);
      ++refused;
      continue;
    }
    expect_sound_token_page(*decoded.value(), sample.dictionaries);
    if (HasFailure()) FAIL() << "bit " << bit;
  }
  EXPECT_GT(refused, 100u);
}

// A lookup skips numbered files without reading them again; it must find the same entries as
// decoding.
TEST(TokenCodec, LookupsInDamagedPagesFindWhatTheyDecodeTo) {  // F-192, F-198
  std::vector<Entry> entries;
  for (int i = 0; i < 700; ++i) {
    const auto bytes = static_cast<std::uint64_t>(4096 + i * 7919 % 8192);
    entries.push_back(file(numbered("d", i / 90, 2) + numbered("/f", i % 90, 3), bytes));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  TokenSample sample(1, entries);
  const auto sound = sample.open(sample.payload).value()->decode().value();
  std::size_t decodable = 0;
  for (std::size_t bit = 0; bit < sample.payload.size() * 8; bit += 5) {
    const auto opened = sample.open(with_flipped_bit(sample.payload, bit));
    if (!opened) continue;
    const auto decoded = opened.value()->decode();
    decodable += decoded ? 1U : 0U;
    const auto& keys = decoded ? *decoded.value() : *sound;
    for (std::size_t i = 0; i < keys.size(); i += 23) {
      const auto found = opened.value()->find(keys.key(i));
      if (!decoded) {
        ASSERT_TRUE(found || found.error().kind() == ErrorKind::kCorrupt);
        continue;
      }
      ASSERT_TRUE(found && found.value()) << "bit " << bit;
      EXPECT_EQ(found.value()->entry, keys.entry(i)) << "bit " << bit;
      EXPECT_EQ(found.value()->data_offset, keys.data_offset(i)) << "bit " << bit;
    }
  }
  EXPECT_GT(decodable, 10U) << "some flips only change a value";
}

/// `payload` with a one bit inserted before each of `places`, which rise.
Buffer with_inserted_bits(const Buffer& payload, const std::vector<std::size_t>& places) {
  format::BitWriter out;
  format::BitReader in(payload);
  std::size_t inserted = 0;
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    for (; inserted < places.size() && places[inserted] == bit; ++inserted) out.bits(1, 1);
    out.bits(in.bits(1), 1);
  }
  return std::move(out).finish();
}

// The only group of the page claims first keys of further blocks. Decoding all blocks never reaches
// these keys, but lookups in such a page would find nothing.
TEST(TokenCodec, AGroupOfOneBlockHasNoOtherKeys) {  // F-191
  std::vector<Entry> entries;
  for (int i = 10; i < 50; ++i) entries.push_back(file("f" + std::to_string(i)));
  TokenSample sample(1, entries);
  std::size_t refused = 0;
  // Tries all places where the table of blocks may begin; one of them is right.
  for (std::size_t begin = 0; begin < 400; ++begin) {
    format::BitReader in(sample.payload, begin);
    const auto table = in.bits(format::kBlockBitsWidthBits) + in.bits(format::kBlockBytesWidthBits);
    const auto keys = in.bits(format::kGroupKeysWidthBits);
    const auto group_bits_end = in.bit_offset() + format::kGroupBitsWidthBits;
    if (in.bits(format::kGroupBitsWidthBits) != 0) continue;
    const auto group_begin = group_bits_end + table;
    const auto widened = with_flipped_bit(
        sample.payload, (group_bits_end - 1) / 8 * 8 + 7 - (group_bits_end - 1) % 8);
    const auto opened = sample.open(with_inserted_bits(widened, {group_begin, group_begin + keys}));
    if (!opened) {
      refused += opened.error().code() == 2926 ? 1U : 0U;
      continue;
    }
    const auto decoded = opened.value()->decode();
    if (!decoded) continue;
    for (std::size_t i = 0; i < decoded.value()->size(); ++i) {
      ASSERT_TRUE(opened.value()->find(decoded.value()->key(i))) << "begin " << begin;
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(TokenCodec, TruncationsAndWrongCountsAreDetected) {  // F-190, F-191, F-193
  TokenSample sample(4);
  for (std::size_t length = 0; length < sample.payload.size(); ++length) {
    EXPECT_FALSE(sample.open(Bytes(sample.payload).first(length))) << length;
  }
  const auto decodes = [&] {
    const auto opened = sample.open(sample.payload);
    return opened && opened.value()->decode();
  };
  ASSERT_TRUE(decodes());
  for (const int change : {-2, -1, 1, 2, 200}) {
    const auto good = sample.header;
    sample.header.entry_count = static_cast<std::uint16_t>(good.entry_count + change);
    EXPECT_FALSE(decodes()) << change;
    sample.header.decoded_bytes =
        static_cast<std::uint32_t>(static_cast<int>(good.decoded_bytes) + change);
    EXPECT_FALSE(decodes()) << change;
    sample.header.entry_count = good.entry_count;
    EXPECT_FALSE(decodes()) << change;
    sample.header = good;
  }
  sample.header.decoded_bytes = 1;
  EXPECT_FALSE(decodes());
}

}  // namespace
}  // namespace dgfs::test
