// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree with every kind of entry, built with random options: it comes back, a small file costs one
// read of the index and one of the data, damage is found, and the bytes do not depend on threads.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "format/content/extent.h"
#include "format/header/volume_header.h"
#include "reader/check/verify.h"
#include "tests/reader/mixed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr std::uint64_t kSeedsBegin = 1;
constexpr std::uint64_t kSeedsEnd = 13;

class MixedOptions : public testing::TestWithParam<std::uint64_t>, protected MixedTree {
 protected:
  MixedOptions() : MixedTree(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Seeds, MixedOptions, testing::Range(kSeedsBegin, kSeedsEnd));

TEST_P(MixedOptions, EverythingComesBack) {
  const auto image = tree_.open();
  expect_all_the_same(*image);
  reader::VerifyOptions verify;
  verify.digests = options_.digest.has_value();
  EXPECT_TRUE(value_of(reader::verify(*image, verify)).sound());
  EXPECT_EQ(image->superblock().namespace_entries, model_.size() + 5);
}

TEST_P(MixedOptions, ManyAtOnceComeBack) {
  const auto image = tree_.open();
  std::vector<std::string> paths;
  for (const auto& [path, expected] : model_) {
    if (expected.target.empty()) paths.push_back(path);
  }
  for (auto i = paths.size() - 1; i > 0; --i) std::swap(paths[i], paths[random_.below(i + 1)]);
  std::vector<Buffer> read(paths.size());
  image->read_many(paths, [&](std::size_t index, const Result<reader::FilePiece>& piece) {
    EXPECT_TRUE(piece) << piece.error().message();
    if (!piece) return false;
    const auto& bytes = piece.value().bytes;
    read[index].insert(read[index].end(), bytes.begin(), bytes.end());
    return true;
  });
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_TRUE(read[i] == model_[paths[i]].content) << paths[i];
  }
}

TEST_P(MixedOptions, ASmallFileIsOneReadOfEach) {
  std::size_t measured = 0;
  for (const auto& [path, expected] : model_) {
    const bool is_small = !expected.content.empty() && !expected.is_sparse &&
                          expected.content.size() <= format::kFrameBytes;
    if (!is_small || !random_.one_in(8)) continue;
    SCOPED_TRACE(path);
    const auto image = tree_.open();
    static_cast<void>(image->files());  // opens the volumes, which reads their headers
    tree_.counting().reset();
    EXPECT_TRUE(value_of(contents(*image, value_of(image->lookup(path)))) == expected.content);
    EXPECT_EQ(reads(), expected.is_linked ? 3U : 2U);
    EXPECT_EQ(tree_.volume_reads(), has_index_file() ? 1U : reads());
    ++measured;
  }
  EXPECT_GT(measured, 10U);
}

TEST_P(MixedOptions, DamageIsFoundAndNeverServed) {
  const auto records = tree_.open()->volumes();
  for (int round = 0; round < 6; ++round) {
    const auto& volume = records[random_.below(records.size())];
    if (volume.data_end == format::kPageBytes) continue;
    const auto file = value_of(tree_.memory().open(tree_.volume_paths()[volume.number],
                                                   {storage::OpenOptions::Mode::kReadWrite}));
    const auto place = format::kPageBytes + random_.below(volume.data_end - format::kPageBytes);
    Buffer byte(1);
    value_of(file->read_at(place, byte));
    const auto sound = byte;
    byte[0] ^= static_cast<std::uint8_t>(1U << random_.below(8));
    expect_ok(file->write_at(place, byte));
    const auto image = tree_.open();
    const auto report = value_of(reader::verify(*image, {}));
    EXPECT_GE(report.damaged_files, 1U) << place;
    EXPECT_EQ(report.damaged_index_places, 0U);
    std::size_t refused = 0;
    for (const auto& [path, expected] : model_) {
      if (!expected.target.empty()) continue;
      const auto read = contents(*image, value_of(image->lookup(path)));
      EXPECT_TRUE(!read || read.value() == expected.content) << path << ", byte " << place;
      if (!read) ++refused;
    }
    EXPECT_GE(refused, report.damaged_files);
    expect_ok(file->write_at(place, sound));
  }
}

