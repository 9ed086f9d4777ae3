// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/reader/salvage_fixture.h"

#include <algorithm>
#include <random>

#include "format/extent.h"
#include "format/key.h"
#include "format/mode.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

bool same(const Buffer& now, const Buffer& before, std::size_t base, std::size_t offset,
          std::size_t length) {
  const auto at = base + offset;
  return at + length <= now.size() && std::equal(now.begin() + static_cast<long>(at),
                                                 now.begin() + static_cast<long>(at + length),
                                                 before.begin() + static_cast<long>(at));
}

}  // namespace

void SalvageFixture::pack_with_truth(const builder::BuildOptions& options) {
  pack(options);
  records_ = records_of(index_);
  const auto image = tree_.open();
  truth_.clear();
  const auto visit = [&](std::string_view path, const reader::Node& node) {
    auto& truth = truth_[std::string(path)];
    truth.node = node;
    if (format::is_regular(node.mode)) truth.content = as_text(value_of(contents(*image, node)));
    if (format::is_symlink(node.mode)) truth.content = value_of(image->read_link(node));
    truth.needs_dictionary = needs_dictionary(node);
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

// Whether its frame is not to be opened without one.
bool SalvageFixture::needs_dictionary(const reader::Node& node) const {
  if (node.codec != format::ExtentCodec::kZstd || node.size_bytes > format::kZstdFrameBytes) {
    return false;
  }
  const auto stored = Bytes(image_).subspan(node.data.offset_bytes, node.stored_bytes);
  if (node.joint_offset) return !format::open_joint_frame(stored);
  if (node.sparse_map.present()) return false;  // one, whose class has none
  Buffer content(node.size_bytes);
  return !format::open_frame(node.codec, 0, stored, content);
}

// Whether a stretch of the index is as it was in one of the copies.
bool SalvageFixture::has(std::size_t offset, std::size_t length) const {
  return same(sidecar_, index_, 0, offset, length) ||
         (is_trailing_found() && same(trailing_, image_, trailing_base(), offset, length));
}

// By a header page, its superblock, or any page of it.
bool SalvageFixture::is_trailing_found() const {
  const auto has_kind = [&](const auto& piece) {
    const bool tells = piece.kind == SectionKind::kNone || piece.kind == SectionKind::kPages;
    return tells && same(trailing_, image_, trailing_base(), piece.offset, piece.length);
  };
  return same(trailing_, image_, 0, 0, 4096) ||
         same(trailing_, image_, 0, image_.size() - 4096, 4096) ||
         std::any_of(pieces_.begin(), pieces_.end(), has_kind);
}

bool SalvageFixture::has_all(SectionKind kind) const {
  return std::all_of(pieces_.begin(), pieces_.end(), [&](const auto& piece) {
    return piece.kind != kind || has(piece.offset, piece.length);
  });
}

bool SalvageFixture::has_page(std::size_t page) const {
  return has(4096 * (page + 1), 4096) && has_all(SectionKind::kModels);
}

bool SalvageFixture::has_contents(const SalvageTruth& truth) const {
  if (format::is_symlink(truth.node.mode)) {
    return !truth.node.long_target.present() || has_all(SectionKind::kLongTargets);
  }
  if (!format::is_regular(truth.node.mode)) return true;
  if (truth.node.sparse_map.present() && !has_all(SectionKind::kSparseMaps)) return false;
  if (truth.needs_dictionary && !has_all(SectionKind::kDictionaries)) return false;
  return (truth.node.stored_bytes == 0 || is_placed(truth.page)) &&
         same(trailing_, image_, 0, truth.node.data.offset_bytes, truth.node.stored_bytes);
}

// Without page records, places of contents follow from one page to the next.
bool SalvageFixture::is_placed(std::size_t page) const {
  if (has_all(SectionKind::kPageDirectory)) return true;
  for (std::size_t before = 0; before < page; ++before) {
    if (!has_page(before)) return false;
  }
  return true;
}

void SalvageFixture::salvage(bool partial) {
  put();
  told_.clear();
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
  saved_.clear();
  if (result) saved_ = tree_below(*value_of(memory_->open_directory("/saved")));
}

// Where the reference expects an entry.
std::string SalvageFixture::expected_path(const std::string& path,
                                          const SalvageTruth& truth) const {
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

void SalvageFixture::expect_reference(const std::string& what) {
  ASSERT_EQ(error_, "") << what;
  const bool has_records = has_all(SectionKind::kPageDirectory);
  std::set<std::string> expected;
  std::size_t missed = 0;
  for (const auto& [path, truth] : truth_) {
    if (path.empty()) continue;
    const auto there = expected_path(path, truth);
    expected.insert(there);
    const bool is_multiple = truth.node.link_count > 1 && format::is_regular(truth.node.mode);
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
      ASSERT_TRUE(report_.lost_pages != 0 || report_.lost_index_parts != 0 || told_.contains(there))
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

void SalvageFixture::damage_by_seed(unsigned seed, unsigned runs) {
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

void SalvageFixture::damage_both(const IndexPiece& piece) {
  sidecar_[piece.offset + piece.length / 2] ^= 0x55;
  trailing_[trailing_base() + piece.offset + piece.length / 2] ^= 0x55;
}

}  // namespace dgfs::test
