// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "format/coding.h"
#include "format/section/digest_hasher.h"
#include "format/section/digest_page.h"
#include "format/section/digest_table.h"
#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

constexpr auto kSha256 = DigestAlgorithm::kSha256;

std::string digest_of(std::string_view text) {
  auto hasher = DigestHasher::make(kSha256).value();
  hasher.update(as_bytes(text));
  return digest_text(hasher.finish().value());
}

// The examples of FIPS 180-2, appendix B.
TEST(DigestHasher, IsSha256) {  // F-331
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(digest_of(""), digest_text(empty_digest(kSha256)));
  EXPECT_EQ(digest_algorithm_name(kSha256), "sha256");
}

TEST(DigestHasher, TakesPiecesAndStreamsInTurn) {
  auto hasher = DigestHasher::make(kSha256).value();
  const std::string text(300'000, '\0');
  for (int round = 0; round < 2; ++round) {
    hasher.update(as_bytes(text).first(7));
    hasher.update({});
    hasher.update_zeros(text.size() - 7);
    EXPECT_EQ(digest_text(hasher.finish().value()), digest_of(text));
  }
  EXPECT_EQ(hasher.finish().value(), empty_digest(kSha256));
}

Digest some_digest(std::uint64_t seed) {
  Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(1 + (seed * 31 + i * 7) % 255);
  }
  return digest;
}

constexpr DigestRange kRange{100, 5000};

Buffer page_of(const std::vector<Ordinal>& ordinals) {
  DigestPageFiller filler;
  for (const auto ordinal : ordinals) filler.add(ordinal, some_digest(ordinal));
  return filler.take(0);
}

Buffer body_of(const std::vector<Ordinal>& ordinals) {
  const auto page = page_of(ordinals);
  return {page.begin() + kRecordChecksumBytes, page.end()};
}

TEST(DigestPage, FindsWhatWasPutIn) {
  test::Random random(7);
  for (std::uint64_t round = 0; round < 200; ++round) {
    std::map<Ordinal, Digest> put;
    DigestPageFiller filler;
    for (Ordinal at = 100; filler.has_room_for(at); at += 1 + test::below(random, 1 + round / 4)) {
      filler.add(at, put[at] = some_digest(at));
    }
    EXPECT_EQ(filler.first(), 100U);
    const auto page = filler.take(5);
    EXPECT_TRUE(filler.empty());
    ASSERT_EQ(page.size(), kPageBytes);
    const auto body = open_record(SectionKind::kDigests, 5 * kPageBytes, page).value();
    EXPECT_EQ(check_digest_page(body, kRange).value(), put.size());
    for (Ordinal ordinal = 0; ordinal < 3000; ++ordinal) {
      const auto found = find_digest(body, ordinal);
      ASSERT_EQ(found.has_value(), put.contains(ordinal)) << ordinal;
      if (found) {
        EXPECT_EQ(*found, put[ordinal]);
      }
    }
  }
}

TEST(DigestPage, HasRoomForSoManyInSuchAReach) {
  DigestPageFiller filler;
  EXPECT_TRUE(filler.has_room_for(~Ordinal{0}));
  for (Ordinal i = 0; i < kDigestPageDigests; ++i) {
    ASSERT_TRUE(filler.has_room_for(100 + i));
    filler.add(100 + i, {});
  }
  EXPECT_FALSE(filler.has_room_for(100 + kDigestPageDigests));
  static_cast<void>(filler.take(0));
  filler.add(100, {});
  EXPECT_TRUE(filler.has_room_for(100 + kDigestPageOrdinals - 1));
  EXPECT_FALSE(filler.has_room_for(100 + kDigestPageOrdinals));
}