TEST_P(MixedOptions, ACopyOfTheIndexIsHealedByTheOther) {
  if (!has_two_copies()) return;
  const auto bytes = read_file(tree_.memory(), kImage);
  const auto header = value_of(format::decode_volume_header(Bytes(bytes).first(4096)));
  for (const bool is_trailing : {false, true}) {
    const auto path = is_trailing ? kImage : kIndex;
    const auto file = value_of(tree_.memory().open(path, {storage::OpenOptions::Mode::kReadWrite}));
    const auto begin = is_trailing ? header.index_offset : 0;
    const auto sound = read_file(tree_.memory(), path);
    for (auto i = 1 + random_.below(30); i > 0; --i) {
      const auto place = begin + random_.below(header.index_bytes);
      const auto bits = static_cast<std::uint8_t>(1 + random_.below(255));
      const std::uint8_t other = sound[static_cast<std::size_t>(place)] ^ bits;
      expect_ok(file->write_at(place, {&other, 1}));
    }
    SCOPED_TRACE(path);
    expect_all_the_same(*tree_.open());
    expect_ok(file->write_at(0, sound));
  }
}

TEST_P(MixedOptions, TheBytesDependOnNoThreadAndNoMemory) {
  std::vector<std::string> paths = tree_.volume_paths();
  if (has_index_file()) paths.emplace_back(kIndex);
  std::vector<Buffer> files;
  for (const auto& path : paths) files.push_back(read_file(tree_.memory(), path));
  for (const unsigned jobs : {1U, 5U}) {
    options_.jobs = jobs;
    options_.memory_bytes = builder::kMemoryBytesMin * jobs;
    tree_.pack(options_);
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_TRUE(read_file(tree_.memory(), paths[i]) == files[i]) << jobs << ", " << paths[i];
    }
  }
}

// The features that the trees of all seeds have together.
class MixedForms : public MixedTree {
 public:
  using MixedTree::MixedTree;

  void add_to(std::set<std::string>& forms) {
    const auto image = tree_.open();
    const auto& superblock = image->superblock();
    if (superblock.section(format::SectionKind::kDictionaries).length_bytes != 0) {
      forms.insert("dictionaries");
    }
    if (superblock.section(format::SectionKind::kDigests).length_bytes != 0) {
      forms.insert("digests");
    }
    if (image->volumes().size() > 1) forms.insert("volumes");
    if (!has_index_file()) forms.insert("no index file");
    if (!options_.trailing_index) forms.insert("no trailing index");
    if (has_two_copies()) forms.insert("two copies of the index");
    std::set<std::pair<format::VolumeNumber, std::uint64_t>> extents;
    for (const auto& [path, expected] : model_) {
      const auto node = value_of(image->lookup(path));
      if (node.fragment_offset) forms.insert("fragment frames");
      if (node.stored_bytes == 0 || node.fragment_offset || expected.is_linked) continue;
      const bool is_new = extents.emplace(node.data.volume, node.data.offset_bytes).second;
      if (!is_new) forms.insert("shared extents");
      const bool is_zstd = node.codec == format::ExtentCodec::kZstd;
      if (is_zstd && format::has_seek_table(node.size_bytes)) forms.insert("seek tables");
    }
  }
};

TEST(MixedOptionsSeeds, HaveEveryFormBetweenThem) {
  const OwnSeeds own_seeds;  // each tree its own seed, even if the run repeats one seed
  std::set<std::string> forms;
  for (auto seed = kSeedsBegin; seed < kSeedsEnd; ++seed) MixedForms(seed).add_to(forms);
  EXPECT_EQ(forms, (std::set<std::string>{"dictionaries", "digests", "fragment frames",
                                          "no index file", "no trailing index", "seek tables",
                                          "shared extents", "two copies of the index", "volumes"}));
}

}  // namespace
}  // namespace dgfs::test
