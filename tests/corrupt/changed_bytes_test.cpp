// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Damage at arbitrary places: flipped bits of whole images, which checksums find; cut files; and
// changed bytes of everything decoded, with all checksums made to fit, which only checks of bounds
// can find.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "format/coding.h"
#include "format/content/extent.h"
#include "format/entry/attribute_table.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/zstd/payload.h"
#include "tests/corrupt/prober.h"
#include "tests/corrupt/sample_image.h"
#include "tests/fuzz/image_recipe.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;

// This test shows that the prober can fail.
TEST(Prober, SeesAWrongByte) {
  Prober prober({tiny_image(), {}});
  TakenImage taken(tiny_image());
  const std::string_view content = "first content";
  const auto at = as_text(taken.data).find(content);
  ASSERT_NE(at, std::string_view::npos);
  taken.data[at] ^= 1;
  const auto frame = Bytes(taken.data).subspan(at, content.size());
  format::store(MutableBytes(taken.data), at - 8, format::frame_checksum(0, frame));
  const ImageFiles changed{taken.image(), {}};
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

// The images with which the fuzzer of whole images starts must be sound.
class ImageRecipes : public ::testing::TestWithParam<BaseImage> {};
TEST_P(ImageRecipes, BakeToAnImageOfTheSameTree) {
  const auto sound = GetParam().files();
  std::vector<Buffer> volumes;
  std::size_t data_bytes = sound.image.size();
  for (const auto& [name, bytes] : sound.volumes) {
    volumes.push_back(bytes);
    data_bytes = std::max(data_bytes, bytes.size());
  }
  const auto baked = bake(recipe_of(sound.image, volumes, data_bytes));
  ImageFiles files{baked.image, {}};
  for (std::size_t i = 0; i < baked.volumes.size(); ++i) {
    files.volumes["volume" + std::to_string(i)] = baked.volumes[i];
  }
  Prober prober(sound);
  const auto findings = prober.probe(files, Promise::kTruth, "baked");
  EXPECT_TRUE(findings.errors.empty()) << findings.text();
  EXPECT_EQ(findings.walked, TakenImage(sound.image).superblock.namespace_entries);
  EXPECT_EQ(baked.volumes.size(), volumes.size());
}

class FlippedBits : public ::testing::TestWithParam<BaseImage> {
 protected:
  static constexpr std::size_t kSampleStep = 64;

  static constexpr int kAllBits = 8;

  // Flips `bits` bits of one byte in each `step`, in one file after another. The place of the byte
  // in its `step` varies, so that fields at all places are hit; so do the bits, unless all are
  // flipped.
  void flip_all(std::size_t step, int bits = kAllBits) {
    const auto sound = GetParam().files();
    Prober prober(sound);
    flip(prober, sound.image, {step, bits}, "image", [](Buffer damaged) {
      return ImageFiles{std::move(damaged), {}};
    });
    for (const auto& [name, bytes] : sound.volumes) {
      flip(prober, bytes, {step, bits}, name, [&, &name = name](Buffer damaged) {
        auto files = sound;
        files.volumes[name] = std::move(damaged);
        return files;
      });
    }
  }
  void flip_index(std::size_t step) {
    const auto index = TakenImage(GetParam().files().image).index();
    Prober prober({{}, index});
    flip(prober, index, {step, kAllBits}, "index", [](Buffer damaged) {
      return ImageFiles{{}, std::move(damaged)};
    });
  }

 private:
  struct Sample {
    std::size_t step = 1;
    int bits = kAllBits;
  };
  static void flip(Prober& prober, const Buffer& victim, Sample sample, const std::string& name,
                   const std::function<ImageFiles(Buffer)>& files) {
    const auto [step, bits] = sample;
    for (std::size_t begin = 0; begin < victim.size(); begin += step) {
      const auto at = std::min(begin + begin / step * 29 % step, victim.size() - 1);
      for (int i = 0; i < bits; ++i) {
        const auto bit = (static_cast<int>(at * 3 % kAllBits) + i) % kAllBits;
        auto damaged = victim;
        damaged[at] ^= static_cast<std::uint8_t>(1 << bit);
        const auto what = name + ", bit " + std::to_string(bit) + " of byte " + std::to_string(at);
        prober.probe(files(std::move(damaged)), Promise::kTruth, what, Depth::kAnswers);
      }
    }
  }
};

TEST_P(FlippedBits, OfASample) { flip_all(kSampleStep); }

class FlippedIndexBits : public FlippedBits {};
TEST_P(FlippedIndexBits, OfASample) { flip_index(kSampleStep); }

// A smaller sample, for probes that take long, such as running all commands.
class FewFlippedBits : public FlippedBits {};
TEST_P(FewFlippedBits, OfTheFiles) { flip_all(13 * kSampleStep + 1); }

// All bits of all bytes: the slow set.
class EveryFlippedBit : public FlippedBits {};
TEST_P(EveryFlippedBit, OfTheFiles) { flip_all(1); }

// One bit of each byte: for all commands.
class EveryFlippedByte : public FlippedBits {};
TEST_P(EveryFlippedByte, OfTheFiles) { flip_all(1, 1); }

class EveryFlippedIndexBit : public FlippedBits {};
TEST_P(EveryFlippedIndexBit, OfALoneIndex) { flip_index(1); }

constexpr auto kBaseNameOf = [](const auto& base) { return std::string(base.param.name); };
INSTANTIATE_TEST_SUITE_P(Base, ImageRecipes, ::testing::ValuesIn(kBaseImages), kBaseNameOf);
INSTANTIATE_TEST_SUITE_P(Base, FlippedBits, ::testing::ValuesIn(kBaseImages), kBaseNameOf);
INSTANTIATE_TEST_SUITE_P(Base, FlippedIndexBits, ::testing::Values(kBaseImages[1]), kBaseNameOf);
INSTANTIATE_TEST_SUITE_P(Base, FewFlippedBits, ::testing::ValuesIn(kBaseImages), kBaseNameOf);
INSTANTIATE_TEST_SUITE_P(Base, EveryFlippedBit, ::testing::ValuesIn(kBaseImages), kBaseNameOf);
INSTANTIATE_TEST_SUITE_P(Base, EveryFlippedByte, ::testing::Values(kBaseImages[1]), kBaseNameOf);
INSTANTIATE_TEST_SUITE_P(Base, EveryFlippedIndexBit, ::testing::Values(kBaseImages[1]),
                         kBaseNameOf);

class Truncation : public ::testing::TestWithParam<BaseImage> {
 protected:
  ImageFiles sound_ = GetParam().files();
  TakenImage taken_{sound_.image};
  Prober prober_{sound_};

  // The edges of all parts of the image, or of its index if that stands alone.
  [[nodiscard]] std::set<std::uint64_t> edges() const {
    const auto index_at = taken_.header.index_offset;
    const auto size = sound_.image.size();
    std::set<std::uint64_t> edges = {
        0, 8, kPageBytes, taken_.header.data_end, index_at, size - kPageBytes, size};
    for (const auto& place : taken_.superblock.sections) {
      edges.insert(index_at + place.offset_bytes);
      edges.insert(index_at + place.offset_bytes + place.length_bytes);
    }
    return edges;
  }
  // Calls `use(length)` for each length to which a file of `size` bytes is cut, at the edges and
  // beside them.
  static void for_each_cut(const std::set<std::uint64_t>& edges, std::uint64_t size,
                           const std::function<void(std::uint64_t)>& use) {
    for (const auto edge : edges) {
      for (const auto length : {edge - 1, edge, edge + 1}) {
        if (length != 0 && length < size) use(length);
      }
    }
  }
  static Buffer head(Bytes bytes, std::uint64_t length) {
    const auto part = bytes.first(static_cast<std::size_t>(length));
    return Buffer(part.begin(), part.end());
  }
};

TEST_P(Truncation, AtEveryEdge) {
  const auto index_at = taken_.header.index_offset;
  const auto index = Bytes(sound_.image).subspan(index_at, taken_.header.index_bytes);
  for_each_cut(edges(), sound_.image.size(), [&](std::uint64_t length) {
    const auto what = "cut at " + std::to_string(length);
    const auto findings = prober_.probe({head(sound_.image, length), {}}, Promise::kTruth, what);
    EXPECT_FALSE(findings.errors.empty()) << length;
    if (length <= index_at || length - index_at >= index.size()) return;
    const auto alone =
        prober_.probe({{}, head(index, length - index_at)}, Promise::kTruth, "index, " + what);
    EXPECT_EQ(alone.answers, 0U);
  });
}

TEST_P(Truncation, OfFurtherVolumes) {
  for (const auto& [name, bytes] : sound_.volumes) {
    const auto header = value_of(format::decode_volume_header(Bytes(bytes).first(kPageBytes)));
    for_each_cut({0, 8, kPageBytes, header.data_end, bytes.size() - kPageBytes, bytes.size()},
                 bytes.size(), [&, &name = name, &bytes = bytes](std::uint64_t length) {
                   auto files = sound_;
                   files.volumes[name] = head(bytes, length);
                   const auto what = name + " cut at " + std::to_string(length);
                   const auto findings = prober_.probe(files, Promise::kTruth, what);
                   EXPECT_FALSE(findings.errors.empty()) << what;
                   EXPECT_EQ(findings.walked, taken_.superblock.namespace_entries) << what;
                 });
  }
}

INSTANTIATE_TEST_SUITE_P(Base, Truncation, ::testing::ValuesIn(kBaseImages), kBaseNameOf);

// Sets every byte of `body` to values that hurt, and cuts the body at every byte. Tries one of
// these changes: see in_corpus_share().
void for_each_change(const Buffer& body,
                     const std::function<void(const Buffer&, const std::string&)>& use) {
  auto changed = body;
  std::size_t count = 0;
  for (std::size_t at = 0; at < body.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff, body[at] ^ 0x80, body[at] + 1, body[at] - 1}) {
      changed[at] = static_cast<std::uint8_t>(value);
      if (changed[at] == body[at] || !in_corpus_share(++count)) continue;
      use(changed, "byte " + std::to_string(at) + " = " + std::to_string(value));
    }
    changed[at] = body[at];
    if (!in_corpus_share(++count)) continue;
    use(Buffer(body.begin(), body.begin() + static_cast<long>(at)), "cut at " + std::to_string(at));
  }
}

