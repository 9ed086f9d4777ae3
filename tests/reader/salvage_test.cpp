// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage of images that were damaged by seed, against a plain reference: what is intact in one of
// the copies is saved, byte for byte and under its name where that is known; nothing else bears a
// name, and what is missing was told.
#include "reader/salvage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "format/key.h"
#include "tests/reader/index_copies.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

struct Truth {
  reader::Node node;
  std::string content;  // of files, and targets
  std::size_t page = 0;
  std::string key_in_page;
};

class Salvage : public IndexCopies {
 protected:
  void SetUp() override { pack_with_truth({}); }

  void pack_with_truth(const builder::BuildOptions& options) {
    pack(options);
    records_ = records_of(index_);
    const auto image = tree_.open();
    truth_.clear();
    const auto visit = [&](std::string_view path, const reader::Node& node) {
      auto& truth = truth_[std::string(path)];
      truth.node = node;
      if (is_file(node)) truth.content = as_text(value_of(contents(*image, node)));
      if (is_link(node)) truth.content = value_of(image->read_link(node));
      const auto after = std::find_if(records_.begin(), records_.end(), [&](const auto& record) {
        return record.first_ordinal > node.ordinal;
      });
      truth.page = static_cast<std::size_t>(after - records_.begin()) - 1;
      const auto key = value_of(format::key_of_path(path));
      truth.key_in_page = key.substr(records_[truth.page].prefix.size());
      return true;
    };
    expect_ok(image->walk("", visit));
  }

  static bool is_file(const reader::Node& node) { return (node.mode & 0170000U) == 0100000U; }
  static bool is_link(const reader::Node& node) { return (node.mode & 0170000U) == 0120000U; }

  // Reference: whether a stretch of the index is as it was in one of the copies.
  [[nodiscard]] bool has(std::size_t offset, std::size_t length) const {
    return same(sidecar_, index_, 0, offset, length) ||
           (is_trailing_found() && same(trailing_, image_, trailing_base(), offset, length));
  }
  // By a header page, its superblock, or any page of it.
  [[nodiscard]] bool is_trailing_found() const {
    const auto has_kind = [&](const auto& piece) {
      const bool tells = piece.kind == SectionKind::kNone || piece.kind == SectionKind::kPages;
      return tells && same(trailing_, image_, trailing_base(), piece.offset, piece.length);
    };
    return same(trailing_, image_, 0, 0, 4096) ||
           same(trailing_, image_, 0, image_.size() - 4096, 4096) ||
           std::any_of(pieces_.begin(), pieces_.end(), has_kind);
  }
  [[nodiscard]] static bool same(const Buffer& now, const Buffer& before, std::size_t base,
                                 std::size_t offset, std::size_t length) {
    const auto at = base + offset;
    return at + length <= now.size() && std::equal(now.begin() + static_cast<long>(at),
                                                   now.begin() + static_cast<long>(at + length),
                                                   before.begin() + static_cast<long>(at));
  }
  [[nodiscard]] bool has_all(SectionKind kind) const {
    return std::all_of(pieces_.begin(), pieces_.end(), [&](const auto& piece) {
      return piece.kind != kind || has(piece.offset, piece.length);
    });
  }
  [[nodiscard]] bool has_page(std::size_t page) const {
    return has(4096 * (page + 1), 4096) && has_all(SectionKind::kModels);
  }
  [[nodiscard]] bool has_contents(const Truth& truth) const {
    if (is_link(truth.node)) {
      return !truth.node.long_target.present() || has_all(SectionKind::kLongTargets);
    }
    if (!is_file(truth.node)) return true;
    if (truth.node.sparse_map.present() && !has_all(SectionKind::kSparseMaps)) return false;
    if (truth.node.codec == format::ExtentCodec::kZstd && !has_all(SectionKind::kDictionaries)) {
      return false;
    }
    return (truth.node.stored_bytes == 0 || is_placed(truth.page)) &&
           same(trailing_, image_, 0, truth.node.data.offset_bytes, truth.node.stored_bytes);
  }
  // Without page records, places of contents follow from one page to the next.
  [[nodiscard]] bool is_placed(std::size_t page) const {
    if (has_all(SectionKind::kPageDirectory)) return true;
    for (std::size_t before = 0; before < page; ++before) {
      if (!has_page(before)) return false;
    }
    return true;
  }

