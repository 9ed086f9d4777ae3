// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage of images with random damage, compared with a plain reference: everything intact in one
// of the copies is saved, byte for byte, and under its name if that is known. No other file gets a
// name, and missing files are reported.
#include "reader/salvage/salvage.h"
#include "reader/extract/extract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "format/content/extent.h"
#include "tests/reader/salvage/fixture.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

class Salvage : public SalvageFixture {
 protected:
  void SetUp() override { pack_with_truth({}); }
};

/// Runs once for each way to store contents.
class SalvageStored : public SalvageFixture, public ::testing::WithParamInterface<PieceTree> {
 protected:
  void SetUp() override { pack_with_truth(options_of(GetParam())); }

  [[nodiscard]] std::size_t count_if(const std::function<bool(const SalvageTruth&)>& test) const {
    return static_cast<std::size_t>(std::count_if(
        truth_.begin(), truth_.end(), [&](const auto& entry) { return test(entry.second); }));
  }
};
INSTANTIATE_TEST_SUITE_P(Trees, SalvageStored, ::testing::ValuesIn(kPieceTrees), kPieceTreeNameOf);

// Other tests rely on this: the tree has each form of contents.
TEST_P(SalvageStored, TheTreeHasWhatItIsNamedFor) {
  const auto& compression = GetParam().compression;
  const auto superblock = tree_.open()->superblock();
  EXPECT_EQ((superblock.incompat & format::feature::kIncompatZstdExtents) != 0,
            compression.has_value());
  EXPECT_EQ((superblock.incompat & format::feature::kIncompatFragmentFrames) != 0,
            compression && compression->fragment_frame_bytes != 0);
  EXPECT_EQ(superblock.section(SectionKind::kDictionaries).length_bytes != 0,
            compression.has_value());
  if (!compression) return;
  EXPECT_GT(count_if([](const auto& truth) { return truth.needs_dictionary; }), 50U);
  EXPECT_EQ(truth_["frames"].node.data, truth_["texts/frames too"].node.data);
  EXPECT_EQ(truth_["frames"].node.codec, format::ExtentCodec::kZstd);
  EXPECT_TRUE(format::has_seek_table(truth_["frames"].node.size_bytes));
  EXPECT_EQ(
      count_if([](const auto& truth) { return truth.node.fragment_offset.has_value(); }) > 100,
      compression->fragment_frame_bytes != 0);
}

TEST_F(Salvage, ASoundImageIsSavedWhole) {
  salvage();
  expect_reference("no damage");
  EXPECT_TRUE(report_.complete());
  EXPECT_EQ(report_.entries, truth_.size());
  EXPECT_EQ(saved_.size(), truth_.size() - 1);
  EXPECT_TRUE(told_.empty());
  const auto saved = value_of(memory_->open_directory("/saved"));
  const auto linked = value_of(saved->status("linked"));
  EXPECT_EQ(linked.link_count, 2U);
  EXPECT_EQ(linked.mode, truth_["linked"].node.mode);
  EXPECT_EQ(linked.modify_time, truth_["linked"].node.mtime);
  EXPECT_EQ(value_of(saved->xattrs("linked")).size(), 1U);
}

TEST_P(SalvageStored, AnyPieceOfTheIndexLostInBothCopies) {
  for (const auto& piece : pieces_) {
    restore();
    damage_both(piece);
    salvage();
    expect_reference(piece.name());
    const bool is_needed =
        piece.kind != SectionKind::kNone && piece.kind != SectionKind::kPageRoot &&
        piece.kind != SectionKind::kDirectoryTable && piece.kind != SectionKind::kInodeRuns &&
        piece.kind != SectionKind::kDigests && piece.kind != SectionKind::kDigestTable &&
        piece.kind != SectionKind::kLinkNames && piece.kind != SectionKind::kLinkTable &&
        piece.kind != SectionKind::kVolumes;
    EXPECT_EQ(report_.complete(), !is_needed) << piece.name();
  }
}

