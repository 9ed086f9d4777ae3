// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Damage without a plan: flipped bits of whole images, which checksums find; cut files; and changed
// bytes of everything decoded, with all checksums made to fit, which only bounds can find.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "format/attribute_table.h"
#include "format/coding.h"
#include "format/extent.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page.h"
#include "format/zstd_payload.h"
#include "tests/corrupt/prober.h"
#include "tests/corrupt/sample_image.h"
#include "tests/fuzz/image_recipe.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;

// The prober itself must be able to fail.
TEST(Prober, SeesAWrongByte) {
  Prober prober({tiny_image(), {}});
  TakenImage taken(tiny_image());
  const std::string_view content = "first content";
  const auto at = as_text(taken.data).find(content);
  ASSERT_NE(at, std::string_view::npos);
  taken.data[at] ^= 1;
  const auto frame = Bytes(taken.data).subspan(at, content.size());
  format::store(MutableBytes(taken.data), at - 8, format::frame_checksum(0, frame));
  const DamagedFiles changed{taken.image(), {}};
  std::size_t wrong_answers = 0;
  {
    ::testing::TestPartResultArray failures;
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
    prober.probe(changed, Promise::kTruth, "a changed file");
    wrong_answers = static_cast<std::size_t>(failures.size());
  }
  EXPECT_GE(wrong_answers, 3U);  // the file has three names
}

// What the fuzzer of whole images begins with must be whole.
TEST(Recipes, BakeToAnImageOfTheSameTree) {
  Prober prober({tiny_image(), {}});
  const auto baked = bake(recipe_of(tiny_image(), tiny_image().size()));
  const auto findings = prober.probe({baked, {}}, Promise::kTruth, "baked");
  EXPECT_TRUE(findings.errors.empty()) << findings.text();
  EXPECT_EQ(findings.walked, TakenImage(tiny_image()).superblock.namespace_entries);
}

class FlippedBits : public ::testing::Test {
 protected:
  // Flips bit `bit_of(at)` of each `step`th byte.
  void flip(const Buffer& image, const Buffer& index, std::size_t step, std::uint8_t mask) {
    Prober prober({image, index});
    const auto& victim = image.empty() ? index : image;
    for (std::size_t at = mask % step; at < victim.size(); at += step) {
      auto damaged = victim;
      damaged[at] ^= mask;
      const auto what = "byte " + std::to_string(at) + " ^ " + std::to_string(mask);
      DamagedFiles files{image.empty() ? Buffer() : damaged, image.empty() ? damaged : Buffer()};
      prober.probe(files, Promise::kTruth, what, Depth::kAnswers);
    }
  }
};

TEST_F(FlippedBits, OfASampleOfTheImage) {
  for (const auto mask : {0x01, 0x80}) {
    flip(sample_image(), {}, 61, static_cast<std::uint8_t>(mask));
    flip(assembled_image(), {}, 61, static_cast<std::uint8_t>(mask));
  }
}

TEST_F(FlippedBits, OfASampleOfALoneIndex) {
  for (const auto mask : {0x01, 0x10}) {
    flip({}, TakenImage(tiny_image()).index(), 13, static_cast<std::uint8_t>(mask));
  }
}

class EveryFlippedBit : public FlippedBits {};

TEST_F(EveryFlippedBit, OfATinyImage) {
  for (int bit = 0; bit < 8; ++bit) flip(tiny_image(), {}, 1, static_cast<std::uint8_t>(1 << bit));
}

TEST_F(EveryFlippedBit, OfALoneIndex) {
  const auto index = TakenImage(tiny_image()).index();
  for (int bit = 0; bit < 8; ++bit) flip({}, index, 1, static_cast<std::uint8_t>(1 << bit));
}

TEST(Truncation, AtEveryEdge) {
  for (const auto* image : {&sample_image(), &token_image(), &assembled_image()}) {
    Prober prober({*image, {}});
    const TakenImage taken(*image);
    const auto index_at = taken.header.index_offset;
    std::set<std::uint64_t> edges = {0,
                                     8,
                                     kPageBytes,
                                     taken.header.data_end,
                                     index_at,
                                     image->size() - kPageBytes,
                                     image->size()};
    for (const auto& place : taken.superblock.sections) {
      edges.insert(index_at + place.offset_bytes);
      edges.insert(index_at + place.offset_bytes + place.length_bytes);
    }
    for (const auto edge : edges) {
      for (const auto length : {edge - 1, edge, edge + 1}) {
        if (length == 0 || length >= image->size()) continue;
        const Buffer cut(image->begin(), image->begin() + static_cast<long>(length));
        const auto findings =
            prober.probe({cut, {}}, Promise::kTruth, "cut at " + std::to_string(length));
        EXPECT_FALSE(findings.errors.empty()) << length;
        const auto index = Bytes(*image).subspan(index_at, taken.header.index_bytes);
        if (length <= index_at || length - index_at >= index.size()) continue;
        const auto part = index.first(length - index_at);
        EXPECT_EQ(
            prober.probe({{}, Buffer(part.begin(), part.end())}, Promise::kTruth, "index").answers,
            0U);
      }
    }
  }
}

