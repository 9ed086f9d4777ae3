// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage where the page directory has several blocks, some of which are lost: salvage finds the
// entries of their pages with the help of neighbouring pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/reader/salvage/fixture.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

constexpr std::size_t kPagesPerBlock = 3;

/// Many small pages, with contents in one volume or in two alternating ones.
class SalvagePages : public SalvageFixture, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    ImageAssembler assembler;
    assembler.entries_per_page = 5;
    assembler.pages_per_block = kPagesPerBlock;
    add_tree(assembler);
    if (GetParam()) {
      assembler.volume_of_page = [](std::size_t page) {
        return static_cast<format::VolumeNumber>(page % 2);
      };
      assembler.more_volumes = {{1, "/out/one"}};
    } else {
      assembler.incompat &= ~format::feature::kIncompatVolumes;
    }
    assembler.write(tree_.memory(), kImage, kIndex, true);
    if (GetParam()) volumes_["/one"] = read_file(tree_.memory(), "/out/one");
    take_truth();
  }

  static void add_tree(ImageAssembler& assembler) {
    for (unsigned d = 0; d < 6; ++d) {
      const auto directory = "directory " + std::to_string(d);
      assembler.add_directory(directory);
      for (unsigned f = 0; f < 15; ++f) {
        const auto seed = d * 100 + f;
        const auto codec = f % 3 == 0 ? format::ExtentCodec::kZstd : format::ExtentCodec::kRaw;
        assembler.add_file(directory + "/" + std::to_string(f), pattern(seed % 90, seed), codec);
      }
    }
    for (format::InodeNumber inode = 1000; inode < 1012; ++inode) {
      for (const auto* path : {"directory 0/name ", "directory 3/other name "}) {
        auto& name = assembler.add(path + std::to_string(inode), 0100000);
        name.mtime = {};
        name.link_inode = inode;
      }
      assembler.add_link_record(inode, 0100640, 2);  // for empty files
    }
    assembler.next_inode = 2000;
  }

  // Leaves neither a header page nor a superblock, and no separate index.
  void leave_pages_alone() {
    sidecar_.clear();
    std::fill_n(trailing_.begin(), 4096, std::uint8_t{0});
    std::fill_n(trailing_.begin() + static_cast<long>(trailing_base()), 4096, std::uint8_t{0});
    std::fill(trailing_.end() - 4096, trailing_.end(), std::uint8_t{0});
  }
};
INSTANTIATE_TEST_SUITE_P(Volumes, SalvagePages, ::testing::Bool(),
                         [](const auto& tree) { return tree.param ? "Two" : "One"; });

TEST_P(SalvagePages, AreAllThere) {
  EXPECT_GT(records_.size(), 20U);
  EXPECT_GT(std::ranges::count(records_, format::kLinkZone, &format::PageRecord::zone), 2);
  salvage();
  expect_reference("no damage");
  EXPECT_TRUE(report_.complete());
  EXPECT_EQ(saved_.size(), truth_.size() - 1);
}

// Tries every third page; runs of bytes below lose two neighbours.
TEST_P(SalvagePages, WithoutAnyTwoPiecesOfTheIndex) {
  for (std::size_t first = 0; first < pieces_.size(); ++first) {
    if (pieces_[first].kind == SectionKind::kPages && first % 3 != 0) continue;
    for (std::size_t second = first + 1; second < pieces_.size(); ++second) {
      if (pieces_[second].kind == SectionKind::kPages) continue;
      restore();
      damage_both(pieces_[first]);
      damage_both(pieces_[second]);
      salvage();
      expect_reference(pieces_[first].name() + ", " + pieces_[second].name());
    }
  }
}

// Loses the records of a run of pages, and all pages of the next run; their numbers are then
// unknown.
TEST_P(SalvagePages, WithRecordsOfPagesOfUnknownNumber) {
  std::size_t block = 0;
  for (const auto& piece : pieces_) {
    const auto page = piece.offset / 4096 - 1;
    const bool is_lost = piece.kind == SectionKind::kPageDirectory
                             ? block++ == 1
                             : piece.kind == SectionKind::kPages && page / kPagesPerBlock == 2;
    if (is_lost) damage_both(piece);
  }
  salvage();
  expect_reference("a run of pages lost");
  EXPECT_EQ(report_.lost_pages, kPagesPerBlock);
}

TEST_P(SalvagePages, WithDamageAtRandom) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    damage_by_seed(seed, 1 + seed % 20);
    salvage();
    if (!error_.empty()) continue;  // no page was left
    expect_reference("seed " + std::to_string(seed));
  }
  EXPECT_GT(kept_, 500U);
  EXPECT_GT(missed_, 500U);
}

// The numbers of pages are then a guess.
TEST_P(SalvagePages, ByThemselvesWithDamageAtRandom) {
  std::size_t saved = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    damage_by_seed(seed, 1 + seed % 20);
    leave_pages_alone();
    salvage(seed % 2 == 0);
    if (seed % 2 == 0 && report_.partial_files != 0) continue;  // holes could belong to any file
    if (error_.empty()) expect_nothing_wrong("seed " + std::to_string(seed));
    saved += saved_.size();
  }
  EXPECT_GT(saved, 3000U);
}

}  // namespace
}  // namespace dgfs::test