TEST_P(SalvageStored, AnyTwoKindsOfPiecesLostInBothCopies) {
  for (const auto& first : pieces_) {
    if (first.kind == SectionKind::kPages && first.offset != 4096) continue;
    for (const auto& second : pieces_) {
      if (second.offset <= first.offset) continue;
      // Only the dictionaries differ in an index of compressed contents.
      const bool is_new =
          first.kind == SectionKind::kDictionaries || second.kind == SectionKind::kDictionaries;
      if (GetParam().compression && !is_new) continue;
      restore();
      damage_both(first);
      damage_both(second);
      salvage();
      expect_reference(first.name() + ", " + second.name());
    }
  }
}

TEST_P(SalvageStored, WithoutDictionariesAllElseIsSaved) {
  for (const auto& piece : pieces_) {
    if (piece.kind == SectionKind::kDictionaries) damage_both(piece);
  }
  salvage();
  expect_reference("no dictionaries");
  EXPECT_EQ(report_.lost_entries,
            count_if([](const auto& truth) { return truth.needs_dictionary; }));
  EXPECT_EQ(report_.lost_entries, missed_);
}

// Files that have lost their xattrs are saved without them, and complete otherwise: by salvage,
// which reports the same when it only lists, and by an extraction that keeps going.
TEST_F(Salvage, WithoutXattrsAllContentsAreSaved) {
  for (const auto& piece : pieces_) {
    if (piece.kind != SectionKind::kXattrs) continue;
    for (std::size_t at = piece.offset; at < piece.offset + piece.length; ++at) {
      sidecar_[at] ^= 0x55;
      trailing_[trailing_base() + at] ^= 0x55;
    }
  }
  salvage();
  expect_reference("no xattrs");
  EXPECT_EQ(saved_.size(), truth_.size() - 1);
  EXPECT_EQ(report_.lost_entries, 0U);
  EXPECT_EQ(report_.lost_attributes, without_attributes_.size());
  // Each object is reported once, under the name that was made first.
  EXPECT_EQ(without_attributes_.size(), 2U);
  EXPECT_TRUE(without_attributes_.contains("long"));
  EXPECT_TRUE(without_attributes_.contains("linked") || without_attributes_.contains("other name"))
      << ::testing::PrintToString(without_attributes_);
  EXPECT_EQ(report_.entries, truth_.size());

  std::set<std::string> listed;
  reader::SalvageOptions options;
  options.lost_attribute = [&](const std::string& path, const reader::LostAttribute& attribute,
                               const Error&) {
    EXPECT_EQ(attribute.name, "xattrs");
    listed.insert(path);
  };
  const auto report =
      value_of(reader::list_salvage(*memory_, "/t.dgfs", options, [](const auto&, const auto&) {}));
  EXPECT_EQ(report.lost_entries, 0U);
  EXPECT_TRUE(std::ranges::includes(listed, without_attributes_));

  reader::ExtractOptions going_on;
  going_on.keep_going = true;
  const auto image = value_of(reader::Image::open(*memory_, "/t.dgfs"));
  const auto extracted = value_of(reader::extract(*image, *memory_, "/extracted", going_on));
  EXPECT_EQ(extracted.failures, 0U);
  EXPECT_EQ(extracted.lost_attributes, report_.lost_attributes);
  EXPECT_EQ(tree_below(*value_of(memory_->open_directory("/extracted"))), saved_);
}

// The superblocks are lost. In one copy no page survives at a place where the other copy has one,
// but its page directory describes the other copy's page. In the other copy only the root's page is
// left, at a place that salvage would have to guess.
TEST_F(Salvage, CopiesWithNothingInCommon) {
  for (const unsigned seed : {1063U, 1343U}) {
    damage_by_seed(seed, 1 + seed % 90);
    salvage();
    expect_reference("seed " + std::to_string(seed));
  }
}

TEST_P(SalvageStored, DamageAtRandom) {
  const unsigned seeds = GetParam().compression ? 90 : 300;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    damage_by_seed(seed, 1 + seed % 90);
    salvage();
    if (!error_.empty()) continue;  // no page was left
    expect_reference("seed " + std::to_string(seed));
  }
  EXPECT_GT(kept_, 10'000U);
  EXPECT_GT(missed_, 1000U);
}

