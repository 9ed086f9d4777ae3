// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Verification of what no reader needs: bytes that belong to nothing.
#include "reader/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "format/attribute_table.h"
#include "format/limits.h"
#include "format/section.h"
#include "format/volume_header.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;

class UnusedBytes : public testing::Test {
 protected:
  UnusedBytes() {
    tree_.directory("d");
    for (const auto* path : {"a", "d/b", "d/c"}) tree_.file(path, pattern(1000, 1));
    tree_.symlink("link", "target");
    tree_.pack();
  }

  // What lies between the regions of an index that begins at `base`.
  std::vector<Range> gaps_of_index(std::uint64_t base) {
    const auto superblock = tree_.open()->superblock();
    std::vector<Range> used = {{0, format::kPageBytes}};
    for (const auto& place : superblock.sections) {
      if (place.length_bytes == 0) continue;
      used.emplace_back(place.offset_bytes, place.offset_bytes + place.length_bytes);
    }
    used.emplace_back(superblock.index_bytes, superblock.index_bytes);
    std::sort(used.begin(), used.end());
    std::vector<Range> gaps;
    for (std::size_t i = 1; i < used.size(); ++i) {
      if (used[i - 1].second == used[i].first) continue;
      gaps.emplace_back(base + used[i - 1].second, base + used[i].first);
    }
    return gaps;
  }
  format::VolumeHeader header() {
    std::array<std::uint8_t, format::kPageBytes> page{};
    expect_ok(storage::read_exactly(*value_of(tree_.memory().open(kImage)), 0, page));
    return value_of(format::decode_volume_header(page));
  }
  void expect_found(const std::string& path, std::uint64_t offset) {
    const auto file = value_of(tree_.memory().open(path, {storage::OpenOptions::Mode::kReadWrite}));
    const std::array<std::uint8_t, 1> stray{1};
    expect_ok(file->write_at(offset, stray));
    std::vector<std::string> found;
    reader::VerifyOptions options;
    options.damaged_index = [&](const Error& error) {
      EXPECT_EQ(error.section(), "unused bytes");
      found.push_back(error.file() + " " + std::to_string(error.offset().value_or(0)));
    };
    const auto report = value_of(reader::verify(*tree_.open(), options));
    EXPECT_EQ(found, std::vector<std::string>{path + " " + std::to_string(offset)});
    EXPECT_EQ(report.damaged_index_places, 1U);
    EXPECT_EQ(report.index_copies, 2U);
    expect_ok(file->write_at(offset, std::array<std::uint8_t, 1>{}));
  }

  PackedTree tree_;
};

// F-027
TEST_F(UnusedBytes, MustBeZeroInBothCopiesOfTheIndex) {
  const std::vector<std::pair<std::string, std::uint64_t>> copies = {
      {kIndex, 0}, {kImage, header().index_offset}};
  for (const auto& [path, base] : copies) {
    const auto gaps = gaps_of_index(base);
    EXPECT_FALSE(gaps.empty());
    for (const auto& [begin, end] : gaps) {
      expect_found(path, begin);
      expect_found(path, end - 1);
    }
  }
}

// F-027
TEST_F(UnusedBytes, MustBeZeroBehindTheExtents) {
  const auto volume = header();
  ASSERT_LT(volume.data_end, volume.index_offset);
  expect_found(kImage, volume.data_end);
  expect_found(kImage, volume.index_offset - 1);
}

TEST_F(UnusedBytes, BehindAFileAreNoneOfTheImages) {
  const auto file = value_of(tree_.memory().open(kIndex, {storage::OpenOptions::Mode::kReadWrite}));
  expect_ok(file->write_at(value_of(file->size()), as_bytes("appended")));
  EXPECT_TRUE(value_of(reader::verify(*tree_.open(), {})).sound());
}

class TwoIndexCopies : public UnusedBytes {
 protected:
  // Other permissions in the attribute table of IMAGE.idx, its checksum right.
  void change_modes(const format::SectionPlace& place) {
    const auto file =
        value_of(tree_.memory().open(kIndex, {storage::OpenOptions::Mode::kReadWrite}));
    Buffer block(place.length_bytes);
    expect_ok(storage::read_exactly(*file, place.offset_bytes, block));
    const auto opened = value_of(format::open_block(place.kind, block));
    const auto table = value_of(format::AttributeTable::decode(opened.body));
    format::AttributeTable changed(table.id());
    for (std::size_t i = 0; i < table.size(); ++i) {
      auto combination = *table.at(i);
      combination.mode ^= 0002;
      changed.intern(combination);
    }
    Buffer body;
    changed.encode(body);
    Buffer sealed;
    format::seal_block(place.kind, body, sealed);
    ASSERT_EQ(sealed.size(), block.size());
    expect_ok(file->write_at(place.offset_bytes, sealed));
  }
};