TEST(DigestPage, RefusesWhatItCannotBe) {
  const auto good = body_of({100, 101, 200});
  EXPECT_EQ(check_digest_page(good, kRange).value(), 3U);
  expect_error(check_digest_page(Bytes(good).first(4000), kRange), ErrorKind::kCorrupt, 2953);
  expect_error(check_digest_page(good, {99, 5000}), ErrorKind::kCorrupt, 2954);   // F-333
  expect_error(check_digest_page(good, {101, 5000}), ErrorKind::kCorrupt, 2954);  // F-333
  EXPECT_TRUE(check_digest_page(good, {100, 201}));
  expect_error(check_digest_page(good, {100, 200}), ErrorKind::kCorrupt, 2955);  // F-334
  auto bad = good;
  bad[8] = 0b10;  // the first bit is not set
  expect_error(check_digest_page(bad, kRange), ErrorKind::kCorrupt, 2955);  // F-334
  bad = good;
  std::fill_n(bad.begin() + 8, 16, 0xff);  // 128 digests or more do not fit into a page
  expect_error(check_digest_page(bad, kRange), ErrorKind::kCorrupt, 2955);  // F-334
  bad = good;
  bad.back() = 1;
  expect_error(check_digest_page(bad, kRange), ErrorKind::kCorrupt, 2956);  // F-335
  bad = good;
  bad[8] = 1;  // one digest more than there are bits
  expect_error(check_digest_page(bad, kRange), ErrorKind::kCorrupt, 2956);  // F-335
}

Buffer table_of(const std::vector<Ordinal>& firsts, Ordinal before = 0) {
  Buffer body;
  encode_digest_table(kSha256, firsts, before, body);
  return body;
}

Result<DigestTable> load_digests(const std::vector<Buffer>& bodies, std::uint64_t pages,
                                 Ordinal end) {
  DigestTable::Loader loader(pages, end);
  for (const auto& body : bodies) {
    DGFS_CHECK(loader.add(body));
  }
  return std::move(loader).finish();
}

TEST(DigestTable, LeadsToPages) {
  const Ordinal far = Ordinal{1} << 40;
  const auto table =
      load_digests({table_of({1, 130}), table_of({500, far}, 130)}, 4, far + 9).value();
  EXPECT_EQ(table.algorithm(), kSha256);
  EXPECT_EQ(table.page_count(), 4U);
  const std::map<Ordinal, std::size_t> pages = {{1, 0},   {129, 0},     {130, 1}, {499, 1},
                                                {500, 2}, {far - 1, 2}, {far, 3}, {far + 8, 3}};
  EXPECT_FALSE(table.find(0));
  for (const auto& [ordinal, page] : pages) EXPECT_EQ(table.find(ordinal), page) << ordinal;
  EXPECT_EQ(table.range(1).first, 130U);
  EXPECT_EQ(table.range(1).end, 500U);
  EXPECT_EQ(table.range(3).end, far + 9);
  EXPECT_LT(table.memory_bytes(), 1000U);
}

TEST(DigestTable, RefusesWhatItCannotBe) {
  const auto corrupt = ErrorKind::kCorrupt;
  expect_error(load_digests({{}}, 0, 10), corrupt, 2001);                               // F-001
  expect_error(load_digests({{1, 0x80}}, 1, 10), corrupt, 2001);                        // F-001
  expect_error(load_digests({{2, 1}}, 1, 10), ErrorKind::kUnsupported, 2957);           // F-331
  expect_error(load_digests({{0, 1}}, 1, 10), ErrorKind::kUnsupported, 2957);           // F-331
  expect_error(load_digests({table_of({0})}, 1, 10), corrupt, 2958);                    // F-332
  expect_error(load_digests({table_of({3, 3})}, 2, 10), corrupt, 2958);                 // F-332
  expect_error(load_digests({table_of({3, 2})}, 2, 10), corrupt, 2958);                 // F-332
  expect_error(load_digests({table_of({3, 10})}, 2, 10), corrupt, 2958);                // F-332
  expect_error(load_digests({table_of({3}), table_of({4}, 4)}, 2, 10), corrupt, 2958);  // F-332
  expect_error(load_digests({table_of({3, 4})}, 1, 10), corrupt, 2959);                 // F-332
  expect_error(load_digests({table_of({3, 4})}, 3, 10), corrupt, 2960);                 // F-332
  expect_error(load_digests({}, 0, 10), corrupt, 2960);                                 // F-336
  EXPECT_TRUE(load_digests({table_of({3, 9})}, 2, 10));
}

}  // namespace
}  // namespace dgfs::format
