// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The promised number of device reads of each call, counted by file.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

class ReadCost : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.directory("big");
    for (std::uint32_t i = 0; i < 3000; ++i) {
      // Names that compress badly, so that the directory spans many pages.
      const auto name =
          "big/" + std::to_string(i * 2654435761U) + "-" + std::to_string(i * i * 40503U);
      tree_.file(name, pattern(i % 50, i));
      names_.push_back(name);
    }
    tree_.directory("z");
    tree_.file("z/first", "linked");
    tree_.link("z/first", "z/second");
    tree_.file("z/large", pattern(300'000, 7));
    tree_.symlink("z/long", std::string(1000, 'x'));
    tree_.symlink("z/short", "target");
    tree_.pack();
  }

  // Runs `call` on a freshly opened image and returns what it read.
  void measure(const std::function<void(const reader::Image&)>& call) {
    const auto image = tree_.open();
    tree_.counting().reset();
    call(*image);
    index_reads_ = tree_.index_counts().reads;
    index_bytes_ = tree_.index_counts().read_bytes;
    const auto data = tree_.image_counts();
    data_reads_ = data.reads;
    EXPECT_EQ(data.opens, 0U);
    const auto counters = image->counters();
    EXPECT_EQ(counters.index_reads + counters.side_reads, index_reads_);
    EXPECT_EQ(counters.data_reads, data_reads_);
    EXPECT_EQ(counters.index_read_bytes + counters.side_read_bytes, index_bytes_);
    EXPECT_EQ(counters.data_read_bytes, data.read_bytes);
  }
  void expect_cost(std::uint64_t index_reads, std::uint64_t data_reads) const {
    EXPECT_EQ(index_reads_, index_reads);
    EXPECT_EQ(data_reads_, data_reads);
  }

  PackedTree tree_;
  std::vector<std::string> names_;
  std::uint64_t index_reads_ = 0;
  std::uint64_t index_bytes_ = 0;
  std::uint64_t data_reads_ = 0;
};

TEST_F(ReadCost, PathLookupIsOneRead) {
  for (const auto* path : {"big", "z/large", "z/short", ""}) {
    measure([&](const reader::Image& image) { EXPECT_TRUE(image.lookup(path)); });
    expect_cost(1, 0);
    EXPECT_EQ(index_bytes_, 4096U);
  }
  for (std::size_t i = 0; i < names_.size(); i += 97) {
    measure([&](const reader::Image& image) { EXPECT_TRUE(image.lookup(names_[i])); });
    expect_cost(1, 0);
  }
}

// The system reads announced bytes, not the reader.
TEST_F(ReadCost, AnnouncingAReadCostsNone) {
  for (const auto* path : {"z/large", "z/first", "z/short", "z"}) {
    measure([&](const reader::Image& image) {
      image.announce_read(value_of(image.lookup(path)), 4096);
    });
    EXPECT_EQ(data_reads_, 0U) << path;
  }
}

TEST_F(ReadCost, LookupInADirectoryOfManyPagesIsOneRead) {
  const auto image = tree_.open();
  const auto directory = value_of(image->lookup("big")).inode;
  for (std::size_t i = 0; i < names_.size(); i += 97) {
    const auto name = names_[i].substr(4);
    const auto expected = value_of(image->lookup(names_[i])).inode;
    measure([&](const reader::Image& cold) {
      EXPECT_EQ(value_of(cold.lookup(directory, name)).inode, expected);
    });
    expect_cost(1, 0);
  }
  measure([&](const reader::Image& cold) {
    EXPECT_EQ(cold.lookup(directory, "nothing").error().kind(), ErrorKind::kNotFound);
  });
  expect_cost(1, 0);
}

