// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Two copies of an index heal each other piece by piece: page by page, block by block.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "format/entry/key.h"
#include "reader/check/verify.h"
#include "tests/reader/check/index_copies.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

// The answer of an image about a path, as text; "error" for an error.
std::string answer_of(const reader::Image& image, const std::string& path) {
  const auto node = image.lookup(path);
  if (!node) return "error";
  const auto& n = node.value();
  auto text = std::to_string(n.inode) + " " + std::to_string(n.mode) + " " +
              std::to_string(n.size_bytes) + " " + std::to_string(n.link_count);
  const auto xattrs = image.xattrs(n);
  if (!xattrs) return "error";
  for (const auto& xattr : xattrs.value()) {
    text += " " + xattr.name + "=" + std::string(as_text(xattr.value));
  }
  if (n.link_count > 1 && (n.mode & 0170000U) != 0040000U) {
    const auto names = image.names_of(n.inode);
    if (!names || !names.value()) return "error";
    for (const auto& name : *names.value()) {
      text += " " + std::to_string(name.directory) + ":" + name.name;
    }
  }
  if ((n.mode & 0170000U) == 0120000U) {
    const auto target = image.read_link(n);
    return target ? text + " " + target.value() : "error";
  }
  if ((n.mode & 0170000U) != 0100000U) return text;
  const auto digest = image.digest(n);
  if (!digest) return "error";
  text += " " + format::digest_text(digest.value());
  const auto content = contents(image, n);
  return content ? text + " " + std::string(as_text(content.value())) : "error";
}

class IndexHealing : public IndexCopies, public ::testing::WithParamInterface<PieceTree> {
 protected:
  void SetUp() override {
    pack(options_of(GetParam()));
    const auto image = tree_.open();
    const auto visit = [&](std::string_view path, const reader::Node& node) {
      truth_[std::string(path)] = answer_of(*image, std::string(path));
      ordinals_[std::string(path)] = node.ordinal;
      return true;
    };
    expect_ok(image->walk("", visit));
    ASSERT_GT(truth_.size(), 1000U);
  }

  Result<std::unique_ptr<const reader::Image>> open() {
    put();
    warnings_.clear();
    reader::OpenOptions options;
    options.page_cache_bytes = 0;
    options.warn = [this](const Error& error) { warnings_.push_back(error.file()); };
    return reader::Image::open(*memory_, "/t.dgfs", options);
  }

  // Pages are the same however contents are stored, so the second time some of them are enough.
  [[nodiscard]] std::vector<IndexPiece> pieces_to_damage() const {
    std::vector<IndexPiece> chosen;
    for (const auto& piece : pieces_) {
      const bool is_page = piece.kind == SectionKind::kPages;
      if (is_page && GetParam().compression && piece.offset / piece.length % 8 != 1) continue;
      chosen.push_back(piece);
    }
    return chosen;
  }

  // Expects all answers to be right, except those about `lost`, which are errors.
  void expect_all_but(const std::set<std::string>& lost, const std::string& what) {
    const auto opened = open();
    ASSERT_TRUE(opened) << what << ": " << opened.error().message();
    for (const auto& [path, answer] : truth_) {
      ASSERT_EQ(answer_of(*opened.value(), path), lost.contains(path) ? "error" : answer)
          << path << " with " << what;
    }
  }

  std::map<std::string, std::string> truth_;
  std::map<std::string, format::Ordinal> ordinals_;
  std::vector<std::string> warnings_;  // the files that they name
};

INSTANTIATE_TEST_SUITE_P(Trees, IndexHealing, ::testing::ValuesIn(kPlainAndFragmentsTree),
                         kPieceTreeNameOf);

TEST_P(IndexHealing, AnyPieceOfTheSidecarWithOneWarning) {
  for (const auto& piece : pieces_to_damage()) {
    restore();
    damage_sidecar(piece);
    expect_all_but({}, piece.name());
    // Opening does not read the page root.
    const std::size_t expected = piece.kind == SectionKind::kPageRoot ? 0 : 1;
    EXPECT_EQ(warnings_, std::vector<std::string>(expected, "/t.dgfs.idx")) << piece.name();
  }
}

TEST_P(IndexHealing, AnyPieceOfTheCopyInTheImage) {
  for (const auto& piece : pieces_to_damage()) {
    restore();
    damage_trailing(piece);
    expect_all_but({}, piece.name());
    EXPECT_TRUE(warnings_.empty()) << piece.name();
    const auto report = value_of(reader::verify(*value_of(open()), {}));
    EXPECT_GE(report.damaged_index_places + report.damaged_files, 1U) << piece.name();
  }
}