class ChangedBodies : public ::testing::TestWithParam<BaseImage> {
 protected:
  TakenImage taken_{GetParam().files().image};
  Prober prober_{GetParam().files()};
};

TEST_P(ChangedBodies, OfSealedBlocks) {
  for (std::size_t i = 1; i < format::kSectionKinds; ++i) {
    const auto kind = static_cast<SectionKind>(i);
    auto& bodies = taken_.bodies(kind);
    // Models have zstd's own format, and are large.
    if (kind == SectionKind::kModels || bodies.empty()) continue;
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
  constexpr std::size_t kTriedPages = 2;
  const auto empty = format::Model::empty();
  std::size_t tried = 0;
  for (std::size_t page = 0; page < taken_.records.size() && tried < kTriedPages; ++page) {
    const auto begin = taken_.pages().begin() + static_cast<long>(page * kPageBytes);
    const Buffer sound(begin, begin + kPageBytes);
    auto header = value_of(format::read_page_header(sound));
    if (header.model_id != 0) continue;
    ++tried;
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

// Token codec payloads, which only the checksum of their page protects, and the model.
class ChangedTokens : public ::testing::TestWithParam<BaseImage> {};
TEST_P(ChangedTokens, OfAPageAndItsModel) {
  TakenImage taken(GetParam().files().image);
  Prober prober(GetParam().files());
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
      if (!in_corpus_share(at / 7)) continue;
      model[at] = static_cast<std::uint8_t>(model[at] + change);
      prober.probe({taken.image(), {}}, Promise::kSense, "model, byte " + std::to_string(at));
      model[at] = sound_model[at];
    }
  }
}

// The other images have the same tables and pages as one of these.
INSTANTIATE_TEST_SUITE_P(Base, ChangedBodies,
                         ::testing::Values(kBaseImages[1], kBaseImages[3], kBaseImages[5],
                                           kBaseImages[7]),
                         kBaseNameOf);
INSTANTIATE_TEST_SUITE_P(Base, ChangedTokens, ::testing::Values(kBaseImages[2], kBaseImages[7]),
                         kBaseNameOf);

}  // namespace
}  // namespace dgfs::test