  void salvage(bool partial = false) {
    put();
    told_.clear();
    saved_.clear();
    reader::SalvageOptions options;
    options.jobs = 1;
    options.partial = partial;
    options.lost = [this](const std::string& path, const Error&) { told_.insert(path); };
    options.lost_range = [this](const std::string& path, const reader::LostRange& range,
                                const Error&) {
      told_.insert(path);
      ranges_[path].push_back(range);
    };
    const auto result = reader::salvage(*memory_, "/t.dgfs", "/saved", options);
    report_ = result ? result.value() : reader::SalvageReport();
    error_ = result ? "" : result.error().message();
    if (result) gather(*value_of(memory_->open_directory("/saved")), "");
  }
  void gather(const storage::Directory& directory, const std::string& path) {
    for (const auto& name : value_of(directory.list())) {
      const auto entry = path.empty() ? name : path + "/" + name;
      const auto status = value_of(directory.status(name));
      auto& content = saved_[entry];
      if ((status.mode & 0170000U) == 0040000U) {
        gather(*value_of(directory.open_directory(name)), entry);
      } else if ((status.mode & 0170000U) == 0120000U) {
        content = value_of(directory.read_link(name));
      } else {
        content.resize(status.size_bytes);
        const auto file = value_of(directory.open_file(name));
        Buffer bytes(status.size_bytes);
        if (!bytes.empty()) expect_ok(storage::read_exactly(*file, 0, bytes));
        content = as_text(bytes);
      }
    }
  }

  // Where the reference expects an entry.
  [[nodiscard]] std::string expected_path(const std::string& path, const Truth& truth) const {
    if (truth.page == 0 || has_all(SectionKind::kPageDirectory)) return path;
    std::string text;
    for (const char byte : truth.key_in_page) {
      if (byte != '\0') {
        text += byte;
      } else if (!text.empty() && text.back() != '/') {
        text += '/';
      }
    }
    return "lost+found/page-" + std::to_string(truth.page) + "/" + text;
  }

  void expect_reference(const std::string& what) {
    ASSERT_EQ(error_, "") << what;
    const bool has_records = has_all(SectionKind::kPageDirectory);
    std::set<std::string> expected;
    std::size_t missed = 0;
    for (const auto& [path, truth] : truth_) {
      if (path.empty()) continue;
      const auto there = expected_path(path, truth);
      expected.insert(there);
      const bool is_multiple = truth.node.link_count > 1 && is_file(truth.node);
      const bool has_link = !is_multiple || (has_page(records_.size() - 1) && has_records);
      const auto found = saved_.find(there);
      if (has_page(truth.page) && has_contents(truth) && has_link) {
        ASSERT_NE(found, saved_.end()) << path << " is not at " << there << " with " << what;
        ++kept_;
      }
      if (found != saved_.end()) {
        ASSERT_EQ(found->second, truth.content) << path << " with " << what;
      } else {
        ++missed;
        // Of pages whose number is lost, too, it is only told that there may have been some.
        ASSERT_TRUE(report_.lost_pages != 0 || report_.lost_index_parts != 0 ||
                    told_.contains(there))
            << path << " with " << what;
      }
    }
    for (const auto& [path, content] : saved_) {
      // Parents of what is in lost+found, and objects without names, which are whole, too.
      if (expected.contains(path) || path.starts_with("lost+found")) continue;
      ADD_FAILURE() << path << " was not in the tree, with " << what;
    }
    EXPECT_FALSE(report_.complete() && (missed != 0 || !told_.empty())) << what;
    EXPECT_LE(report_.lost_pages, records_.size()) << what;
    missed_ += missed;
  }

