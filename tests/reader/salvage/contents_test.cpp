// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage of files that are read in several pieces, parts of which are lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "format/limits.h"
#include "reader/salvage/salvage.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kSize = 2'600'000;  // three pieces
constexpr std::size_t kFrame = format::kFrameBytes;

class SalvageContents : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.file("large", content_);
    tree_.file("a small one", pattern(100, 2));
    tree_.pack();
    image_ = read_file(tree_.memory(), kImage);
    const auto image = tree_.open();
    const auto node = value_of(image->lookup("large"));
    for (std::size_t at = 0; at < kSize; at += kFrame) {
      places_.push_back(value_of(image->locate(node, at)).offset_bytes);
    }
  }

  // Salvages to /saved, with holes for lost parts.
  void salvage() {
    expect_ok(tree_.memory().remove(kImage));
    write_file(tree_.memory(), kImage, image_);
    reader::SalvageOptions options;
    options.jobs = 1;
    options.partial = true;
    options.lost_range = [this](const std::string& path, const reader::LostRange& range,
                                const Error&) {
      EXPECT_EQ(path, "large");
      lost_.push_back({range.begin, range.end});
    };
    const auto report = value_of(reader::salvage(tree_.memory(), kImage, "/saved", options));
    EXPECT_EQ(report.partial_files, 1U);
    saved_ = tree_below(*value_of(tree_.memory().open_directory("/saved")));
    EXPECT_EQ(saved_["a small one"], as_text(pattern(100, 2)));
  }
  void expect_saved_but(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& lost) {
    EXPECT_EQ(lost_, lost);
    auto expected = content_;
    for (const auto& [begin, end] : lost) {
      std::fill(expected.begin() + static_cast<long>(begin),
                expected.begin() + static_cast<long>(end), std::uint8_t{0});
    }
    EXPECT_TRUE(saved_["large"] == as_text(expected));
  }

  PackedTree tree_;
  const Buffer content_ = pattern(kSize, 1);
  Buffer image_;
  std::vector<std::uint64_t> places_;  // places of the frames
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lost_;
  std::map<std::string, std::string> saved_;
};

TEST_F(SalvageContents, FramesOfSeveralPieces) {
  for (const auto frame : {3, 4, 20, 39}) {
    image_[places_[static_cast<std::size_t>(frame)] + 100] ^= 1;
  }
  salvage();
  expect_saved_but({{3 * kFrame, 5 * kFrame}, {20 * kFrame, 21 * kFrame}, {39 * kFrame, kSize}});
}

TEST_F(SalvageContents, WhatLiesBehindTheEndIsOneRange) {
  image_.resize(places_[5] + 100);
  salvage();
  expect_saved_but({{5 * kFrame, kSize}});
}

}  // namespace
}  // namespace dgfs::test
