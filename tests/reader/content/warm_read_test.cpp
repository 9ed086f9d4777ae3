// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A read of bytes that this thread has read before allocates nothing.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "storage/posix/env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/failing_heap.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

using builder::Compression;

constexpr int kRecords = 600;

// A record of a class for which the builder trains a dictionary: there are many records, and each
// resembles the others more than itself.
std::string record(int number) {
  std::string text = R"({"kind":"record of the archive","state":"of no account","entries":[)";
  for (int i = 0; i < 8; ++i) {
    const auto value = std::to_string(std::uint64_t{7919} * static_cast<std::uint64_t>(number) +
                                      std::uint64_t{104729} * static_cast<std::uint64_t>(i));
    text += R"({"owner":"nobody in particular","value":)" + value + R"(,"field )" +
            std::to_string(i) + R"(":"as it was found"},)";
  }
  return text + "]}\n";
}

class WarmRead : public ::testing::TestWithParam<std::optional<Compression>> {
 protected:
  void SetUp() override {
    expect_ok(env_->make_directory(folder_ / "tree", 0755));
    const auto root = value_of(env_->open_directory(folder_ / "tree"));
    const auto put = [&](const char* name, Bytes content) {
      expect_ok(value_of(root->create_file(name, 0644))->write_at(0, content));
    };
    put("few", as_bytes(std::string(700, 'x')));
    put("noise", pattern(50'000, 2));
    put("large", pattern(1'000'000, 3));
    put("text", as_bytes(std::string(1'000'000, 'y')));
    for (int i = 0; i < kRecords; ++i) {
      const auto text = record(i);
      put((std::to_string(i) + ".json").c_str(), as_bytes(text));
    }
    builder::BuildOptions options;
    options.source = folder_ / "tree";
    options.image_path = folder_ / "t.dgfs";
    options.compression = GetParam();
    static_cast<void>(value_of(builder::build(*env_, options)));
    image_ = value_of(reader::Image::open(*env_, options.image_path));
  }

  // Returns whether the third read of these bytes allocates memory.
  bool allocates(const std::string& name, std::uint64_t at, std::size_t bytes) {
    const auto node = value_of(image_->lookup(name));
    Buffer out(bytes);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(value_of(image_->read(node, at, out)), bytes);
    const FailingHeap heap(1);
    static_cast<void>(image_->read(node, at, out));
    return heap.failed();
  }

  TempDir folder_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  std::unique_ptr<const reader::Image> image_;
};

TEST_P(WarmRead, AllocatesNothing) {
  EXPECT_FALSE(allocates("few", 0, 700));
  EXPECT_FALSE(allocates("noise", 0, 50'000));
  for (const auto* name : {"large", "text"}) EXPECT_FALSE(allocates(name, 0, 1'000'000)) << name;
  // In parts: the only frame of a small file bypasses the cache, frames of larger files are in it.
  EXPECT_FALSE(allocates("few", 100, 300));
  EXPECT_FALSE(allocates("noise", 100, 300));
  for (const auto* name : {"large", "text"}) EXPECT_FALSE(allocates(name, 5000, 200'000)) << name;
}

TEST_P(WarmRead, AllocatesNothingWithADictionary) {
  const auto& section = image_->superblock().section(format::SectionKind::kDictionaries);
  ASSERT_EQ(section.length_bytes != 0, GetParam().has_value());
  for (const int number : {0, 7, kRecords - 1}) {
    const auto name = std::to_string(number) + ".json";
    const auto bytes = record(number).size();
    if (GetParam() && GetParam()->fragment_frame_bytes == 0) {
      // It takes 75 bytes with the dictionary, and 204 without.
      EXPECT_LT(value_of(image_->lookup(name)).stored_bytes, 140U);
    }
    EXPECT_FALSE(allocates(name, 0, bytes)) << name;
    EXPECT_FALSE(allocates(name, 100, 300)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, WarmRead,
                         ::testing::Values(std::nullopt, Compression{},
                                           Compression{.fragment_frame_bytes = std::size_t{64}
                                                                               << 10}));

}  // namespace
}  // namespace dgfs::test
