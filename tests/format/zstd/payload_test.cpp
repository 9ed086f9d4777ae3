// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd/payload.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace dgfs::test {
namespace {

using format::Model;

class ZstdPayload : public ::testing::Test {
 protected:
  ZstdPayload() {
    for (int i = 0; i < 3000; ++i) plain_ += "entry " + std::to_string(i * 7919 % 1000) + "\n";
    payload_ = packed(kEnds);
  }
  [[nodiscard]] Buffer packed(std::span<const std::size_t> ends) const {
    return format::compress_payload(as_bytes(plain_), ends, *model_, 5).value();
  }
  [[nodiscard]] auto unpacked(Bytes payload) const {
    return format::decompress_payload(payload, plain_.size(), *model_);
  }
  [[nodiscard]] auto blocks(Bytes payload) const {
    return format::payload_blocks(payload, plain_.size(), *model_);
  }

  static constexpr std::size_t kEnds[] = {100, 5000, 5001, 20000};
  std::string plain_;
  std::shared_ptr<const Model> model_ = Model::empty();
  Buffer payload_;
};

TEST_F(ZstdPayload, BlocksAreThoseThatWereAskedFor) {
  EXPECT_EQ(as_text(unpacked(payload_).value()), plain_);
  const auto found = blocks(payload_).value();
  // The frame's header, and the bytes behind the last block.
  ASSERT_EQ(found.size(), std::size(kEnds) + 2);
  EXPECT_EQ(found[0].plain_bytes, 0U);
  std::size_t end = 0;
  for (std::size_t i = 0; i < std::size(kEnds); ++i) {
    end += found[i + 1].plain_bytes;
    EXPECT_EQ(end, kEnds[i]);
  }
  const auto stored =
      std::accumulate(found.begin(), found.end(), std::size_t{0},
                      [](std::size_t sum, const auto& block) { return sum + block.stored_bytes; });
  EXPECT_EQ(stored, payload_.size());
}

TEST_F(ZstdPayload, IsOneWholeFrame) {  // F-130
  auto longer = payload_;
  longer.push_back(0);
  auto twice = payload_;
  twice.insert(twice.end(), payload_.begin(), payload_.end());
  const Buffer cut(payload_.begin(), payload_.end() - 1);
  for (const auto& payload : {longer, twice, cut, Buffer()}) {
    EXPECT_EQ(unpacked(payload).error().code(), 2139) << payload.size();
    EXPECT_EQ(blocks(payload).error().code(), 2151) << payload.size();
  }
}

TEST_F(ZstdPayload, HasTheLengthThatItsHeaderSays) {  // F-131
  plain_ += "more";
  EXPECT_EQ(unpacked(payload_).error().code(), 2144);
  EXPECT_EQ(blocks(payload_).error().code(), 2153);
  plain_.resize(plain_.size() - 8);
  EXPECT_EQ(unpacked(payload_).error().code(), 2143);
  EXPECT_EQ(blocks(payload_).error().code(), 2153);
}

TEST_F(ZstdPayload, ChangedBlocksAreDamageOrAnotherContent) {
  std::size_t refused = 0;
  for (std::size_t at = 2; at < payload_.size(); at += 3) {
    auto changed = payload_;
    changed[at] ^= 0x55;
    const auto plain = unpacked(changed);
    const auto found = blocks(changed);
    if (!plain) {
      EXPECT_EQ(plain.error().kind(), ErrorKind::kCorrupt);
      EXPECT_FALSE(found) << at;
      ++refused;
    }
  }
  EXPECT_GT(refused, payload_.size() / 10);
}

TEST_F(ZstdPayload, EndsOfBlocksMustRise) {
  const std::size_t ends[] = {500, 100};
  const auto packed = format::compress_payload(as_bytes(plain_), ends, *model_, 5);
  EXPECT_EQ(packed.error().code(), 2141);
}

// Our writer makes no such frames, but the format allows any single zstd frame.
TEST_F(ZstdPayload, FramesWithOtherHeadersAreRead) {
  const Buffer hello = {'h', 'e', 'l', 'l', 'o'};
  const Buffer one_segment = {0x20, 5, 5 << 3 | 1, 0, 0, 'h', 'e', 'l', 'l', 'o'};
  const Buffer long_size = {0xe0,       5, 0, 0,   0,   0,   0,   0,  0,
                            5 << 3 | 1, 0, 0, 'h', 'e', 'l', 'l', 'o'};
  for (const auto& payload : {one_segment, long_size}) {
    const auto plain = format::decompress_payload(payload, 5, *model_);
    ASSERT_TRUE(plain) << plain.error().message();
    EXPECT_EQ(plain.value(), hello);
    EXPECT_EQ(format::payload_blocks(payload, 5, *model_).value().size(), 2U);
  }
  const Buffer summed = {0x24, 5,   5 << 3 | 1, 0,    0,    'h',  'e',
                         'l',  'l', 'o',        0xa3, 0x6d, 0x9f, 0x88};
  EXPECT_EQ(format::decompress_payload(summed, 5, *model_).value(), hello);
  EXPECT_EQ(format::payload_blocks(summed, 5, *model_).value().size(), 2U);
  auto other_sum = summed;
  other_sum.back() ^= 1;
  EXPECT_EQ(format::decompress_payload(other_sum, 5, *model_).error().code(), 2143);
  auto longer = one_segment;
  longer.push_back(0);
  EXPECT_EQ(format::decompress_payload(longer, 5, *model_).error().code(), 2139);
}

}  // namespace
}  // namespace dgfs::test