TEST_P(IndexHealing, ASidecarOfWhichEveryPageIsDamagedIsWarnedOfOnce) {
  restore();
  for (const auto& piece : pieces_) {
    if (piece.kind == SectionKind::kPages) damage_sidecar(piece);
  }
  const auto image = value_of(open());
  for (const auto& [path, answer] : truth_) EXPECT_EQ(answer_of(*image, path), answer);
  EXPECT_EQ(warnings_, std::vector<std::string>{"/t.dgfs.idx"});
  EXPECT_GT(image->counters().healed_pages, 100U);
}

// No piece is damaged in both copies, so one has what the other has lost.
TEST_P(IndexHealing, EachPieceDamagedInOneOfTheCopies) {
  for (unsigned seed = 0; seed < (GetParam().compression ? 8U : 20U); ++seed) {
    SeededEngine random(seed);
    restore();
    for (const auto& piece : pieces_) {
      if (random() % 2 == 0) {
        damage_sidecar(piece);
      } else {
        damage_trailing(piece);
      }
    }
    expect_all_but({}, "seed " + std::to_string(seed));
    EXPECT_LE(warnings_.size(), 2U) << seed;
  }
}

TEST_P(IndexHealing, APageDamagedInBothLosesItsEntriesAlone) {
  const auto records = records_of(index_);
  const auto link_ordinal = ordinals_.size();
  for (const auto& piece : pieces_to_damage()) {
    if (piece.kind != SectionKind::kPages) continue;
    restore();
    damage_sidecar(piece);
    damage_trailing(piece);
    const auto& record = records.at((piece.offset - 4096) / 4096);
    const auto in_page = [&](format::Ordinal ordinal) {
      return ordinal - record.first_ordinal < record.entry_count;
    };
    // The test also asks for all names of an object.
    const bool is_link_lost = record.first_ordinal >= link_ordinal ||
                              in_page(ordinals_.at("linked")) ||
                              in_page(ordinals_.at("other name"));
    std::set<std::string> lost;
    for (const auto& [path, ordinal] : ordinals_) {
      const bool is_link = path == "linked" || path == "other name";
      if (in_page(ordinal) || (is_link && is_link_lost)) lost.insert(path);
    }
    ASSERT_FALSE(lost.empty());
    expect_all_but(lost, piece.name());
  }
}

TEST_P(IndexHealing, ASectionDamagedInBothKeepsAnImageFromOpening) {
  for (const auto& piece : pieces_) {
    if (piece.kind == SectionKind::kPages || piece.kind == SectionKind::kPageRoot) continue;
    restore();
    damage_sidecar(piece);
    damage_trailing(piece);
    const auto opened = open();
    if (piece.is_records() || piece.kind == SectionKind::kDigests ||
        piece.kind == SectionKind::kDigestTable || piece.kind == SectionKind::kLinkNames ||
        piece.kind == SectionKind::kLinkTable) {
      EXPECT_TRUE(opened) << piece.name();
      continue;
    }
    ASSERT_FALSE(opened) << piece.name();
    EXPECT_EQ(opened.error().kind(), ErrorKind::kCorrupt) << piece.name();
  }
}

TEST_P(IndexHealing, ACutSidecarStillHelps) {
  const auto& page = *std::find_if(pieces_.begin(), pieces_.end(), [](const auto& piece) {
    return piece.kind == SectionKind::kPages;
  });
  restore();
  damage_trailing(page);
  sidecar_.resize(sidecar_.size() / 2);
  expect_all_but({}, "half a sidecar");
}

// A damaged sidecar that does not say to which image it belongs is not used.
TEST_P(IndexHealing, ASidecarOfNobodyIsNotUsed) {
  restore();
  std::fill(sidecar_.begin(), sidecar_.begin() + 4096, std::uint8_t{0});
  const auto& page = *std::find_if(pieces_.begin(), pieces_.end(), [](const auto& piece) {
    return piece.kind == SectionKind::kPages;
  });
  damage_trailing(page);
  EXPECT_FALSE(value_of(open())->lookup(""));
}

TEST_P(IndexHealing, APageThatGoesBadWhileTheImageIsOpen) {
  restore();
  const auto image = value_of(open());
  EXPECT_EQ(answer_of(*image, "linked"), truth_["linked"]);
  const auto file =
      value_of(memory_->open("/t.dgfs.idx", {.mode = storage::OpenOptions::Mode::kReadWrite}));
  for (const auto& piece : pieces_) {
    if (piece.kind != SectionKind::kPages) continue;
    expect_ok(file->write_at(piece.offset, Buffer(piece.length, 0xEE)));
  }
  for (const auto& [path, answer] : truth_) EXPECT_EQ(answer_of(*image, path), answer);
  EXPECT_EQ(warnings_, std::vector<std::string>{"/t.dgfs.idx"});
}

}  // namespace
}  // namespace dgfs::test
