// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Advice to the system about contents that will be read, and about contents that may leave memory:
// only for bytes within the file, and none if they are not one range.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/limits.h"
#include "storage/forwarding_env.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using reader::Node;
using storage::Access;

struct Advice {
  Access access = Access::kWillNeed;
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;
  friend bool operator==(const Advice&, const Advice&) = default;
};

// Notes the advice for a file.
class AdvisedFile final : public storage::ForwardingFile {
 public:
  AdvisedFile(std::unique_ptr<storage::File> inner, std::vector<Advice>& notes)
      : ForwardingFile(std::move(inner)), notes_(notes) {}

  void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) override {
    notes_.push_back({access, offset_bytes, length_bytes});
  }

 private:
  std::vector<Advice>& notes_;
};

// Watches the image, not its index.
class AdviceEnv final : public storage::ForwardingEnv {
 public:
  using storage::ForwardingEnv::ForwardingEnv;

  Result<std::unique_ptr<storage::File>> open(const std::string& path,
                                              storage::OpenOptions options) override {
    DGFS_TRY(file, storage::ForwardingEnv::open(path, options));
    if (path != kImage) return file;
    return std::make_unique<AdvisedFile>(std::move(file), notes);
  }

  std::vector<Advice> notes;
};

class AdviceTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kLargeBytes = 5 * format::kFrameBytes + 100;

  void SetUp() override {
    tree_.directory("d");
    tree_.file("empty", "");
    tree_.file("large", pattern(kLargeBytes, 1));
    tree_.file("packed", std::string(kLargeBytes, 'x'));
    const auto holes = value_of(tree_.parent("x")->create_file("holes", 0644));
    expect_ok(holes->write_at(8192, pattern(4096, 4)));
    expect_ok(holes->truncate(kLargeBytes));
    builder::BuildOptions options;
    options.compression = builder::Compression{3};
    tree_.pack(options);
    image_ = value_of(reader::Image::open(env_, kImage));
    large_ = node("large");
    ASSERT_EQ(large_.codec, format::ExtentCodec::kRaw);
    ASSERT_EQ(node("packed").codec, format::ExtentCodec::kZstd);
    ASSERT_TRUE(node("holes").sparse_map.present());
  }
  Node node(const std::string& path) { return value_of(image_->lookup(path)); }
  // A file of a missing volume.
  Node lost() {
    auto lost = large_;
    lost.data.volume = 9;
    return lost;
  }
  std::vector<Advice> given_back(const reader::StoredRange& range) {
    env_.notes.clear();
    image_->give_back(range);
    return env_.notes;
  }
  std::vector<Advice> announced_part(const Node& node, std::uint64_t offset, std::uint64_t bytes) {
    env_.notes.clear();
    image_->announce_part(node, offset, bytes);
    return env_.notes;
  }
  std::vector<Advice> announced(const Node& node, std::uint64_t bytes_max) {
    env_.notes.clear();
    image_->announce_read(node, bytes_max);
    return env_.notes;
  }
  // The place of frames [begin, end) of the large file.
  std::vector<Advice> frames_of_large(std::uint64_t begin, std::uint64_t end) {
    const auto first = begin * format::kStoredFrameBytes;
    const auto last = std::min<std::uint64_t>(end * format::kStoredFrameBytes, large_.stored_bytes);
    return {{Access::kWillNeed, large_.data.offset_bytes + first, last - first}};
  }

  PackedTree tree_;
  AdviceEnv env_{tree_.memory()};
  std::unique_ptr<const reader::Image> image_;
  Node large_;
};

TEST_F(AdviceTest, AnnouncesTheFramesOfAPart) {
  EXPECT_EQ(announced_part(large_, 0, format::kFrameBytes), frames_of_large(0, 1));
  EXPECT_EQ(announced_part(large_, format::kFrameBytes, 2 * format::kFrameBytes),
            frames_of_large(1, 3));
  EXPECT_EQ(announced_part(large_, format::kFrameBytes - 1, 2), frames_of_large(0, 2));
  EXPECT_EQ(announced_part(large_, kLargeBytes - 1, 1), frames_of_large(5, 6));
  EXPECT_EQ(announced_part(large_, 0, std::numeric_limits<std::uint64_t>::max()),
            frames_of_large(0, 6));
}

TEST_F(AdviceTest, AnnouncesNoPartOfAnythingElse) {
  EXPECT_TRUE(announced_part(large_, 0, 0).empty());
  EXPECT_TRUE(announced_part(large_, kLargeBytes, 1).empty());
  EXPECT_TRUE(announced_part(lost(), 0, 1).empty());
  for (const auto* path : {"d", "empty", "packed", "holes"}) {
    EXPECT_TRUE(announced_part(node(path), 0, format::kFrameBytes).empty()) << path;
  }
}

TEST_F(AdviceTest, GivesBackARangeOfAVolume) {
  EXPECT_EQ(given_back({0, 4096, 100}), (std::vector<Advice>{{Access::kDontNeed, 4096, 100}}));
  EXPECT_TRUE(given_back({9, 4096, 100}).empty()) << "there is no such volume";
}

// Neighbouring contents have neighbouring ranges, and a whole file has all its stored bytes.
TEST_F(AdviceTest, StoredRangesCoverAFileWithoutGaps) {
  constexpr auto kFrame = std::uint64_t{format::kFrameBytes};
  const std::uint64_t places[] = {0,          1,          kFrame - 1, kFrame,
                                  kFrame + 1, 3 * kFrame, 5 * kFrame, kLargeBytes};
  auto at = large_.data.offset_bytes;
  for (std::size_t i = 0; i + 1 < std::size(places); ++i) {
    const auto range = reader::stored_range(large_, places[i], places[i + 1]);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->offset_bytes, at);
    at += range->length_bytes;
  }
  EXPECT_EQ(at, large_.data.offset_bytes + large_.stored_bytes);
  EXPECT_EQ(reader::stored_range(large_, 1, 1)->length_bytes, 0u);
  for (const auto* path : {"d", "packed", "holes"}) {
    EXPECT_FALSE(reader::stored_range(node(path), 0, 1)) << path;
  }
}

TEST_F(AdviceTest, AnnouncesTheBeginOfAFile) {
  const auto begin = large_.data.offset_bytes;
  EXPECT_EQ(announced(large_, 4096), (std::vector<Advice>{{Access::kWillNeed, begin, 4096}}));
  EXPECT_EQ(announced(large_, std::uint64_t{1} << 40),
            (std::vector<Advice>{{Access::kWillNeed, begin, large_.stored_bytes}}));
  const auto packed = node("packed");
  EXPECT_EQ(
      announced(packed, std::uint64_t{1} << 40),
      (std::vector<Advice>{{Access::kWillNeed, packed.data.offset_bytes, packed.stored_bytes}}));
}

TEST_F(AdviceTest, AnnouncesNothingElse) {
  for (const auto* path : {"d", "empty", "holes"}) {
    EXPECT_TRUE(announced(node(path), 4096).empty()) << path;
  }
  EXPECT_TRUE(announced(lost(), 4096).empty());
}

}  // namespace
}  // namespace dgfs::test
