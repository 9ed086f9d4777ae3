// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/composed_chunks.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace dgfs::test {
namespace {

using view::ComposedChunks;

constexpr view::ObjectNumber kFile = 7;

ComposedChunks::Chunk chunk_of(std::uint8_t byte, std::size_t length = 100) {
  return std::make_shared<const Buffer>(length, byte);
}

void keep(ComposedChunks& chunks, view::ObjectNumber object, std::uint64_t chunk,
          std::uint8_t byte) {
  chunks.keep(chunks.begin(object), object, chunk, chunk_of(byte));
}

// The byte that a reader who begins now finds for a chunk; none: the chunk is not there.
std::optional<std::uint8_t> found(ComposedChunks& chunks, view::ObjectNumber object,
                                  std::uint64_t chunk) {
  const auto bytes = chunks.find(chunks.begin(object), object, chunk);
  return bytes ? std::optional(bytes->front()) : std::nullopt;
}

TEST(ComposedChunks, AreFoundUntilTheyAreWrittenTo) {
  ComposedChunks chunks(10'000);
  for (std::uint8_t i = 0; i < 5; ++i) keep(chunks, kFile, i, i);
  keep(chunks, kFile + 1, 3, 99);
  {
    ComposedChunks::Writing writing(chunks, kFile);
    writing.forget(1, 3);
  }
  EXPECT_EQ(found(chunks, kFile, 0), 0);
  EXPECT_EQ(found(chunks, kFile, 1), std::nullopt);
  EXPECT_EQ(found(chunks, kFile, 2), std::nullopt);
  EXPECT_EQ(found(chunks, kFile, 3), 3);
  {
    ComposedChunks::Writing writing(chunks, kFile);
    writing.forget(3, std::nullopt);
  }
  EXPECT_EQ(found(chunks, kFile, 0), 0);
  EXPECT_EQ(found(chunks, kFile, 4), std::nullopt);
  EXPECT_EQ(found(chunks, kFile + 1, 3), 99);
  EXPECT_EQ(chunks.size_bytes(), 200U);
}

TEST(ComposedChunks, OthersOfTheirPoolTakeThoseUsedLongestAgo) {
  const auto pool = std::make_shared<CachePool>(1000);
  ComposedChunks chunks(10'000, pool);
  for (std::uint8_t i = 0; i < 15; ++i) keep(chunks, kFile, i, i);
  EXPECT_EQ(pool->bytes(), 1000U);
  EXPECT_EQ(found(chunks, kFile, 4), std::nullopt);
  EXPECT_EQ(found(chunks, kFile, 5), 5);
  pool->note_held(0, 850);
  pool->settle();
  EXPECT_EQ(chunks.size_bytes(), 100U);
  EXPECT_EQ(found(chunks, kFile, 5), 5);
  ComposedChunks::Writing(chunks, kFile).forget(0, std::nullopt);
  EXPECT_EQ(pool->bytes(), 850U);
}

// The reader's moment may be older than the write.
TEST(ComposedChunks, AReaderBesideAWriterNeitherFindsNorKeepsAny) {
  ComposedChunks chunks(10'000);
  keep(chunks, kFile, 5, 5);
  const auto before = chunks.begin(kFile);
  std::optional<ComposedChunks::Writing> writing;
  writing.emplace(chunks, kFile);
  writing->forget(0, 1);
  const auto meanwhile = chunks.begin(kFile);
  EXPECT_EQ(chunks.find(before, kFile, 5), nullptr);
  EXPECT_EQ(chunks.find(meanwhile, kFile, 5), nullptr);
  chunks.keep(before, kFile, 0, chunk_of(1));
  chunks.keep(meanwhile, kFile, 0, chunk_of(2));
  writing.reset();
  chunks.keep(before, kFile, 0, chunk_of(3));
  chunks.keep(meanwhile, kFile, 0, chunk_of(4));
  EXPECT_EQ(found(chunks, kFile, 0), std::nullopt);
  EXPECT_EQ(chunks.find(before, kFile, 5), nullptr);
  EXPECT_EQ(found(chunks, kFile, 5), 5);
}

TEST(ComposedChunks, ThatWereUsedLongestAgoMakeRoom) {
  ComposedChunks chunks(300);
  for (std::uint8_t i = 0; i < 3; ++i) keep(chunks, kFile, i, i);
  EXPECT_EQ(found(chunks, kFile, 0), 0);
  keep(chunks, kFile, 3, 3);
  EXPECT_EQ(found(chunks, kFile, 0), 0);
  EXPECT_EQ(found(chunks, kFile, 1), std::nullopt);
  EXPECT_EQ(found(chunks, kFile, 2), 2);
  EXPECT_EQ(found(chunks, kFile, 3), 3);
  chunks.keep(chunks.begin(kFile), kFile, 9, chunk_of(9, 301));
  EXPECT_EQ(found(chunks, kFile, 9), std::nullopt);
  EXPECT_EQ(chunks.size_bytes(), 300U);
}

TEST(ComposedChunks, WithoutRoomNoneIsKept) {
  ComposedChunks chunks(0);
  keep(chunks, kFile, 0, 1);
  EXPECT_EQ(found(chunks, kFile, 0), std::nullopt);
}

TEST(ComposedChunks, ThatAreAskedForAgainAreWorthIt) {
  ComposedChunks chunks(1000);
  EXPECT_FALSE(chunks.is_asked_again(kFile, 0));
  EXPECT_FALSE(chunks.is_asked_again(kFile, 1));
  EXPECT_FALSE(chunks.is_asked_again(kFile + 1, 0));
  EXPECT_TRUE(chunks.is_asked_again(kFile, 0));
  for (std::uint64_t i = 10; i < 1000; ++i) EXPECT_FALSE(chunks.is_asked_again(kFile, i));
  EXPECT_FALSE(chunks.is_asked_again(kFile, 0));
}

}  // namespace
}  // namespace dgfs::test
