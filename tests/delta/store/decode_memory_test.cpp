// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Decoding takes no more memory than the node that refers to the bytes says, however hostile the
// bytes are.
#include <gtest/gtest.h>

#include "delta/store/log/log.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_pages.h"
#include "delta/store/tree/node.h"
#include "storage/memory/env.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using namespace delta;
using format::Encoder;

constexpr std::size_t kPoints = 100000;
constexpr std::size_t kSaidBytes = std::size_t{64} << 10;

// Encodes the number in three bytes that sort as numbers do.
std::string numbered(std::size_t number) {
  std::string bytes;
  for (const int shift : {16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

// Removals whose keys share all but three bytes: 400 MB of keys in 700 kB.
Buffer points_alike() {
  Buffer bytes;
  Encoder out(bytes);
  out.varint(kPoints);
  out.varint(0);
  const std::string common(kKeyBytesMax - 3, 'k');
  for (std::size_t i = 0; i < kPoints; ++i) {
    out.varint(i == 0 ? 0 : common.size());
    out.string((i == 0 ? common : "") + numbered(i));
    out.fixed(static_cast<std::uint8_t>(MessageKind::kDelete));
  }
  return bytes;
}

// One point with edits that take five bytes each, and ten times that in memory.
Buffer edits_alike() {
  Buffer bytes;
  Encoder out(bytes);
  for (const std::uint64_t number : {1U, 0U, 0U}) out.varint(number);
  out.string("key");
  out.fixed(static_cast<std::uint8_t>(MessageKind::kPatch));
  out.varint(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    out.fixed(std::uint8_t{1});
    for (int field = 0; field < 2; ++field) out.varint(700);
  }
  return bytes;
}

// Many range tombstones with short keys take some tens of times their bytes in memory.
Buffer tombstones_alike() {
  Buffer bytes;
  Encoder out(bytes);
  out.varint(0);
  out.varint(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    out.string(numbered(2 * i));
    out.fixed(std::uint8_t{1});
    out.string(numbered(2 * i + 1));
  }
  return bytes;
}

// A block of many pages, all of them empty.
Buffer many_pages() {
  Buffer stored;
  Encoder out(stored);
  out.fixed(std::uint8_t{2});
  out.varint(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) out.varint(3);
  for (std::size_t i = 0; i < kPoints; ++i) out.raw(Buffer{0, 0, 0});
  return stored;
}

Buffer packed(const Buffer& bytes, int level) {
  BlockPacker packer(level);
  const auto stored = packer.pack(bytes).value();
  return {stored.begin(), stored.end()};
}

void expect_refused(const Buffer& stored) {
  const FailingHeap heap(0);
  const auto run = Run::unpack(stored, kSaidBytes);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind(), ErrorKind::kCorrupt) << run.error().message();
  // Half of this may be the old buffer, from which a growing one was copied.
  EXPECT_LE(heap.allocated_bytes(), 6 * kSaidBytes) << run.error().message();
}

TEST(DecodeMemory, IsBoundedByWhatTheNodeSays) {
  for (const auto& bytes : {points_alike(), edits_alike(), tombstones_alike()}) {
    ASSERT_GT(bytes.size(), 5 * kSaidBytes);
    expect_refused(packed(bytes, 0));
    expect_refused(packed(bytes, 1));
  }
}

TEST(DecodeMemory, IsNotTakenAheadForPagesThatSayNothing) {
  const auto stored = many_pages();
  const FailingHeap heap(0);
  const auto run = Run::unpack(stored, kSaidBytes);
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_TRUE(run.value()->empty());
  EXPECT_LE(heap.allocated_bytes(), 4 * kSaidBytes);
}

// The cache counts the decoded sizes of nodes, so it keeps as many as it has room for.
TEST(DecodeMemory, OfANodeIsWhatItIsCountedWith) {
  std::vector<RunPages::Page> pages;
  for (std::uint64_t i = 0; i < 64; ++i) {
    pages.push_back(
        {i == 0 ? "" : "directory/name" + std::to_string(1000 + i), 100 * i, 100, i, false});
  }
  std::vector<Slot> slots(16);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i].low = "directory/name" + std::to_string(1000 + i);
    for (int run = 0; run < 4; ++run) {
      slots[i].runs.push_back(std::make_shared<const TreeRun>(
          Place{4096, 6400, 0}, 10000, TreeRun::About{{}, KeyFilter(Buffer(200, 1)), false},
          RunPages(pages)));
    }
  }
  const Node node(0, std::move(slots));
  Buffer bytes;
  node.encode(bytes);
  const FailingHeap heap(0);
  const auto decoded = Node::decode(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded.value()->size_bytes(), node.size_bytes());
  EXPECT_LE(decoded.value()->size_bytes(), heap.allocated_bytes());
  EXPECT_GE(decoded.value()->size_bytes(), heap.allocated_bytes() / 3);
  EXPECT_GT(decoded.value()->size_bytes(), 2 * bytes.size());
}

// The segment's length bounds the memory of its groups: the log refuses a group that would take
// more, and treats one that claims to take more as damaged.
TEST(DecodeMemory, OfAGroupIsBoundedByItsSegment) {
  constexpr std::size_t kSegmentBytes = std::size_t{256} << 10;
  const auto env = storage::make_memory_env(1);
  ASSERT_TRUE(env->make_directory("/s", 0777));
  ASSERT_TRUE(Log::create(*env, "/s", kSegmentBytes));
  const auto log = Log::open(*env, "/s", kSegmentBytes, {}).value();
  const auto run_of = [](std::size_t points) {
    RunBuilder builder;
    const std::string common(kKeyBytesMax - 3, 'k');
    for (std::size_t i = 0; i < points; ++i)
      builder.add_removal(common + numbered(i), MessageKind::kDelete);
    return builder.take();
  };
  const auto fitting = run_of(kSegmentBytes / (kKeyBytesMax + Point::kBytes));
  const auto larger = run_of(fitting->size() + 1);
  ASSERT_LE(fitting->size_bytes(), kSegmentBytes);
  const auto refused = log->append(*larger, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace);
  ASSERT_TRUE(log->append(*fitting, 1));
  GroupHeader header;
  const auto group = encode_group(header, *larger);
  EXPECT_FALSE(decode_group_run(header, group, kSegmentBytes));
  EXPECT_TRUE(decode_group_run(header, group, larger->size_bytes()));
}

}  // namespace
}  // namespace dgfs::test
