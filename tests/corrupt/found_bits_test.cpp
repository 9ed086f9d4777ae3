// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A check covers every bit of an image: verify finds each flipped bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reader/check/verify.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

class FoundBits : public ::testing::TestWithParam<BaseImage> {
 protected:
  // Flips one bit of one byte in each `step`, in one file after another.
  void expect_found(std::size_t step) {
    const auto sound = GetParam().files();
    EXPECT_FALSE(is_found(sound)) << "verify finds damage in the sound image";
    auto files = sound;
    flip_each(files, files.image, "image", step);
    for (auto& [name, bytes] : files.volumes) flip_each(files, bytes, name, step);
  }

 private:
  // Undoes each flip before the next one.
  static void flip_each(const ImageFiles& files, Buffer& victim, const std::string& name,
                        std::size_t step) {
    for (std::size_t begin = 0; begin < victim.size(); begin += step) {
      const auto at = std::min(begin + begin / step * 7 % step, victim.size() - 1);
      const auto bit = static_cast<std::uint8_t>(1u << at % 8);
      victim[at] ^= bit;
      EXPECT_TRUE(is_found(files)) << name << ", bit " << at % 8 << " of byte " << at;
      victim[at] ^= bit;
    }
  }
  static bool is_found(const ImageFiles& files) {
    const auto env = storage::make_memory_env(1);
    write_file(*env, "/t.dgfs", files.image);
    for (const auto& [name, bytes] : files.volumes) write_file(*env, "/" + name, bytes);
    const auto image = reader::Image::open(*env, "/t.dgfs");
    if (!image) return true;
    reader::VerifyOptions options;
    options.jobs = 1;
    const auto report = reader::verify(*image.value(), options);
    return !report || !report.value().sound();
  }
};

TEST_P(FoundBits, OfASample) { expect_found(17); }

// All bytes: the slow set.
class EveryFoundByte : public FoundBits {};
TEST_P(EveryFoundByte, OfTheFiles) { expect_found(1); }

constexpr auto kFoundNameOf = [](const auto& base) { return std::string(base.param.name); };
INSTANTIATE_TEST_SUITE_P(Base, FoundBits, ::testing::ValuesIn(kBaseImages), kFoundNameOf);
INSTANTIATE_TEST_SUITE_P(Base, EveryFoundByte, ::testing::ValuesIn(kBaseImages), kFoundNameOf);

}  // namespace
}  // namespace dgfs::test
