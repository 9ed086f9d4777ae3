// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// read_many() on devices that fail and on damaged data: a file gets its error, and all others come
// as usual. Also with parts that tests assemble: compressed extents, several volumes.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/testing/faulty_env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using reader::FilePiece;
using reader::Image;
using storage::FaultKind;

using Contents = std::map<std::string, Buffer>;

struct ManyAnswers {
  Contents good;
  std::map<std::string, Error> bad;
};

ManyAnswers read_all(const Image& image, const std::vector<std::string>& paths) {
  ManyAnswers answers;
  image.read_many(paths, [&](std::size_t index, const Result<FilePiece>& piece) {
    const auto& path = paths[index];
    if (!piece) {
      EXPECT_TRUE(answers.bad.emplace(path, piece.error()).second);
      answers.good.erase(path);
    } else {
      auto& bytes = answers.good[path];
      bytes.insert(bytes.end(), piece.value().bytes.begin(), piece.value().bytes.end());
    }
    return true;
  });
  EXPECT_EQ(answers.good.size() + answers.bad.size(), paths.size());
  return answers;
}

std::vector<std::string> paths_of(const Contents& contents) {
  std::vector<std::string> paths;
  for (const auto& [path, content] : contents) paths.push_back(path);
  return paths;
}

class ReadManyFaults : public ::testing::TestWithParam<FaultKind> {
 protected:
  void SetUp() override {
    for (std::uint32_t i = 0; i < 40; ++i) {
      // Some neighbours, some files of several frames, one of several pieces.
      const auto size = i == 11 ? 2'300'000 : i % 7 == 3 ? 150'000 : 30 + i * 101;
      truth_["f" + std::to_string(i)] = pattern(size, i);
    }
    for (const auto& [path, content] : truth_) tree_.file(path, content);
    tree_.pack();
  }

  void arm(std::uint64_t at_call, bool sticky) {
    faulty_->arm({.kind = GetParam(), .at_call = at_call, .sticky = sticky});
  }

  // Expects right answers, or errors that name a file; returns how many errors.
  std::size_t expect_right_or_error(const ManyAnswers& answers) {
    for (const auto& [path, bytes] : answers.good) EXPECT_EQ(bytes, truth_[path]) << path;
    for (const auto& [path, error] : answers.bad) {
      EXPECT_FALSE(error.file().empty()) << error.message();
    }
    return answers.bad.size();
  }

  PackedTree tree_;
  Contents truth_;
  std::unique_ptr<storage::FaultyEnv> faulty_ = storage::make_faulty_env(tree_.memory(), 5);
};

TEST_P(ReadManyFaults, OneFaultIsOfOneFileAtMost) {
  reader::OpenOptions options;
  options.page_cache_bytes = options.frame_cache_bytes = 0;
  const auto image = value_of(Image::open(*faulty_, kImage, options));
  for (std::uint64_t call = 1;; ++call) {
    SCOPED_TRACE("fault at call " + std::to_string(call));
    ASSERT_LT(call, 500U);
    arm(call, false);
    const auto answers = read_all(*image, paths_of(truth_));
    EXPECT_LE(expect_right_or_error(answers), faulty_->fired());
    const bool is_reached = faulty_->calls() >= call;
    faulty_->arm({});
    if (!is_reached) break;
  }
}

TEST_P(ReadManyFaults, ADeviceThatStaysBadFailsWhatItStillHas) {
  const auto image = value_of(Image::open(*faulty_, kImage));
  static_cast<void>(read_all(*image, {"f1"}));  // so the index page is in the cache
  faulty_->only_for([](const std::string& path) { return path == kImage; });
  arm(6, true);  // the large file is read by then, and a few others
  const auto answers = read_all(*image, paths_of(truth_));
  const auto failures = expect_right_or_error(answers);
  EXPECT_GT(failures, 0U);
  EXPECT_LT(failures, truth_.size());
  EXPECT_EQ(image->counters().errors, failures);
  faulty_->arm({});
  EXPECT_EQ(read_all(*image, paths_of(truth_)).good, truth_);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReadManyFaults,
                         ::testing::Values(FaultKind::kIoError, FaultKind::kShortRead,
                                           FaultKind::kBitFlip));