  // Runs of bytes are lost, in both files.
  void damage_by_seed(unsigned seed, unsigned runs) {
    std::mt19937 random(seed);
    restore();
    for (unsigned i = 0; i < runs; ++i) {
      // Half of the damage to the data, half of it to the copies of the index.
      auto* file = random() % 3 == 0 ? &sidecar_ : &trailing_;
      const auto begin = file == &trailing_ && random() % 2 == 0 ? trailing_base() : 0;
      const auto at = begin + random() % (file->size() - begin);
      const auto length = std::min<std::size_t>(1U << (random() % 14), file->size() - at);
      for (std::size_t j = 0; j < length; ++j) {
        (*file)[at + j] = seed % 2 == 0 ? 0 : static_cast<std::uint8_t>(random());
      }
    }
  }
  void damage_both(const IndexPiece& piece) {
    sidecar_[piece.offset + piece.length / 2] ^= 0x55;
    trailing_[trailing_base() + piece.offset + piece.length / 2] ^= 0x55;
  }

  std::vector<format::PageRecord> records_;
  std::map<std::string, Truth> truth_;
  std::set<std::string> told_;
  std::map<std::string, std::vector<reader::LostRange>> ranges_;
  std::map<std::string, std::string> saved_;
  reader::SalvageReport report_;
  std::string error_;
  std::size_t kept_ = 0;
  std::size_t missed_ = 0;
};

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

TEST_F(Salvage, AnyPieceOfTheIndexLostInBothCopies) {
  for (const auto& piece : pieces_) {
    restore();
    damage_both(piece);
    salvage();
    expect_reference(piece.name());
    const bool is_needed =
        piece.kind != SectionKind::kNone && piece.kind != SectionKind::kPageRoot &&
        piece.kind != SectionKind::kDirectoryTable && piece.kind != SectionKind::kInodeRuns &&
        piece.kind != SectionKind::kDigests && piece.kind != SectionKind::kDigestTable &&
        piece.kind != SectionKind::kVolumes;
    EXPECT_EQ(report_.complete(), !is_needed) << piece.name();
  }
}

TEST_F(Salvage, AnyTwoKindsOfPiecesLostInBothCopies) {
  for (const auto& first : pieces_) {
    if (first.kind == SectionKind::kPages && first.offset != 4096) continue;
    for (const auto& second : pieces_) {
      if (second.offset <= first.offset) continue;
      restore();
      damage_both(first);
      damage_both(second);
      salvage();
      expect_reference(first.name() + ", " + second.name());
    }
  }
}

// The superblocks are lost. Of one copy nothing stands at the same place as in the other, but its
// page directory names the other's page; of the other, only the page of the root is left, at a
// place that would have to be guessed.
TEST_F(Salvage, CopiesWithNothingInCommon) {
  for (const unsigned seed : {1063U, 1343U}) {
    damage_by_seed(seed, 1 + seed % 90);
    salvage();
    expect_reference("seed " + std::to_string(seed));
  }
}

TEST_F(Salvage, DamageAtRandom) {
  for (unsigned seed = 0; seed < 300; ++seed) {
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
  // Nor a superblock: the pages are found by themselves.
  std::fill_n(trailing_.begin() + static_cast<long>(trailing_base()), 4096, std::uint8_t{0});
  sidecar_.clear();
  salvage();
  ASSERT_EQ(error_, "");
  EXPECT_EQ(saved_.size(), truth_.size() - 1);
  EXPECT_TRUE(report_.complete());
}

TEST_F(Salvage, CutImages) {
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

TEST_F(Salvage, AnIndexOfAnotherImageIsRefused) {
  PackedTree other;
  other.file("other", "content");
  other.pack();
  sidecar_ = read_file(other.memory(), kIndex);
  salvage();
  EXPECT_NE(error_.find("the index of another image"), std::string::npos) << error_;
  // Without its superblock nothing says so, but its pages are not those of the image.
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

class SalvageCompressed : public Salvage {
 protected:
  void SetUp() override {
    builder::BuildOptions options;
    options.compression = builder::Compression{3};
    pack_with_truth(options);
  }
};

TEST_F(SalvageCompressed, DamageAtRandom) {
  for (unsigned seed = 100; seed < 130; ++seed) {
    damage_by_seed(seed, seed - 99);
    salvage();
    if (!error_.empty()) continue;
    expect_reference("seed " + std::to_string(seed));
  }
  EXPECT_GT(kept_, 1000U);
}

}  // namespace
}  // namespace dgfs::test
