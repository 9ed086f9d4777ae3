// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Nodes that lie about records and frames, as a page of a hostile image may. The reader checks each
// claim against the record or frame, also if that is in a cache already.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/header/section.h"
#include "format/limits.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

class ForgedNodeTargets : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.symlink("link", std::string(300, 'y'));
    tree_.pack();
    taken_ = TakenImage(read_file(tree_.memory(), kImage));
  }
  format::SideRef add_record(std::string_view body) {
    auto& records = taken_.raw(SectionKind::kLongTargets);
    const auto at = records.size();
    const auto record = format::seal_record(SectionKind::kLongTargets, at, as_bytes(body));
    records.insert(records.end(), record.begin(), record.end());
    return {at, static_cast<std::uint32_t>(record.size())};
  }
  // Reads a symlink whose target record is there, with a claimed length.
  Result<std::string> read_link(const format::SideRef& ref, std::uint64_t size_bytes) {
    const auto env = storage::make_memory_env(1);
    write_file(*env, "/t.dgfs", taken_.image());
    const auto image = value_of(reader::Image::open(*env, "/t.dgfs"));
    auto node = value_of(image->lookup("link"));
    node.long_target = ref;
    node.size_bytes = size_bytes;
    return image->read_link(node);
  }
  void expect_refused(const format::SideRef& ref, std::uint64_t size_bytes, std::uint16_t code) {
    const auto target = read_link(ref, size_bytes);
    ASSERT_FALSE(target) << size_bytes;
    EXPECT_EQ(target.error().code(), code);
    EXPECT_EQ(target.error().section(), "long targets");
  }

  PackedTree tree_;
  TakenImage taken_;
};

// F-167
TEST_F(ForgedNodeTargets, AreRefused) {
  const std::string longest(format::kTargetBytesMax, 'z');
  const auto sound = add_record(longest);
  EXPECT_EQ(value_of(read_link(sound, longest.size())), longest);
  expect_refused(sound, longest.size() - 1, 3090);
  expect_refused(add_record(""), 0, 3090);
  expect_refused(add_record(std::string("a\0b", 3)), 3, 3090);
  expect_refused({sound.offset_bytes + 1'000'000, sound.length_bytes}, longest.size(), 3002);
}

TEST_F(ForgedNodeTargets, LongerThanAnyAreNotRead) {
  const std::string longer(format::kTargetBytesMax + 1, 'z');
  expect_refused(add_record(longer), longer.size(), 3091);
  expect_refused({0, 1U << 30}, format::kTargetBytesMax, 3091);
}

// Another file may claim the place of a cached frame, with another length.
TEST(ForgedNodeFrames, InTheCacheAreNotTakenForOthers) {
  PackedTree tree;
  tree.file("f", std::string(5000, 'x'));
  builder::BuildOptions options;
  options.compression = builder::Compression{3};
  tree.pack(options);
  const auto image = tree.open();
  const auto node = value_of(image->lookup("f"));
  ASSERT_EQ(node.codec, format::ExtentCodec::kZstd);
  Buffer out(10);
  for (int round = 0; round < 2; ++round) EXPECT_EQ(value_of(image->read(node, 7, out)), 10U);
  EXPECT_EQ(image->counters().frames.hits, 1U);
  for (const auto size_bytes : {4999U, 5001U}) {
    auto wrong = node;
    wrong.size_bytes = size_bytes;
    const auto read = image->read(wrong, 7, out);
    ASSERT_FALSE(read) << size_bytes;
    EXPECT_EQ(read.error().code(), 3085);
    EXPECT_EQ(out, Buffer(10, 0));
  }
}

}  // namespace
}  // namespace dgfs::test