// Damages a byte of each file in turn, in the middle of a read that brings others, too.
TEST(ReadManyDamage, IsToldOfTheDamagedFileOnly) {
  PackedTree tree;
  Contents truth;
  for (std::uint32_t i = 0; i < 6; ++i) truth[std::to_string(i)] = pattern(300 + i, i);
  truth["6"] = pattern(70'000, 6);
  for (const auto& [path, content] : truth) tree.file(path, content);
  tree.pack();
  const auto whole = read_file(tree.memory(), kImage);
  for (const auto& [damaged, content] : truth) {
    SCOPED_TRACE(damaged);
    const auto sound = tree.open();
    const auto place =
        value_of(sound->locate(value_of(sound->lookup(damaged)), content.size() - 1));
    auto bytes = whole;
    bytes[place.offset_bytes] ^= 1;
    const auto path = "/damaged" + damaged;
    write_file(tree.memory(), path, bytes);
    const auto image = value_of(Image::open(tree.memory(), path));
    const auto answers = read_all(*image, paths_of(truth));
    ASSERT_EQ(answers.bad.size(), 1U);
    EXPECT_EQ(answers.bad.begin()->first, damaged);
    // The error must be the one that read() gives.
    const auto read = contents(*image, value_of(image->lookup(damaged)));
    EXPECT_EQ(answers.bad.begin()->second.message(), read.error().message());
  }
}

TEST(ReadManyDamage, UncheckedContentsComeAsTheyAre) {
  PackedTree tree;
  tree.file("a", pattern(300, 1));
  tree.file("b", pattern(70'000, 2));
  tree.pack();
  auto bytes = read_file(tree.memory(), kImage);
  for (const auto* path : {"a", "b"}) {
    const auto image = tree.open();
    bytes[value_of(image->locate(value_of(image->lookup(path)), 10)).offset_bytes] ^= 1;
  }
  write_file(tree.memory(), "/damaged", bytes);
  reader::OpenOptions options;
  options.check_contents = false;
  const auto answers =
      read_all(*value_of(Image::open(tree.memory(), "/damaged", options)), {"a", "b"});
  ASSERT_TRUE(answers.bad.empty());
  auto expected = pattern(300, 1);
  expected[10] ^= 1;
  EXPECT_EQ(answers.good.at("a"), expected);
  EXPECT_EQ(answers.good.at("b").size(), 70'000U);
}

class OtherExtents : public ::testing::Test {
 protected:
  void add(ImageAssembler& assembler, const std::string& path, Buffer content,
           format::ExtentCodec codec) {
    assembler.add_file(path, content, codec);
    truth_[path] = std::move(content);
  }
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  Contents truth_;
};

TEST_F(OtherExtents, CompressedOnesAndSeveralVolumes) {
  ImageAssembler assembler;
  assembler.entries_per_page = 3;
  assembler.volume_of_page = [](std::size_t page) -> format::VolumeNumber { return page % 2; };
  assembler.more_volumes = {{1, "/more.dgfs"}};
  for (std::uint32_t i = 0; i < 12; ++i) {
    const auto codec = i % 3 == 0 ? format::ExtentCodec::kRaw : format::ExtentCodec::kZstd;
    auto content = pattern(i == 5 || i == 7 ? 200'000 : 500, i);
    content.resize(content.size() + 400, 'x');
    add(assembler, "f" + std::to_string(i), std::move(content), codec);
  }
  assembler.write(*env_, "/t.dgfs", "", true);
  reader::OpenOptions options;
  options.volume_paths = {"/more.dgfs"};
  auto paths = paths_of(truth_);
  EXPECT_EQ(read_all(*value_of(Image::open(*env_, "/t.dgfs", options)), paths).good, truth_);

  // Damages the frame table of a compressed file, then a whole volume: only these files get errors.
  auto image = value_of(Image::open(*env_, "/t.dgfs", options));
  const auto node = value_of(image->lookup("f5"));
  const auto path = node.data.volume == 0 ? "/t.dgfs" : "/more.dgfs";
  auto file = value_of(env_->open(path, {storage::OpenOptions::Mode::kReadWrite}));
  const Buffer junk(8, 0xAA);
  expect_ok(file->write_at(node.data.offset_bytes + node.stored_bytes - 12, junk));
  auto answers = read_all(*image, paths);
  ASSERT_EQ(answers.bad.size(), 1U);
  EXPECT_EQ(answers.bad.begin()->first, "f5");
  expect_ok(env_->remove("/more.dgfs"));
  image = value_of(Image::open(*env_, "/t.dgfs"));
  answers = read_all(*image, paths);
  for (const auto& [name, content] : truth_) {
    const bool is_there = value_of(image->lookup(name)).data.volume == 0 && name != "f5";
    EXPECT_EQ(answers.good.contains(name), is_there) << name;
  }
}

}  // namespace
}  // namespace dgfs::test
