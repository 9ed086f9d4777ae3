// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A check covers every bit of an image: verify finds each flipped bit. Volumes of other images may
// hold anything between the extents of the image (F-027).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/header/volume_header.h"
#include "format/limits.h"
#include "reader/check/verify.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using Marks = std::vector<bool>;

// For each byte of a volume, whether a check covers it.
Marks checked_bytes(const ImageFiles& files, const Buffer& bytes) {
  Marks marks(bytes.size(), true);
  const auto header =
      value_of(format::decode_volume_header(Bytes(bytes).first(format::kPageBytes)));
  const auto env = storage::make_memory_env(1);
  write_file(*env, "/t.dgfs", files.image);
  const auto image = value_of(reader::Image::open(*env, "/t.dgfs"));
  const auto& origins = image->volume_origins();
  const auto origin = std::ranges::find_if(origins, [&](const format::VolumeOrigin& each) {
    return each.image == header.image_uuid && each.own_number == header.number;
  });
  if (origin == origins.end()) return marks;
  const auto mark = [&](std::uint64_t begin, std::uint64_t end, bool is_checked) {
    std::fill(marks.begin() + static_cast<long>(begin), marks.begin() + static_cast<long>(end),
              is_checked);
  };
  mark(format::kPageBytes, header.data_end, false);
  if (header.index_bytes != 0) {
    mark(header.index_offset, header.index_offset + header.index_bytes, false);
  }
  expect_ok(image->walk("", [&](std::string_view, const reader::Node& node) {
    const bool is_there = node.data.volume == origin->number && node.stored_bytes != 0;
    if (is_there) mark(node.data.offset_bytes, node.data.offset_bytes + node.stored_bytes, true);
    return true;
  }));
  return marks;
}

class FoundBits : public ::testing::TestWithParam<BaseImage> {
 protected:
  // Flips one bit of one byte in each `step`, in one file after another.
  void expect_found(std::size_t step) {
    const auto sound = GetParam().files();
    EXPECT_FALSE(is_found(sound)) << "verify finds damage in the sound image";
    auto files = sound;
    flip_each(files, files.image, "image", step, Marks(files.image.size(), true));
    for (auto& [name, bytes] : files.volumes) {
      flip_each(files, bytes, name, step, checked_bytes(sound, bytes));
    }
  }

 private:
  // Undoes each flip before the next one.
  static void flip_each(const ImageFiles& files, Buffer& victim, const std::string& name,
                        std::size_t step, const Marks& checked) {
    for (std::size_t begin = 0; begin < victim.size(); begin += step) {
      const auto at = std::min(begin + begin / step * 7 % step, victim.size() - 1);
      if (!checked[at]) continue;
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
