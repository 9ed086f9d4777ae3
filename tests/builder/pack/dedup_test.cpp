// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Builds of trees whose files repeat each other: every file comes back unchanged, each content is
// stored once, and the image depends on the tree alone.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "format/content/extent.h"
#include "tests/builder/build_fixture.h"
#include "tests/support/hook_env.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

std::string words(std::size_t bytes, std::uint64_t seed) {
  std::string text;
  for (; text.size() < bytes; ++seed) text += std::to_string(seed * 7919) + " words of it\n";
  return text.substr(0, bytes);
}

// Parameter: whether contents are compressed.
class DedupTest : public BuildFixture, public testing::WithParamInterface<bool> {
 protected:
  builder::BuildOptions build_options(const std::string& image_path = "/i") {
    auto options = options_for(tree_, image_path);
    if (GetParam()) options.compression = builder::Compression{3};
    return options;
  }
  /// Adds files with contents from `pool`, some of them large, sparse or with several names.
  void add_files(Random& random, int count, const std::vector<std::string>& pool) {
    for (int i = 0; i < count; ++i) {
      const auto& content = pool[random.below(pool.size())];
      const auto directory = "d" + std::to_string(random.below(5));
      const auto name = directory + "/" + std::to_string(i) + (random.one_in(2) ? ".c" : ".json");
      if (random.one_in(8)) {
        tree_.sparse(name, std::uint64_t{1} << 24, 4096 * random.below(1000), content);
      } else {
        tree_.file(name, content);
      }
      if (random.one_in(6)) tree_.link(name, directory + "/again" + std::to_string(i));
    }
  }
  void add_directories() {
    for (int i = 0; i < 5; ++i) tree_.directory("d" + std::to_string(i));
  }
};
INSTANTIATE_TEST_SUITE_P(RawAndCompressed, DedupTest, testing::Bool());

// The builder reserves no space for compressed contents, so these tests have raw ones only.
class ReservationTest : public DedupTest {};
INSTANTIATE_TEST_SUITE_P(Raw, ReservationTest, testing::Values(false));

/// Returns the stored content of a file, without its holes.
std::string stored_content(const DumpedNode& node) {
  if (node.segments.empty()) return node.content;
  std::string content;
  for (const auto& segment : node.segments) {
    content += node.content.substr(static_cast<std::size_t>(segment.begin),
                                   static_cast<std::size_t>(segment.length));
  }
  return content;
}

