// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reading files that share a frame with their neighbours.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "format/limits.h"
#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

constexpr int kNotes = 40;

std::string note(int i) {
  std::string text = "note " + std::to_string(i * 7919) + "\n";
  while (text.size() < 1000) text += "what the others say is said here as well\n";
  return text;
}

class FragmentReadTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < kNotes; ++i) tree_.file(name_of(i), note(i));
    builder::BuildOptions options;
    options.compression = builder::Compression{3};
    options.compression->fragment_frame_bytes = std::size_t{16} << 10;
    tree_.pack(options);
  }
  // read_many() must report damage of all files but the first.
  static void expect_told_alone(const reader::Image& image, const std::vector<reader::Node>& nodes,
                                std::uint16_t code) {
    std::size_t told = 0;
    image.read_many(nodes, [&](std::size_t index, const Result<reader::FilePiece>& piece) {
      ++told;
      EXPECT_EQ(piece.has_value(), index == 0);
      EXPECT_EQ(piece ? 0 : piece.error().code(), index == 0 ? 0 : code);
      return true;
    });
    EXPECT_EQ(told, nodes.size());
  }
  static std::string name_of(int i) { return "n" + std::to_string(100 + i); }

  PackedTree tree_;
};

TEST_F(FragmentReadTest, NeighboursCostOneReadTogether) {
  const auto image = tree_.open();
  static_cast<void>(image->files());  // opens the volumes, which reads their headers
  const auto first = value_of(image->lookup(name_of(0)));
  tree_.counting().reset();
  for (int i = 0; i < kNotes; ++i) {
    const auto node = value_of(image->lookup(name_of(i)));
    if (node.data != first.data) break;
    EXPECT_EQ(as_text(value_of(contents(*image, node))), note(i));
    EXPECT_EQ(tree_.volume_reads(), 1U) << i;
  }
}

TEST_F(FragmentReadTest, DamageIsOfTheFilesInTheFrameAlone) {
  const auto damaged = value_of(tree_.open()->lookup(name_of(20)));
  const auto file = value_of(tree_.memory().open(kImage, {storage::OpenOptions::Mode::kReadWrite}));
  Buffer byte(1);
  const auto place = damaged.data.offset_bytes + damaged.stored_bytes / 2;
  value_of(file->read_at(place, byte));
  byte[0] ^= 1;
  expect_ok(file->write_at(place, byte));
  const auto image = tree_.open();
  std::size_t lost = 0;
  for (int i = 0; i < kNotes; ++i) {
    const auto node = value_of(image->lookup(name_of(i)));
    const auto read = contents(*image, node);
    if (node.data == damaged.data) {
      ++lost;
      ASSERT_FALSE(read);
      EXPECT_EQ(read.error().code(), 3089);
      EXPECT_EQ(read.error().offset(), damaged.data.offset_bytes);
    } else {
      EXPECT_EQ(as_text(value_of(read)), note(i));
    }
  }
  EXPECT_GT(lost, 10U);
  EXPECT_LT(lost, 20U);
  EXPECT_EQ(value_of(reader::verify(*image, {})).damaged_files, lost);
  expect_told_alone(*tree_.open(), {value_of(image->lookup(name_of(0))), damaged}, 3089);
}

// The index claims a place in a frame; the reader checks it once it has the frame.
TEST_F(FragmentReadTest, AFileBehindTheEndOfItsFrameIsDamaged) {
  const auto image = tree_.open();
  auto node = value_of(image->lookup(name_of(1)));
  const auto sound = node;
  node.fragment_offset = 65536 - 1000;
  auto longer = sound;
  longer.size_bytes = format::kFragmentFrameBytesMax - *sound.fragment_offset;
  for (const auto& wrong : {node, longer}) {
    const auto read = contents(*image, wrong);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), 3265);
    expect_told_alone(*image, {sound, wrong}, 3265);
  }
}

}  // namespace
}  // namespace dgfs::test
