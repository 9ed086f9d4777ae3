// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/reader/salvage/fixture.h"

#include <algorithm>

#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "tests/support/random.h"

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
  take_truth();
}

void SalvageFixture::take_truth() {
  take();
  records_ = records_of(index_);
  record_blocks_.clear();
  for (const auto& piece : pieces_) {
    if (piece.kind != SectionKind::kPageDirectory) continue;
    const auto block =
        value_of(format::open_block(piece.kind, Bytes(index_).subspan(piece.offset, piece.length)));
    const auto pages = value_of(format::decode_page_block(block.body)).size();
    record_blocks_.insert(record_blocks_.end(), pages, piece);
  }
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
    if (node.link_count > 1 && !format::is_directory(node.mode)) {
      truth.link_page = page_of_link(node.inode);
    }
    truth.index_in_page = node.ordinal - records_[truth.page].first_ordinal;
    const auto key = value_of(format::key_of_path(path));
    truth.key_in_page = key.substr(records_[truth.page].prefix.size());
    return true;
  };
  expect_ok(image->walk("", visit));
}

std::size_t SalvageFixture::page_of_link(format::InodeNumber inode) const {
  std::size_t found = 0;
  for (std::size_t page = 0; page < records_.size(); ++page) {
    const auto& record = records_[page];
    const bool is_before = record.prefix + record.separator <= format::link_key(inode);
    if (record.zone == format::kLinkZone && (found == 0 || is_before)) found = page;
  }
  return found;
}

// Whether its frame cannot be opened without a dictionary.
bool SalvageFixture::needs_dictionary(const reader::Node& node) const {
  if (node.codec != format::ExtentCodec::kZstd || node.size_bytes > format::kZstdFrameBytes) {
    return false;
  }
  if (std::ranges::none_of(
          pieces_, [](const auto& piece) { return piece.kind == SectionKind::kDictionaries; })) {
    return false;
  }
  const auto stored = Bytes(image_).subspan(node.data.offset_bytes, node.stored_bytes);
  if (node.fragment_offset) return !format::open_fragment_frame(stored);
  if (node.sparse_map.present()) return false;  // its class has no dictionary
  Buffer content(node.size_bytes);
  return !format::open_frame(node.codec, 0, stored, content);
}

// Whether a range of the index is intact in one of the copies.
bool SalvageFixture::has(std::size_t offset, std::size_t length) const {
  return same(sidecar_, index_, 0, offset, length) ||
         (is_trailing_found() && same(trailing_, image_, trailing_base(), offset, length));
}

// A header page, the superblock, or any page of the copy leads to it.
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
  if (truth.node.stored_bytes == 0) return true;
  // For a file with several names, the link record has the address.
  if (!truth.link_page && !is_placed(truth.page)) return false;
  return truth.node.data.volume != 0 ||
         same(trailing_, image_, 0, truth.node.data.offset_bytes, truth.node.stored_bytes);
}

bool SalvageFixture::has_record(std::size_t page) const {
  return has(record_blocks_[page].offset, record_blocks_[page].length);
}

// Without its record, the place of a page's contents follows from the page before, or from the page
// behind and its own length; with several volumes from neither.
bool SalvageFixture::is_placed(std::size_t page) const {
  if (has_record(page)) return true;
  if (!volumes_.empty()) return false;
  for (std::size_t before = page;; --before) {
    if (before == 0 || has_record(before)) return true;
    if (!has_page(before - 1)) break;
  }
  for (std::size_t behind = page; has_page(behind) && behind + 1 < records_.size(); ++behind) {
    if (has_record(behind + 1)) return true;
  }
  return false;
}