TEST_P(DedupTest, RandomTreesComeOutWithEachContentOnce) {
  Random random(20261122);
  std::vector<std::string> pool = {"", "x", words(100, 1), words(5000, 2)};
  // Sizes around frames and chunks, at the edge of a seek table, and larger than a batch.
  for (const std::size_t bytes : {65535U, 65536U, 65537U, 131072U, 131073U, 700'000U, 5'000'000U}) {
    pool.push_back(words(bytes, bytes));
    pool.push_back(noise(bytes, bytes));
  }
  add_directories();
  add_files(random, 60, pool);
  auto apart = build_options("/apart");
  apart.dedup = false;
  const auto whole = build(apart);
  const auto report = build(build_options());
  const auto expected = dump("/apart");
  const auto image = dump("/i");
  ASSERT_EQ(image.nodes.size(), expected.nodes.size());
  std::map<std::string, std::uint64_t> places;
  std::set<format::InodeNumber> counted;
  std::uint64_t stored_bytes = 0;
  std::uint64_t shared_files = 0;
  for (const auto& [path, node] : expected.nodes) {
    SCOPED_TRACE(path);
    const auto& other = image.nodes.at(path);
    EXPECT_TRUE(other.content == node.content);
    EXPECT_EQ(other.inode, node.inode);
    const auto content = stored_content(other);
    if (content.empty() || !counted.insert(other.inode).second) continue;
    const auto [place, is_new] = places.emplace(content, other.data_offset);
    EXPECT_EQ(place->second, other.data_offset);
    if (is_new) {
      stored_bytes += other.entry.stored_bytes;
    } else {
      ++shared_files;
    }
  }
  EXPECT_EQ(image.superblock.stored_bytes, stored_bytes);
  EXPECT_EQ(report.shared_files, shared_files);
  EXPECT_GT(shared_files, 20U);
  EXPECT_EQ(image.superblock.content_bytes, expected.superblock.content_bytes);
  if (!GetParam()) {  // compressed, files of another class may take more or fewer bytes
    EXPECT_EQ(stored_bytes + report.shared_bytes, expected.superblock.stored_bytes);
  }
  EXPECT_EQ(whole.shared_files, 0U);
}

TEST_P(DedupTest, TheSameBytesOnAnyThreadsAndInAnyMemory) {
  Random random(20261123);
  std::vector<std::string> pool;
  for (const std::size_t bytes : {10U, 3000U, 70'000U, 200'000U, 900'000U}) {
    pool.push_back(words(bytes, bytes));
    pool.push_back(noise(bytes, bytes));
  }
  add_directories();
  add_files(random, 200, pool);
  // More contents than the smallest memory has slots for.
  tree_.directory("many");
  for (int i = 0; i < 12'000; ++i) {
    tree_.file("many/" + std::to_string(i), "number " + std::to_string(i % 5000));
  }
  EXPECT_GT(build_with_any_threads(build_options()).shared_files, 7000U);
}

// The two files belong to different classes, so two dictionaries apply.
TEST_P(DedupTest, WhatTwoDictionariesMadeIsOneContent) {
  tree_.directory("json");
  tree_.directory("c");
  for (int i = 0; i < 1500; ++i) {
    const auto number = static_cast<std::uint64_t>(i) * 1000;
    tree_.file("json/" + std::to_string(i) + ".json", "{\"a\":" + words(300, number) + "}");
    tree_.file("c/" + std::to_string(i) + ".c", "int f(void) {" + words(300, number) + "}");
  }
  const auto both = "{\"a\":" + words(300, 77) + "}";
  tree_.file("c/both.c", both);
  tree_.file("json/both.json", both);
  EXPECT_EQ(build(build_options()).shared_files, 1U);
  const auto image = dump("/i");
  EXPECT_EQ(image.nodes.at("c/both.c").data_offset, image.nodes.at("json/both.json").data_offset);
  EXPECT_EQ(image.nodes.at("json/both.json").content, both);
  const auto dictionaries = image.superblock.section(format::SectionKind::kDictionaries);
  EXPECT_EQ(dictionaries.length_bytes != 0, GetParam());
}

// No file may share the extent of a file that was left out.
TEST_P(DedupTest, WhatWasLostIsNotShared) {
  const auto content = words(700'000, 5);
  tree_.directory("d");
  tree_.file("d/a", content);
  tree_.file("d/b", content);
  tree_.file("d/c", content);
  std::uint8_t changes = 0;
  // Rewrites the first byte before each read, so that no two readings agree.
  HookEnv env(*env_, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (kind != storage::CallKind::kRead || !path.ends_with("d/a")) return ok();
    DGFS_TRY(file, env_->open(path, {storage::OpenOptions::Mode::kReadWrite}));
    DGFS_CHECK(file->write_at(0, Buffer{++changes}));
    tree_.time("d/a", {changes, 1});
    return ok();
  });
  for (const std::size_t memory_bytes : {builder::kMemoryBytesMin, std::size_t{1} << 28}) {
    auto options = build_options();
    options.keep_going = true;
    options.jobs = 1;
    options.memory_bytes = memory_bytes;
    const auto report = builder::build(env, options);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report.value().loss_count, 1U);
    EXPECT_EQ(report.value().shared_files, 1U);
    const auto image = dump("/i");
    EXPECT_FALSE(image.nodes.contains("d/a"));
    EXPECT_TRUE(image.nodes.at("d/b").content == content);
    EXPECT_TRUE(image.nodes.at("d/c").content == content);
    EXPECT_EQ(image.nodes.at("d/b").data_offset, image.nodes.at("d/c").data_offset);
  }
}

// There is room for the bytes of one file, not for those of all.
TEST_P(ReservationTest, NeedsNoRoomForWhatItDoesNotStore) {
  for (int i = 0; i < 20; ++i) tree_.file("f" + std::to_string(i), noise(200'000, 1));
  bool reserved = false;
  HookEnv env(*env_, [&](storage::CallKind kind, const std::string&) -> Status {
    if (kind == storage::CallKind::kAllocate && !std::exchange(reserved, true)) {
      return Error(ErrorKind::kNoSpace, 1, "full");
    }
    return ok();
  });
  const auto report = builder::build(env, build_options());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report.value().shared_files, 19U);
  EXPECT_TRUE(std::exchange(reserved, false));
  auto apart = build_options("/apart");
  apart.dedup = false;
  EXPECT_EQ(builder::build(env, apart).error().kind(), ErrorKind::kNoSpace);
}

}  // namespace
}  // namespace dgfs::test