// Every byte of `body` at values that hurt, and the body without its tail.
void for_each_change(const Buffer& body,
                     const std::function<void(const Buffer&, const std::string&)>& use) {
  auto changed = body;
  for (std::size_t at = 0; at < body.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff, body[at] ^ 0x80, body[at] + 1, body[at] - 1}) {
      changed[at] = static_cast<std::uint8_t>(value);
      if (changed[at] == body[at]) continue;
      use(changed, "byte " + std::to_string(at) + " = " + std::to_string(value));
    }
    changed[at] = body[at];
    use(Buffer(body.begin(), body.begin() + static_cast<long>(at)), "cut at " + std::to_string(at));
  }
}

class ChangedBodies : public ::testing::TestWithParam<const Buffer& (*)()> {
 protected:
  TakenImage taken_{GetParam()()};
  Prober prober_{{GetParam()(), {}}};
};

TEST_P(ChangedBodies, OfSealedBlocks) {
  for (std::size_t i = 1; i < format::kSectionKinds; ++i) {
    const auto kind = static_cast<SectionKind>(i);
    auto& bodies = taken_.bodies(kind);
    if (kind == SectionKind::kModels || bodies.empty()) continue;  // zstd's own, and large
    const auto sound = bodies.front();
    for_each_change(sound, [&](const Buffer& body, const std::string& what) {
      bodies.front() = body;
      prober_.probe({taken_.image(), {}}, Promise::kSense,
                    format::section_name(kind) + (", " + what));
    });
    bodies.front() = sound;
  }
}

TEST_P(ChangedBodies, OfPages) {
  const auto empty = format::Model::empty();
  for (std::size_t page = 0; page < std::min<std::size_t>(taken_.records.size(), 2); ++page) {
    const auto begin = taken_.pages().begin() + static_cast<long>(page * kPageBytes);
    const Buffer sound(begin, begin + kPageBytes);
    auto header = value_of(format::read_page_header(sound));
    if (header.model_id != 0) continue;
    const auto payload = Bytes(sound).subspan(format::kPageHeaderBytes, header.payload_bytes);
    const auto columns =
        value_of(format::decompress_payload(payload, header.decoded_bytes, *empty));
    for_each_change(columns, [&](const Buffer& changed, const std::string& what) {
      if (changed.empty()) return;
      header.decoded_bytes = static_cast<std::uint32_t>(changed.size());
      const auto packed = value_of(format::compress_payload(changed, {}, *empty, 1));
      const auto damaged = format::make_page(header, packed);
      std::copy(damaged.begin(), damaged.end(), begin);
      taken_.reseal_page(page);
      prober_.probe({taken_.image(), {}}, Promise::kSense, "columns, " + what);
    });
    std::copy(sound.begin(), sound.end(), begin);
    taken_.reseal_page(page);
  }
}

// Payloads of the token codec, which has no other checksum than the page's, and its model.
TEST(ChangedTokens, OfPagesAndTheirModel) {
  TakenImage taken(token_image());
  Prober prober({token_image(), {}});
  const auto begin = taken.pages().begin();
  const Buffer sound(begin, begin + kPageBytes);
  const auto header = value_of(format::read_page_header(sound));
  ASSERT_EQ(header.codec, format::kTokenCodec);
  const auto payload = Bytes(sound).subspan(format::kPageHeaderBytes, header.payload_bytes);
  for_each_change({payload.begin(), payload.end()},
                  [&](const Buffer& changed, const std::string& what) {
                    const auto damaged = format::make_page(header, changed);
                    std::copy(damaged.begin(), damaged.end(), begin);
                    taken.reseal_page(0);
                    prober.probe({taken.image(), {}}, Promise::kSense, "payload, " + what);
                  });
  std::copy(sound.begin(), sound.end(), begin);
  taken.reseal_page(0);
  auto& model = taken.bodies(SectionKind::kModels).front();
  const auto sound_model = model;
  for (std::size_t at = 0; at < model.size(); at += 7) {
    for (const int change : {1, -1, 0x80}) {
      model[at] = static_cast<std::uint8_t>(model[at] + change);
      prober.probe({taken.image(), {}}, Promise::kSense, "model, byte " + std::to_string(at));
      model[at] = sound_model[at];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Images, ChangedBodies, ::testing::Values(tiny_image, assembled_image),
                         [](const auto& image) {
                           return image.index == 0 ? "Built" : "Assembled";
                         });

}  // namespace
}  // namespace dgfs::test