// Each is sound, but which of them is right?
TEST_F(TwoIndexCopies, MustBeTheSameBytes) {
  const auto place = tree_.open()->superblock().section(format::SectionKind::kAttributeTables);
  change_modes(place);
  std::vector<Error> found;
  reader::VerifyOptions options;
  options.damaged_index = [&](const Error& error) { found.push_back(error); };
  const auto report = value_of(reader::verify(*tree_.open(), options));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code(), 3160);
  EXPECT_EQ(found[0].file(), kIndex);
  EXPECT_EQ(found[0].section(), "attribute tables");
  EXPECT_EQ(found[0].offset(), place.offset_bytes);  // its checksum
  const auto other = header().index_offset + place.offset_bytes;
  EXPECT_EQ(found[0].text(), "not the byte that the copy in " + std::string(kImage) +
                                 " has at offset " + std::to_string(other));
  EXPECT_FALSE(report.sound());
}

class Verify : public testing::Test {
 protected:
  // More neighbours than are read at once, a file of several frames, one with holes.
  void SetUp() override {
    for (std::uint32_t i = 100; i < 150; ++i) {
      tree_.file("f" + std::to_string(i), pattern(60'000, i));
    }
    tree_.file("large", pattern(2'500'000, 1));
    const auto holes = value_of(tree_.parent("x")->create_file("holes", 0644));
    expect_ok(holes->write_at(8192, pattern(4096, 4)));
    expect_ok(holes->truncate(32768));
    expect_ok(value_of(tree_.parent("x")->create_file("nothing", 0644))->truncate(1 << 20));
    tree_.pack();
    options_.jobs = 1;
  }

  PackedTree tree_;
  reader::VerifyOptions options_;
};

TEST_F(Verify, TellsHowFarItIs) {
  std::vector<std::uint64_t> stored;
  options_.progress = [&](const auto& progress) {
    stored.push_back(progress.stored_bytes);
    EXPECT_LE(progress.stored_bytes, progress.stored_bytes_total);
  };
  const auto report = value_of(reader::verify(*tree_.open(), options_));
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.files, 53U);
  EXPECT_EQ(report.content_bytes, 50 * 60'000 + 2'500'000 + 4096U);
  ASSERT_FALSE(stored.empty());
  EXPECT_TRUE(std::is_sorted(stored.begin(), stored.end()));
  EXPECT_EQ(stored.back(), tree_.open()->superblock().stored_bytes);
}

// Asked to stop at each read in turn, it ends with that, and with nothing else.
TEST_F(Verify, StopsWhenItIsTold) {
  std::atomic<bool> stop = false;
  options_.stop = &stop;
  const auto faulty = storage::make_faulty_env(tree_.memory(), 1);
  const auto image = value_of(reader::Image::open(*faulty, kImage));
  faulty->arm({});
  EXPECT_TRUE(value_of(reader::verify(*image, options_)).sound());
  // A failing read tells of damage; what is told sets the flag.
  options_.damaged_file = [&](const std::string&, const Error&) { stop = true; };
  options_.damaged_index = [&](const Error&) { stop = true; };
  std::size_t stopped = 0;
  for (std::uint64_t call = 1;; ++call) {
    stop = false;
    faulty->arm({.kind = storage::FaultKind::kIoError, .at_call = call, .sticky = false});
    const auto report = reader::verify(*image, options_);
    if (faulty->fired() == 0) break;
    EXPECT_EQ(report.has_value(), !stop) << call;
    if (report) continue;
    EXPECT_EQ(report.error().kind(), ErrorKind::kInterrupted);
    ++stopped;
  }
  EXPECT_GT(stopped, 10U);
  stop = true;
  EXPECT_EQ(reader::verify(*image, options_).error().kind(), ErrorKind::kInterrupted);
}

// Of a large range that is damaged, the frames that are so are named, and no others.
TEST_F(Verify, NamesTheDamagedFrames) {
  const auto place = [&] {
    const auto image = tree_.open();
    const auto node = value_of(image->lookup("large"));
    return value_of(image->locate(node, 70'000)).offset_bytes;
  }();
  const auto file = value_of(tree_.memory().open(kImage, {storage::OpenOptions::Mode::kReadWrite}));
  Buffer byte(1);
  expect_ok(storage::read_exactly(*file, place, byte));
  byte[0] ^= 1;
  expect_ok(file->write_at(place, byte));
  std::vector<std::string> told;
  options_.damaged_file = [&](const std::string& path, const Error& error) {
    told.push_back(path + ": " + error.text());
  };
  const auto report = value_of(reader::verify(*tree_.open(), options_));
  EXPECT_EQ(report.damaged_files, 1U);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].rfind("large: contents, bytes 65536-131071", 0), 0U) << told[0];
}

}  // namespace
}  // namespace dgfs::test