void SalvageFixture::salvage(bool partial) {
  put();
  told_.clear();
  without_attributes_.clear();
  reader::SalvageOptions options;
  options.jobs = 1;
  options.partial = partial;
  for (const auto& [path, bytes] : volumes_) options.open.volume_paths.push_back(path);
  options.lost = [this](const std::string& path, const Error&) { told_.insert(path); };
  options.lost_attribute = [this](const std::string& path, const reader::LostAttribute&,
                                  const Error&) {
    told_.insert(path);
    without_attributes_.insert(path);
  };
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

// The path at which the reference expects an entry.
std::string SalvageFixture::expected_path(const std::string& path,
                                          const SalvageTruth& truth) const {
  const bool is_first_named = truth.page == 0 && is_placed(0);
  if (is_first_named || has_record(truth.page)) return path;
  std::string text;
  for (const char byte : truth.key_in_page) {
    if (byte != '\0') {
      text += byte;
    } else if (!text.empty() && text.back() != '/') {
      text += '/';
    }
  }
  if (text.empty()) text = "entry-" + std::to_string(truth.index_in_page);
  return "lost+found/page-" + std::to_string(truth.page) + "/" + text;
}

// Without a superblock in either copy the number of a page is not known, if its record is lost too.
// Then the entry may stand under the number of another page.
std::map<std::string, std::string>::const_iterator SalvageFixture::find_unnumbered(
    const std::string& path, const std::string& content) const {
  const std::string begin = "lost+found/page-";
  if (!path.starts_with(begin)) return saved_.end();
  const auto below_page = path.substr(path.find('/', begin.size()));
  return std::find_if(saved_.begin(), saved_.end(), [&](const auto& saved) {
    const auto slash = saved.first.find('/', begin.size());
    return saved.second == content && saved.first.starts_with(begin) &&
           slash != std::string::npos && std::string_view(saved.first).substr(slash) == below_page;
  });
}

void SalvageFixture::expect_reference(const std::string& what) {
  ASSERT_EQ(error_, "") << what;
  std::set<std::string> expected;
  std::size_t missed = 0;
  for (const auto& [path, truth] : truth_) {
    if (path.empty()) continue;
    const auto there = expected_path(path, truth);
    expected.insert(there);
    const bool has_link =
        !truth.link_page || (has_page(*truth.link_page) && has_record(*truth.link_page));
    auto found = std::as_const(saved_).find(there);
    if (found == saved_.end() && !has(0, format::kPageBytes)) {
      found = find_unnumbered(there, truth.content);
    }
    if (has_page(truth.page) && has_contents(truth) && has_link) {
      ASSERT_NE(found, saved_.end()) << path << " was not saved at " << there << " with " << what;
      ++kept_;
    }
    if (found != saved_.end()) {
      ASSERT_EQ(found->second, truth.content) << path << " with " << what;
    } else {
      ++missed;
      // If even the number of a page is lost, the report only says that there may be lost entries.
      ASSERT_TRUE(report_.lost_pages != 0 || report_.lost_index_parts != 0 || told_.contains(there))
          << path << " with " << what;
    }
  }
  for (const auto& [path, content] : saved_) {
    // Parents of saved entries, and objects without names, which are complete, too.
    if (expected.contains(path) || path.starts_with("lost+found")) continue;
    const auto below = saved_.upper_bound(path + "/");
    if (below != saved_.end() && below->first.starts_with(path + "/")) continue;
    ADD_FAILURE() << path << " was not in the tree, with " << what;
  }
  for (const auto& path : without_attributes_) {
    EXPECT_TRUE(path.empty() || saved_.contains(path)) << path << " with " << what;
  }
  EXPECT_FALSE(report_.complete() && (missed != 0 || !told_.empty())) << what;
  EXPECT_LE(report_.lost_pages, records_.size()) << what;
  missed_ += missed;
}

void SalvageFixture::expect_nothing_wrong(const std::string& what) {
  std::set<std::string> contents;
  for (const auto& [path, truth] : truth_) contents.insert(truth.content);
  for (const auto& [path, content] : saved_) {
    if (path.starts_with("lost+found")) {
      ASSERT_TRUE(contents.contains(content)) << path << " with " << what;
      continue;
    }
    const auto found = truth_.find(path);
    ASSERT_NE(found, truth_.end()) << path << " with " << what;
    ASSERT_EQ(content, found->second.content) << path << " with " << what;
  }
  EXPECT_TRUE(saved_.size() + 1 >= truth_.size() || !report_.complete()) << what;
}

void SalvageFixture::damage_by_seed(unsigned seed, unsigned runs) {
  SeededEngine random(seed);
  restore();
  for (unsigned i = 0; i < runs; ++i) {
    // Half of the damage hits the data, half the copies of the index.
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
