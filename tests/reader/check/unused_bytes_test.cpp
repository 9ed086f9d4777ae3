// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Verification of bytes that belong to nothing, and that no reader needs.
#include "reader/check/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "builder/image_builder.h"
#include "format/coding.h"
#include "format/content/extent.h"
#include "format/entry/attribute_table.h"
#include "format/header/section.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "reader/image.h"
#include "storage/memory/env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/hook_env.h"

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

  // The gaps between the regions of an index that begins at `base`.
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

// Puts the extent of the only file behind bytes that belong to nothing.
class GapFiller final : public builder::BatchFiller {
 public:
  explicit GapFiller(std::uint8_t stray, std::size_t gap_bytes = kGapBytes)
      : stray_(stray), gap_bytes_(gap_bytes) {}
  void fill(builder::Batch& batch) override {
    batch.reserve_data(builder::kBatchBytesMax);
    for (auto& item : batch.items) {
      const Bytes record = batch.record(item);
      if (builder::record_kind(record) == builder::RecordKind::kDirectory) continue;
      const auto entry = value_of(builder::decode_entry_record(record));
      if (!builder::needs_reading(entry, item)) continue;
      Buffer data(gap_bytes_);
      data[gap_bytes_ / 2] = stray_;
      Buffer extent;
      format::append_raw_extent(Buffer(entry.size_bytes, 'x'), extent);
      batch.checksums.push_back(format::load<std::uint64_t>(extent, 0));
      item.stored.at_bytes = format::kPageBytes + gap_bytes_;
      data.insert(data.end(), extent.begin(), extent.end());
      std::copy(data.begin(), data.end(), batch.next_data(data.size()).begin());
      batch.data_bytes += data.size();
    }
  }
  static constexpr std::size_t kGapBytes = 5000;

 private:
  std::uint8_t stray_;
  std::size_t gap_bytes_;
};

// Packs a file of 1000 bytes as /gap.dgfs.
std::unique_ptr<storage::MemoryEnv> image_with_gap(std::uint8_t stray, std::size_t gap_bytes) {
  auto memory = storage::make_memory_env(1);
  expect_ok(memory->make_directory("/tree", 0755));
  const auto tree = value_of(memory->open_directory("/tree"));
  expect_ok(value_of(tree->create_file("a", 0644))->write_at(0, Buffer(1000, 'x')));
  builder::BuildOptions build;
  build.source = "/tree";
  build.image_path = "/gap.dgfs";
  EXPECT_TRUE(builder::ImageBuilder(*memory, build, {}, [=] {
                return std::make_unique<GapFiller>(stray, gap_bytes);
              }).run());
  return memory;
}

// F-027
TEST(UnusedBytesBetweenExtents, MustBeZero) {
  for (const std::uint8_t stray : {std::uint8_t{0}, std::uint8_t{7}}) {
    const auto memory = image_with_gap(stray, GapFiller::kGapBytes);
    std::vector<Error> found;
    reader::VerifyOptions options;
    options.damaged_index = [&](const Error& error) { found.push_back(error); };
    const auto image = value_of(reader::Image::open(*memory, "/gap.dgfs"));
    const auto report = value_of(reader::verify(*image, options));
    EXPECT_EQ(report.damaged_files, 0U);
    ASSERT_EQ(found.size(), stray == 0 ? 0U : 1U);
    if (stray == 0) continue;
    EXPECT_EQ(found[0].section(), "unused bytes");
    EXPECT_EQ(found[0].offset(), format::kPageBytes + GapFiller::kGapBytes / 2);
  }
}

// A sparse file may have a gap of terabytes.
TEST(UnusedBytesBetweenExtents, AreNotReadToTheirEndOnceItIsStopped) {
  const auto memory = image_with_gap(0, std::size_t{3} << 20);
  std::atomic<bool> stop = false;
  std::uint64_t reads = 0;
  std::uint64_t reads_to_stop = std::numeric_limits<std::uint64_t>::max();
  HookEnv env(*memory, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (kind == storage::CallKind::kRead && path == "/gap.dgfs" && ++reads == reads_to_stop) {
      stop = true;
    }
    return ok();
  });
  const auto image = value_of(reader::Image::open(env, "/gap.dgfs"));
  reader::VerifyOptions options;
  options.stop = &stop;
  options.jobs = 1;
  const auto opened = reads;
  ASSERT_TRUE(value_of(reader::verify(*image, options)).sound());
  const auto all = reads - opened;
  ASSERT_GT(all, 45U) << "64 KiB at once";
  reads = opened;
  reads_to_stop = opened + all - 40;  // the gap is read last
  const auto stopped = reader::verify(*image, options);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kInterrupted);
  EXPECT_LT(reads, reads_to_stop + 20);
}

TEST_F(UnusedBytes, BehindAFileAreNoneOfTheImages) {
  const auto file = value_of(tree_.memory().open(kIndex, {storage::OpenOptions::Mode::kReadWrite}));
  expect_ok(file->write_at(value_of(file->size()), as_bytes("appended")));
  EXPECT_TRUE(value_of(reader::verify(*tree_.open(), {})).sound());
}

class TwoIndexCopies : public UnusedBytes {
 protected:
  // Changes permissions in the attribute table of IMAGE.idx, with a right checksum.
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

// Each copy is sound, so nothing tells which one is right.
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
  EXPECT_EQ(found[0].offset(), place.offset_bytes);  // place of the table's checksum
  const auto other = header().index_offset + place.offset_bytes;
  EXPECT_EQ(found[0].text(), "not the byte that the copy in " + std::string(kImage) +
                                 " has at offset " + std::to_string(other));
  EXPECT_FALSE(report.sound());
}

// This program cannot know what a newer version put there.
TEST_F(UnusedBytes, OfANewerVersionMayBeAnything) {
  for (const auto& [path, base] :
       {std::pair(kIndex, std::uint64_t{0}), std::pair(kImage, header().index_offset)}) {
    const auto file = value_of(tree_.memory().open(path, {storage::OpenOptions::Mode::kReadWrite}));
    const auto gap = gaps_of_index(base).front().first;
    Buffer page(format::kPageBytes);
    expect_ok(storage::read_exactly(*file, base, page));
    auto superblock = value_of(format::decode_superblock(page));
    ++superblock.version_minor;
    expect_ok(file->write_at(base, format::encode_superblock(superblock)));
    expect_ok(file->write_at(gap, as_bytes("new")));
  }
  EXPECT_TRUE(value_of(reader::verify(*tree_.open(), {})).sound());
}

}  // namespace
}  // namespace dgfs::test