TEST_F(Salvage, WithoutAHeaderPage) {
  std::fill(trailing_.begin(), trailing_.begin() + 4096, std::uint8_t{0});
  std::fill(trailing_.end() - 4096, trailing_.end(), std::uint8_t{0});
  salvage();
  expect_reference("no header");
  EXPECT_TRUE(report_.complete());
  sidecar_.clear();
  salvage();
  expect_reference("no header, no sidecar");
  EXPECT_TRUE(report_.complete());
  // Without a superblock, too, salvage finds the pages by themselves.
  std::fill_n(trailing_.begin() + static_cast<long>(trailing_base()), 4096, std::uint8_t{0});
  sidecar_.clear();
  salvage();
  ASSERT_EQ(error_, "");
  EXPECT_EQ(saved_.size(), truth_.size() - 1);
  EXPECT_TRUE(report_.complete());
}

TEST_P(SalvageStored, CutImages) {
  for (const bool with_sidecar : {true, false}) {
    for (std::size_t length = 4096; length < image_.size(); length += image_.size() / 23) {
      restore();
      if (!with_sidecar) sidecar_.clear();
      trailing_.resize(length);
      salvage();
      if (!with_sidecar && length < trailing_base() + 8192) {
        EXPECT_NE(error_, "") << length;
      } else {
        expect_reference("cut to " + std::to_string(length));
      }
    }
  }
}

TEST_F(Salvage, AFileThatHasLostAPart) {
  const auto& truth = truth_["large"];
  ASSERT_EQ(truth.node.size_bytes, 200'000U);
  trailing_[truth.node.data.offset_bytes + 65'544 + 100] ^= 1;
  salvage();
  EXPECT_FALSE(saved_.contains("large"));
  ASSERT_EQ(ranges_["large"].size(), 1U);
  EXPECT_EQ(ranges_["large"][0].begin, 65'536U);
  EXPECT_EQ(ranges_["large"][0].end, 131'072U);
  EXPECT_EQ(report_.lost_entries, 1U);
  salvage(true);
  EXPECT_EQ(report_.partial_files, 1U);
  EXPECT_EQ(report_.lost_entries, 0U);
  EXPECT_FALSE(report_.complete());
  auto expected = truth.content;
  std::fill_n(expected.begin() + 65'536, 65'536, '\0');
  EXPECT_EQ(saved_["large"], expected);
}

TEST_F(Salvage, ListsWhatItWouldSave) {
  trailing_[truth_["large"].node.data.offset_bytes + 100] ^= 1;
  salvage();
  std::set<std::string> kept;
  const auto report = value_of(reader::list_salvage(
      *memory_, "/t.dgfs", {}, [&](const std::string& path, const reader::Node&) {
        if (!path.empty()) kept.insert(path);
      }));
  std::set<std::string> saved;
  for (const auto& [path, content] : saved_) saved.insert(path);
  EXPECT_EQ(kept, saved);
  EXPECT_EQ(report.entries, report_.entries);
  EXPECT_EQ(report.lost_entries, 1U);
}

TEST_F(Salvage, AnIndexOfAnotherImageIsLeftAloneOrRefusedWhereItIsNamed) {
  PackedTree other;
  other.file("other", "content");
  other.pack();
  sidecar_ = read_file(other.memory(), kIndex);
  salvage();
  EXPECT_EQ(error_, "");
  const auto foreign = std::exchange(sidecar_, Buffer());
  expect_reference("a foreign sidecar");
  EXPECT_TRUE(report_.complete());
  sidecar_ = foreign;
  put();
  reader::SalvageOptions options;
  options.open.index_path = "/t.dgfs.idx";
  const auto refused = reader::list_salvage(*memory_, "/t.dgfs", options, [](auto&&...) {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("the index of another image"), std::string::npos);
  // Without its superblock the sidecar does not say so, but its pages are not those of the image.
  std::fill_n(sidecar_.begin(), 4096, std::uint8_t{0});
  salvage();
  sidecar_.clear();
  expect_reference("a strange sidecar");
  EXPECT_TRUE(report_.complete());
}

TEST_F(Salvage, NothingOfAnIndex) {
  sidecar_.clear();
  std::fill(trailing_.begin() + static_cast<long>(trailing_base()), trailing_.end(),
            std::uint8_t{0});
  salvage();
  EXPECT_NE(error_.find("no page of an index is left"), std::string::npos) << error_;
}

}  // namespace
}  // namespace dgfs::test