TEST_F(ReadCost, LookupByInodeIsOneRead) {
  const auto inode = value_of(tree_.open()->lookup("z/large")).inode;
  measure([&](const reader::Image& image) {
    EXPECT_EQ(value_of(image.by_inode(inode)).size_bytes, 300'000U);
  });
  expect_cost(1, 0);
  measure([&](const reader::Image& image) { EXPECT_TRUE(image.parent(inode)); });
  expect_cost(0, 0);
}

TEST_F(ReadCost, TheFirstNameIsOneRead) {
  for (const auto& path : {std::string("z/large"), std::string("z/first"), names_[700]}) {
    const auto inode = value_of(tree_.open()->lookup(path)).inode;
    measure([&](const reader::Image& image) {
      EXPECT_TRUE(path.ends_with("/" + value_of(image.name_of(inode))->name)) << path;
    });
    expect_cost(1, 0);
  }
  measure([&](const reader::Image& image) {
    EXPECT_FALSE(value_of(image.name_of(1)));
    EXPECT_TRUE(value_of(image.names_of(1))->empty());
  });
  expect_cost(0, 0);
}

// Once the link table is loaded, all names take a block of link names and the pages of the names.
TEST_F(ReadCost, AllNamesOfAnObjectAreASideReadAndTheirPages) {
  const auto lone = value_of(tree_.open()->lookup("z/large")).inode;
  measure(
      [&](const reader::Image& image) { EXPECT_EQ(value_of(image.names_of(lone))->size(), 1U); });
  expect_cost(1, 0);
  const auto inode = value_of(tree_.open()->lookup("z/second")).inode;
  const auto image = tree_.open();
  std::vector<std::uint64_t> reads;
  for (int turn = 0; turn < 2; ++turn) {
    tree_.counting().reset();
    EXPECT_EQ(value_of(image->names_of(inode))->size(), 2U);
    reads.push_back(tree_.index_counts().reads);
  }
  EXPECT_EQ(reads, (std::vector<std::uint64_t>{3, 1}));  // the table and the page stay cached
  EXPECT_LE(tree_.index_counts().read_bytes, 4120U);
  EXPECT_EQ(image->counters().side_reads, 2U);
  EXPECT_EQ(tree_.image_counts().reads, 0U);
}

TEST_F(ReadCost, HardLinkIsTwoReads) {
  for (const auto* path : {"z/first", "z/second"}) {
    measure([&](const reader::Image& image) {
      EXPECT_EQ(value_of(image.lookup(path)).link_count, 2U);
    });
    expect_cost(2, 0);
  }
}

TEST_F(ReadCost, SymlinkTargets) {
  measure([&](const reader::Image& image) {
    EXPECT_EQ(value_of(image.read_link(value_of(image.lookup("z/short")))), "target");
  });
  expect_cost(1, 0);
  measure([&](const reader::Image& image) {
    EXPECT_EQ(value_of(image.read_link(value_of(image.lookup("z/long")))).size(), 1000U);
  });
  expect_cost(2, 0);
}

TEST_F(ReadCost, SmallFileIsOneIndexAndOneDataRead) {
  for (std::size_t i = 49; i < names_.size(); i += 490) {
    measure([&](const reader::Image& image) {
      const auto node = value_of(image.lookup(names_[i]));
      EXPECT_EQ(value_of(contents(image, node)),
                pattern(static_cast<std::size_t>(i % 50), static_cast<std::uint32_t>(i)));
    });
    expect_cost(1, 1);
  }
}

TEST_F(ReadCost, ContiguousFramesAreOneDataRead) {
  measure([&](const reader::Image& image) {
    const auto node = value_of(image.lookup("z/large"));
    EXPECT_EQ(value_of(contents(image, node)), pattern(300'000, 7));
  });
  expect_cost(1, 1);
}

TEST_F(ReadCost, FramesReadInPartAreKept) {
  measure([&](const reader::Image& image) {
    const auto node = value_of(image.lookup("z/large"));
    const auto expected = pattern(300'000, 7);
    for (std::size_t at = 0; at < expected.size(); at += 1000) {
      Buffer out(1000);
      EXPECT_EQ(value_of(image.read(node, at, out)), 1000U);
      EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin() + static_cast<long>(at)));
    }
  });
  expect_cost(1, 5);
}

TEST_F(ReadCost, ListingReadsEachPageOnce) {
  const auto directory = value_of(tree_.open()->lookup("big")).inode;
  std::uint64_t names = 0;
  measure([&](const reader::Image& image) {
    expect_ok(image.list(directory, 0, [&](const reader::ListedName&) { return ++names > 0; }));
    EXPECT_EQ(image.counters().pages.hits, 0U);
  });
  EXPECT_EQ(names, names_.size());
  EXPECT_GT(index_reads_, 2U);
  EXPECT_EQ(data_reads_, 0U);
}

TEST_F(ReadCost, WalkReadsEachPageOnceAndNoData) {
  std::uint64_t entries = 0;
  std::uint64_t pages = 0;
  measure([&](const reader::Image& image) {
    expect_ok(image.walk("", [&](std::string_view, const reader::Node&) { return ++entries > 0; }));
    pages = image.superblock().section(format::SectionKind::kPages).length_bytes / 4096;
  });
  EXPECT_EQ(entries, names_.size() + 8);
  expect_cost(pages, 0);
}

TEST_F(ReadCost, VerifyReadsNeighboursTogether) {
  const auto image = tree_.open();
  reader::VerifyOptions options;
  options.jobs = 2;
  const auto report = value_of(reader::verify(*image, options));
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.files, names_.size() + 2);
  EXPECT_EQ(report.content_bytes, 60U * (49 * 50 / 2) + 6 + 300'000);
  EXPECT_LT(image->counters().data_reads, names_.size() / 50);
}

TEST_F(ReadCost, OnlyNeighboursAreVerifiedTogether) {
  const auto image = tree_.open();
  std::vector<reader::Node> nodes;
  for (const auto& name : {names_[1], names_[2]}) nodes.push_back(value_of(image->lookup(name)));
  const std::vector<const reader::Node*> twice = {&nodes[0], &nodes[0]};
  EXPECT_EQ(image->verify_neighbours(twice).error().kind(), ErrorKind::kInvalidArgument);
  const auto large = value_of(image->lookup("z/large"));
  EXPECT_FALSE(reader::Image::are_neighbours(nullptr, large));
  expect_ok(image->verify_neighbours({}));
  const std::vector<const reader::Node*> one = {&nodes[1]};
  expect_ok(image->verify_neighbours(one));
}

TEST_F(ReadCost, WithoutTheDataVolumeMetadataIsServed) {
  expect_ok(tree_.memory().remove(kImage));
  const auto image = value_of(reader::Image::open(tree_.counting(), kIndex));
  const auto node = value_of(image->lookup("z/large"));
  EXPECT_EQ(node.size_bytes, 300'000U);
  Buffer out(10);
  const auto read = image->read(node, 0, out);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind(), ErrorKind::kNotFound);
  EXPECT_NE(read.error().message().find("volume 0 (uuid "), std::string::npos);
}

}  // namespace
}  // namespace dgfs::test
