// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Verification of contents: which files it reads, what it reports, and when it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "reader/check/verify.h"
#include "storage/testing/faulty_env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/hook_env.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

class Verify : public testing::Test {
 protected:
  // Makes more neighbours than verify reads at once, a file of several frames, one with holes.
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

// Asked to stop at each read in turn, verify ends with that error and no other.
TEST_F(Verify, StopsWhenItIsTold) {
  std::atomic<bool> stop = false;
  options_.stop = &stop;
  const auto faulty = storage::make_faulty_env(tree_.memory(), 1);
  const auto image = value_of(reader::Image::open(*faulty, kImage));
  faulty->arm({});
  EXPECT_TRUE(value_of(reader::verify(*image, options_)).sound());
  // A failed read reports damage, and the report sets the flag.
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

// Whatever verify reads when the flag is set, and also if that read fails: no reads follow, except
// those under way.
TEST(VerifyStop, AtAnyRead) {
  PackedTree tree;
  // Makes more neighbours than verify reads at once, and a file that it reads in parts.
  for (std::uint32_t i = 10; i < 30; ++i) {
    tree.file("f" + std::to_string(i), pattern(60'000, i));
  }
  tree.file("large", pattern(1'200'000, 1));
  builder::BuildOptions packing;
  packing.digest = format::DigestAlgorithm::kSha256;
  tree.pack(packing);
  reader::VerifyOptions options;
  options.jobs = 1;
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> reads = 0;
  std::uint64_t stop_at = 0;
  bool fails = false;
  HookEnv env(tree.memory(), [&](storage::CallKind kind, const std::string&) -> Status {
    if (kind != storage::CallKind::kRead || ++reads != stop_at) return ok();
    stop = true;
    return fails ? Status(Error(ErrorKind::kIo, 1, "failed")) : ok();
  });
  const auto image = value_of(reader::Image::open(env, kImage));
  options.stop = &stop;
  for (const bool digests : {false, true}) {
    options.digests = fails = digests;
    stop_at = 0;
    EXPECT_TRUE(value_of(reader::verify(*image, options)).sound());
    for (stop_at = 1;; ++stop_at) {
      stop = false;
      reads = 0;
      const auto report = reader::verify(*image, options);
      if (!stop) break;
      ASSERT_FALSE(report) << stop_at;
      EXPECT_EQ(report.error().kind(), ErrorKind::kInterrupted);
    }
    EXPECT_GT(stop_at, 20U);
  }
}

// An empty file lies in no volume.
TEST(VerifyVolume, ReadsTheFilesOfOneAlone) {
  const auto memory = storage::make_memory_env(1);
  ImageAssembler assembler;
  assembler.entries_per_page = 4;
  assembler.volume_of_page = [](std::size_t page) -> format::VolumeNumber { return page % 2; };
  assembler.more_volumes = {{1, "/more"}};
  for (int i = 100; i < 130; ++i) {
    assembler.add_file("f" + std::to_string(i), i % 5 == 0 ? Buffer() : pattern(50, 1));
  }
  assembler.write(*memory, "/t.dgfs", "", true);
  reader::OpenOptions opening;
  opening.volume_paths = {"/more"};
  std::uint64_t files = 0;
  for (const auto number : {format::VolumeNumber{0}, format::VolumeNumber{1}}) {
    const auto image = value_of(reader::Image::open(*memory, "/t.dgfs", opening));
    std::uint64_t expected = 0;
    expect_ok(image->walk("", [&](std::string_view, const reader::Node& node) {
      expected += node.stored_bytes != 0 && node.data.volume == number ? 1U : 0U;
      return true;
    }));
    reader::VerifyOptions options;
    options.volume = number;
    if (number == 0) expect_ok(memory->rename("/more", "/away"));
    const auto report = value_of(reader::verify(*image, options));
    if (number == 0) expect_ok(memory->rename("/away", "/more"));
    EXPECT_EQ(report.files, expected);
    EXPECT_EQ(report.damaged_files, 0U);
    files += report.files;
  }
  EXPECT_EQ(files, 24U);
}

// Verify names the damaged frames of a large damaged range, and no others.
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
