// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Images of several volumes: random trees come back, by the dump and by the reader. Each volume has
// its share, and the tree alone decides which volume holds a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "builder/read/volume_groups.h"
#include "format/entry/mode.h"
#include "reader/check/verify.h"
#include "reader/image.h"
#include "storage/memory/env.h"
#include "storage/names.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

constexpr const char* kVolumesImage = "/out/i";

std::string words(std::size_t bytes, std::uint64_t seed) {
  std::string text;
  for (; text.size() < bytes; ++seed) text += std::to_string(seed * 7919) + " words of it\n";
  return text.substr(0, bytes);
}

Result<std::string> content_of(const reader::Image& image, const std::string& path) {
  DGFS_TRY(node, image.lookup(path));
  Buffer out(node.size_bytes);
  DGFS_TRY(count, image.read(node, 0, out));
  EXPECT_EQ(count, out.size());
  return std::string(as_text(out));
}

class VolumesTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  VolumesTest() {
    for (const std::string path : {"/out", "/v1", "/v2"}) {
      EXPECT_TRUE(env_->make_directory(path, 0755));
    }
    for (int i = 0; i < 8; ++i) pool_.push_back(small_content());
    for (int d = 0; d < 5; ++d) tree_.directory("d" + std::to_string(d));
    for (int i = 0; i < 150; ++i) add_file(i);
    options_ = random_options();
  }

  std::string small_content() {
    std::size_t bytes = random_.below(5000);
    if (random_.one_in(10)) bytes = random_.below(3);
    if (random_.one_in(15)) bytes = 60'000 + random_.below(200'000);
    return random_.one_in(2) ? noise(bytes, random_.below(1 << 30))
                             : words(bytes, random_.below(99));
  }
  std::string content() {
    // This file stands apart from the groups; some such files have the same content.
    if (random_.one_in(25)) {
      const auto bytes = static_cast<std::size_t>(builder::kGroupedFileBytesMax);
      return random_.one_in(2) ? noise(bytes + 1, random_.below(3)) : words(bytes + 5000, 1);
    }
    return random_.one_in(3) ? pool_[random_.below(pool_.size())] : small_content();
  }
  void add_file(int number) {
    static constexpr const char* kEnds[] = {".c", ".json", ""};
    const auto path =
        "d" + std::to_string(random_.below(5)) + "/" + std::to_string(number) + kEnds[number % 3];
    const std::string text = content();
    model_[path] = text;
    if (random_.one_in(10) && !text.empty()) {
      const std::uint64_t begin = 4096 * random_.below(1500);
      const std::uint64_t size = begin + text.size() + (random_.one_in(2) ? 100'000 : 0);
      tree_.sparse(path, size, begin, text);
      model_[path] = std::string(begin, '\0') + text;
      model_[path].resize(size);
    } else {
      tree_.file(path, text);
    }
    if (random_.one_in(8)) {
      const auto name = "d" + std::to_string(random_.below(5)) + "/also" + std::to_string(number);
      tree_.link(path, name);
      model_[name] = model_[path];
    }
  }
  builder::BuildOptions random_options() {
    auto options = options_for(tree_, kVolumesImage);
    const auto further = random_.below(5);
    for (std::uint64_t i = 0; i < further; ++i) {
      options.volume_paths.push_back((i % 2 == 0 ? "/v1/v" : "/v2/v") + std::to_string(i));
    }
    options.volume_groups = builder::GroupLimits{1 + random_.below(20), 1 + random_.below(100'000)};
    if (random_.one_in(2)) options.compression = builder::Compression{1};
    options.dedup = !random_.one_in(3);
    if (random_.one_in(3)) options.digest = format::DigestAlgorithm::kSha256;
    if (random_.one_in(2)) options.token_entries_min = 1;
    return options;
  }
  builder::BuildReport build() {
    auto report = builder::build(*env_, options_);
    if (!report) {
      ADD_FAILURE() << report.error().message();
      std::abort();
    }
    return std::move(report).value();
  }
  ImageDump dump(const std::string& index_path = {}) {
    auto image = dump_image(*env_, kVolumesImage, index_path, {"/v1", "/v2"});
    if (!image) {
      ADD_FAILURE() << image.error().message();
      std::abort();
    }
    return std::move(image).value();
  }
  std::unique_ptr<const reader::Image> open() {
    reader::OpenOptions options;
    options.volume_paths = options_.volume_paths;
    auto image = reader::Image::open(*env_, kVolumesImage, options);
    if (!image) {
      ADD_FAILURE() << image.error().message();
      std::abort();
    }
    return std::move(image).value();
  }
  std::vector<Buffer> all_bytes() {
    std::vector<Buffer> bytes;
    bytes.push_back(read_whole(*env_, kVolumesImage).value());
    bytes.push_back(read_whole(*env_, std::string(kVolumesImage) + ".idx").value());
    for (const auto& path : options_.volume_paths) {
      bytes.push_back(read_whole(*env_, path).value());
    }
    return bytes;
  }

  Random random_{GetParam()};
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
  std::vector<std::string> pool_;
  std::map<std::string, std::string> model_;
  builder::BuildOptions options_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, VolumesTest, testing::Range<std::uint64_t>(1, 6));

TEST_P(VolumesTest, EverythingComesBack) {
  const auto report = build();
  const auto opened = open();
  for (const std::string index : {"", "/out/i.idx"}) {
    const auto image = dump(index);
    EXPECT_EQ(image.nodes.size(), model_.size() + 6);
    for (const auto& [path, text] : model_) {
      const auto found = image.nodes.find(path);
      ASSERT_NE(found, image.nodes.end()) << path;
      EXPECT_TRUE(found->second.content == text) << path;
    }
  }
  for (const auto& [path, text] : model_) {
    const auto read = content_of(*opened, path);
    ASSERT_TRUE(read) << path << ": " << read.error().message();
    EXPECT_TRUE(read.value() == text) << path;
  }
  reader::VerifyOptions verify;
  verify.digests = options_.digest.has_value();
  const auto verified = reader::verify(*opened, verify);
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_TRUE(verified.value().sound());
  ASSERT_EQ(report.volume_bytes.size(), options_.volume_paths.size());
  for (std::size_t i = 0; i < report.volume_bytes.size(); ++i) {
    EXPECT_EQ(report.volume_bytes[i], env_->status(options_.volume_paths[i]).value().size_bytes);
  }
}

TEST_P(VolumesTest, EveryVolumeHasItsShare) {
  build();
  const auto image = dump();
  ASSERT_EQ(image.data_ends.size(), 1 + options_.volume_paths.size());
  std::map<format::VolumeNumber, std::size_t> files;
  for (const auto& [path, node] : image.nodes) {
    if (node.entry.stored_bytes != 0) ++files[node.volume];
  }
  EXPECT_EQ(files.size(), image.data_ends.size());
  // The large files make up for the bytes that groups spread unevenly.
  const auto [least, most] = std::ranges::minmax(image.data_ends);
  EXPECT_LE(most - least, 3 * builder::kGroupedFileBytesMax);
}

TEST_P(VolumesTest, TheBytesDependOnTheTreeAlone) {
  build();
  const auto expected = all_bytes();
  for (const auto& [jobs, mebibytes] : {std::pair(1U, 4U), {4U, 64U}, {3U, 16U}}) {
    options_.jobs = jobs;
    options_.memory_bytes = std::size_t{mebibytes} << 20;
    build();
    EXPECT_TRUE(all_bytes() == expected) << jobs << " jobs, " << mebibytes << " MiB";
  }
}

TEST_P(VolumesTest, AMissingVolumeTakesItsOwnFilesOnly) {
  if (options_.volume_paths.empty()) options_.volume_paths.push_back("/v1/v0");
  build();
  const auto image = dump();
  const auto number = 1 + random_.below(options_.volume_paths.size());
  const std::string& path = options_.volume_paths[number - 1];
  const auto expect_all_but = [&](std::optional<std::uint64_t> missing) {
    const auto opened = open();
    for (const auto& [name, text] : model_) {
      const DumpedNode& node = image.nodes.at(name);
      const bool is_there = node.entry.stored_bytes == 0 || node.volume != missing;
      const auto read = content_of(*opened, name);
      ASSERT_EQ(read.has_value(), is_there) << name;
      if (read) {
        EXPECT_TRUE(read.value() == text) << name;
      } else {
        EXPECT_EQ(read.error().kind(), ErrorKind::kNotFound);
      }
    }
  };
  ASSERT_TRUE(env_->rename(path, "/elsewhere"));
  expect_all_but(number);
  // A build that was killed before it named its volume leaves such a file.
  const auto hidden = storage::hidden_name(storage::base_name(path), random_.bytes(5), "new");
  ASSERT_TRUE(env_->rename("/elsewhere", storage::join_path(storage::parent_path(path), hidden)));
  expect_all_but(std::nullopt);
}

TEST_P(VolumesTest, TheUuidTellsPlacementsApart) {
  std::set<format::Uuid> uuids;
  const std::vector<std::string> paths = {"/v1/a", "/v2/b", "/v1/c", "/v2/d"};
  for (std::size_t further = 0; further <= paths.size(); ++further) {
    options_.volume_paths.assign(paths.begin(), paths.begin() + static_cast<int>(further));
    uuids.insert(build().superblock.uuid);
  }
  EXPECT_EQ(uuids.size(), paths.size() + 1);
}

}  // namespace
}  // namespace dgfs::test
