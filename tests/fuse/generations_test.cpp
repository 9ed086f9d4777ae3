// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/generations.h"

#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

using fuse::Generations;

constexpr format::Uuid kImage = {1};
constexpr format::Uuid kOther = {2};
constexpr format::Uuid kDelta = {3};

TEST(FuseGenerations, TellImagesApart) {
  const Generations image(kImage);
  EXPECT_EQ(image.of(5), Generations(kImage).of(5));
  EXPECT_NE(image.of(5), Generations(kOther).of(5));
  EXPECT_EQ(image.of(1), 0U) << "the kernel requires it of the root";
  for (std::uint8_t i = 0; i < 255; ++i) {
    const auto generation = Generations(format::Uuid{i}).of(5);
    EXPECT_NE(generation, 0U);
    EXPECT_LE(generation, 0xffffffffU);
  }
}

TEST(FuseGenerations, ADeltaKeepsThoseOfItsImage) {
  const Generations image(kImage);
  const Generations delta(kImage, 100, kDelta);
  EXPECT_EQ(delta.of(99), image.of(99));
  EXPECT_NE(delta.of(100), image.of(99));
  EXPECT_EQ(delta.of(100), Generations(kOther, 100, kDelta).of(1000));
  EXPECT_NE(delta.of(100), Generations(kImage, 100, kOther).of(100));
  EXPECT_EQ(delta.of(1), 0U);
}

}  // namespace
}  // namespace dgfs::test
