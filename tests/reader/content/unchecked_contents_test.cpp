// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents read without their checksums: damage may change bytes, and nothing else.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr const char* kFile = "/a.dgfs";

class UncheckedContents : public ::testing::Test {
 protected:
  void SetUp() override {
    ImageAssembler assembler;
    auto compressible = pattern(900, 3);
    for (int i = 0; i < 7; ++i) {
      compressible.insert(compressible.end(), compressible.begin(), compressible.end());
    }
    assembler.add_file("packed", compressible, format::ExtentCodec::kZstd);
    assembler.add_file("raw", pattern(70'000, 1));
    assembler.add_file("small", pattern(100, 2));
    assembler.write(*env_, kFile, "", true);
    bytes_ = read_file(*env_, kFile);
  }

  std::unique_ptr<const reader::Image> open(const Buffer& bytes) {
    damaged_ = storage::make_memory_env(1);
    write_file(*damaged_, kFile, bytes);
    reader::OpenOptions options;
    options.check_contents = false;
    auto image = reader::Image::open(*damaged_, kFile, options);
    return image ? std::move(image).value() : nullptr;
  }
  // The place where the content of `path` is stored.
  std::pair<std::size_t, std::size_t> stored_range(const std::string& path) {
    const auto image = open(bytes_);
    const auto node = value_of(image->lookup(path));
    return {node.data.offset_bytes, node.data.offset_bytes + node.stored_bytes};
  }
  // Inverts every `step`th byte of a file's extent in turn. Returns how many reads succeeded.
  std::size_t read_damaged(const std::string& path, std::size_t step) {
    const auto [begin, end] = stored_range(path);
    std::size_t successes = 0;
    for (auto at = begin; at < end; at += step) {
      auto damaged = bytes_;
      damaged[at] ^= 0xFF;
      const auto image = open(damaged);
      const auto node = value_of(image->lookup(path));
      const auto content = contents(*image, node);
      if (!content) continue;
      EXPECT_EQ(content.value().size(), node.size_bytes) << at;
      ++successes;
    }
    return successes;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::unique_ptr<storage::MemoryEnv> damaged_;
  Buffer bytes_;
};

TEST_F(UncheckedContents, AreTheSameWhereNothingIsDamaged) {
  const auto image = open(bytes_);
  const auto checked = value_of(reader::Image::open(*env_, kFile));
  for (const auto* path : {"packed", "raw", "small"}) {
    const auto node = value_of(image->lookup(path));
    EXPECT_EQ(value_of(contents(*image, node)), value_of(contents(*checked, node))) << path;
  }
}

TEST_F(UncheckedContents, ADamagedByteOfARawFileIsHandedOut) {
  const auto [begin, end] = stored_range("small");
  EXPECT_EQ(read_damaged("small", 1), end - begin);
  auto damaged = bytes_;
  damaged[begin + format::kChecksumBytes + 5] ^= 0xFF;
  const auto image = open(damaged);
  auto expected = pattern(100, 2);
  expected[5] ^= 0xFF;
  EXPECT_EQ(value_of(contents(*image, value_of(image->lookup("small")))), expected);
}

TEST_F(UncheckedContents, LargeRawFilesKeepTheirLength) {
  const auto [begin, end] = stored_range("raw");
  EXPECT_EQ(read_damaged("raw", 1009), (end - begin + 1008) / 1009);
}

// zstd must cope: the frame table keeps its checksum, but frames are not checked.
TEST_F(UncheckedContents, DamagedCompressedFramesAreBounded) { (void)read_damaged("packed", 1); }

TEST_F(UncheckedContents, TheIndexIsCheckedAllTheSame) {
  const auto data_end = stored_range("small").second;
  std::size_t refused = 0;
  for (auto at = data_end; at < bytes_.size(); ++at) {
    auto damaged = bytes_;
    damaged[at] ^= 0xFF;
    const auto image = open(damaged);
    const auto node = image ? image->lookup("raw") : Result<reader::Node>(Error());
    if (!node) {
      ++refused;
      continue;
    }
    EXPECT_EQ(node.value().size_bytes, 70'000U) << at;
    EXPECT_EQ(value_of(contents(*image, node.value())), pattern(70'000, 1)) << at;
  }
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace dgfs::test
