// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Records of pages, dictionaries and index copies that contradict each other, with all checksums
// right: the reader finds it when it opens or verifies the image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page/root.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::SectionKind;
using std::string_literals::operator""s;

struct Lie {
  const char* name;
  std::function<void(TakenImage&)> tell;
  std::uint16_t code;
};

class ForgedRecords : public ::testing::Test {
 protected:
  void SetUp() override {
    ImageAssembler assembler;
    assembler.entries_per_page = 10;
    for (int i = 10; i < 40; ++i) assembler.add_file("f" + std::to_string(i), pattern(20, 1));
    assembler.add_directory("g");
    for (format::InodeNumber inode = 1000; inode < 1002; ++inode) {
      const auto mode = format::kTypeRegular | 0644;
      auto& name = assembler.add("g/" + std::to_string(inode), format::type_of(mode));
      name.mtime = {};
      name.link_inode = inode;
      assembler.add_link_record(inode, mode, 1);
    }
    assembler.next_inode = 2000;
    assembler.tables = {format::AttributeTable(5)};
    ASSERT_TRUE(assembler.tables.front().intern({format::kTypeRegular | 0600, 1, 1}));
    assembler.write(*env_, "/sound", "", true);
    taken_ = TakenImage(read_file(*env_, "/sound"));
    const auto is_link = [](const auto& record) { return record.zone == format::kLinkZone; };
    first_link_ = static_cast<std::size_t>(
        std::find_if(taken_.records.begin(), taken_.records.end(), is_link) -
        taken_.records.begin());
    ASSERT_GE(first_link_, 3U);
    ASSERT_EQ(first_link_ + 1, taken_.records.size());
  }

  // The image's errors: that of opening it, or those that verify finds in its index.
  std::vector<std::uint16_t> findings(const Buffer& image, const Buffer& index = {}) {
    const auto env = storage::make_memory_env(1);
    write_file(*env, "/a", image);
    if (!index.empty()) write_file(*env, "/a.idx", index);
    const auto opened = reader::Image::open(*env, "/a");
    if (!opened) return {opened.error().code()};
    std::vector<std::uint16_t> codes;
    expect_ok(opened.value()->verify_index([&](const Error& error) {
      EXPECT_FALSE(error.section().empty()) << error.message();
      codes.push_back(error.code());
    }));
    return codes;
  }
  [[nodiscard]] TakenImage in_two_blocks() const {
    auto two = taken_;
    two.bodies(SectionKind::kPageDirectory) = {
        format::encode_page_block({two.records.begin(), two.records.begin() + 2}),
        format::encode_page_block({two.records.begin() + 2, two.records.end()})};
    return two;
  }
  static MutableBytes trailing_index(MutableBytes image) {
    const auto header =
        value_of(format::decode_volume_header(Bytes(image).first(format::kPageBytes)));
    return image.subspan(header.index_offset, header.index_bytes);
  }
  static format::SectionPlace page_directory_of(Bytes index) {
    return value_of(format::decode_superblock(index.first(format::kPageBytes)))
        .section(SectionKind::kPageDirectory);
  }
  // Replaces its first block by one of the same length with a right checksum and wrong contents.
  static void spoil_page_directory(MutableBytes index) {
    const auto place = page_directory_of(index);
    const auto first = index.subspan(place.offset_bytes, place.length_bytes);
    const auto block = value_of(format::open_block(place.kind, first));
    for (std::size_t at = 0; at < block.body.size(); ++at) {
      auto body = block.body;
      body[at] ^= 0xFF;
      Buffer sealed;
      format::seal_block(place.kind, body, sealed);
      if (sealed.size() != block.consumed_bytes || format::decode_page_block(body)) continue;
      std::copy(sealed.begin(), sealed.end(), first.begin());
      return;
    }
    FAIL() << "no such byte";
  }
  // The rows that a page root would have for the blocks of the page directory.
  static std::vector<format::PageRootRow> rows_of(const TakenImage& taken) {
    auto blocks = taken;
    std::vector<format::PageRootRow> rows;
    for (const auto& body : blocks.bodies(SectionKind::kPageDirectory)) {
      Buffer block;
      format::seal_block(SectionKind::kPageDirectory, body, block);
      format::PageRootRow row;
      if (!rows.empty()) {
        row.first_page = rows.back().first_page + rows.back().page_count;
        row.offset_bytes = rows.back().offset_bytes + rows.back().length_bytes;
      }
      const auto& first = taken.records[static_cast<std::size_t>(row.first_page)];
      row.zone = first.zone;
      row.bound = first.prefix + first.separator;
      row.first_ordinal = first.first_ordinal;
      row.page_count = static_cast<std::uint32_t>(value_of(format::decode_page_block(body)).size());
      row.length_bytes = static_cast<std::uint32_t>(block.size());
      rows.push_back(row);
    }
    return rows;
  }
  void expect_found(const std::vector<Lie>& lies) {
    for (const auto& lie : lies) {
      auto taken = taken_;
      lie.tell(taken);
      taken.reseal_records();
      const auto codes = findings(taken.image());
      EXPECT_NE(std::find(codes.begin(), codes.end(), lie.code), codes.end())
          << lie.name << ": " << (codes.empty() ? 0 : codes.front());
    }
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  TakenImage taken_;
  std::size_t first_link_ = 0;
};

TEST_F(ForgedRecords, TheSoundImageHasNone) {
  EXPECT_TRUE(findings(taken_.image()).empty());
  EXPECT_TRUE(findings(taken_.image(), taken_.index()).empty());
}

// F-025, F-243, F-320
TEST_F(ForgedRecords, OfZonesAndNumbers) {
  const auto links_only = [](TakenImage& taken) {
    for (auto& record : taken.records) record.zone = format::kLinkZone;
    taken.records.back().prefix = "\xff";  // behind all names
  };
  const auto two_trees = [&](TakenImage& taken) {
    for (std::size_t page = 1; page < first_link_; ++page) taken.records[page].zone = 7;
  };
  const auto move_end = [](std::uint64_t names, std::uint64_t links) {
    return [=](TakenImage& taken) {
      taken.superblock.namespace_entries += names;
      taken.superblock.link_entries += links;
    };
  };
  constexpr auto kOneLess = ~std::uint64_t{0};
  expect_found({{"links only", links_only, 3011},
                {"two trees", two_trees, 3012},
                {"no links", [&](TakenImage& t) { t.records[first_link_].zone = 7; }, 3013},
                {"a link among the names", move_end(1, kOneLess), 3012},
                {"a name among the links", move_end(kOneLess, 1), 3013},
                {"more names than entries", move_end(3, 0), 3015},
                {"more links than there are", move_end(0, 1), 3015}});
}

TEST_F(ForgedRecords, OfKeys) {
  expect_found(
      {{"a prefix of no path",
        [&](TakenImage& t) { t.records[first_link_ - 1].prefix.assign(300, '\xff'); }, 3030},
       {"a prefix with two names",
        [&](TakenImage& t) { t.records[first_link_ - 1].prefix = "z\0\0a\0"s; }, 3030},
       {"a prefix with a directory of dots",
        [&](TakenImage& t) { t.records[first_link_ - 1].prefix = "..\0"s; }, 3030},
       {"a prefix with an empty name", [](TakenImage& t) { t.records[1].prefix += '/'; }, 3030},
       {"long numbers of links", [&](TakenImage& t) { t.records[first_link_].prefix += '\x01'; },
        3032},
       {"a bound above the keys", [](TakenImage& t) { t.records[1].separator += "\xff\xff"; },
        3033},
       {"a bound below the keys before", [](TakenImage& t) { t.records[2].separator.pop_back(); },
        3034}});
}

// F-070, F-073: a page directory in two blocks.
TEST_F(ForgedRecords, OfPageRoots) {
  const auto two = in_two_blocks();
  const auto rows = rows_of(two);
  const auto findings_with = [&](TakenImage taken, const std::vector<format::PageRootRow>& told) {
    auto& body = taken.bodies(SectionKind::kPageRoot).emplace_back();
    format::encode_page_root(told, body);
    return findings(taken.image());
  };
  const auto expect_one = [&](std::uint16_t code, const TakenImage& taken,
                              const std::vector<format::PageRootRow>& told) {
    EXPECT_EQ(findings_with(taken, told), std::vector<std::uint16_t>{code});
  };
  EXPECT_TRUE(findings_with(two, rows).empty());
  expect_one(3018, two, {rows[0]});
  auto fewer = rows;
  --fewer[1].page_count;
  expect_one(3021, two, fewer);
  auto behind = two;
  behind.bodies(SectionKind::kPageDirectory).push_back(format::encode_page_block({}));
  expect_one(3018, behind, rows);
}

// Neither copy is complete: one has a block with a right checksum that is no part of a page
// directory, the other a damaged block.
TEST_F(ForgedRecords, OfOneCopyWhereTheOtherIsDamaged) {
  const auto two = in_two_blocks();
  auto image = two.image();
  auto index = two.index();
  spoil_page_directory(index);
  const auto trailing = trailing_index(image);
  trailing[page_directory_of(trailing).offset_bytes + rows_of(two)[1].offset_bytes + 30] ^= 1;
  const auto env = storage::make_memory_env(1);
  write_file(*env, "/a", image);
  write_file(*env, "/a.idx", index);
  reader::OpenOptions options;
  std::vector<std::string> warned;
  options.warn = [&](const Error& error) { warned.push_back(error.file()); };
  const auto opened = value_of(reader::Image::open(*env, "/a", options));
  EXPECT_EQ(warned, (std::vector<std::string>{"/a", "/a.idx"}));
  for (int i = 10; i < 40; ++i) EXPECT_TRUE(opened->lookup("f" + std::to_string(i)));
}

// F-111, F-114: a sound page at the place of another one.
TEST_F(ForgedRecords, OfWhichPageItIs) {
  expect_found({{"another checksum", [](TakenImage& t) { t.records[1].checksum ^= 1; }, 3040},
                {"one entry more and the next page one less",
                 [](TakenImage& t) {
                   ++t.records[0].entry_count;
                   ++t.records[1].first_ordinal;
                   --t.records[1].entry_count;
                 },
                 3040}});
}

TEST_F(ForgedRecords, OfDictionaries) {
  const auto add_twice = [](TakenImage& taken) {
    auto& tables = taken.bodies(SectionKind::kAttributeTables);
    tables.push_back(Buffer(tables.front()));
  };
  std::vector<Buffer> samples;
  for (std::uint32_t i = 0; i < 200; ++i) samples.push_back(pattern(200, i % 20));
  const auto trained = value_of(format::Model::train(9, samples, 2048));
  const auto model = [&](std::initializer_list<std::uint8_t> head) {
    return [&trained, body = Buffer(head)](TakenImage& taken) mutable {
      const auto dictionary = trained->bytes();
      if (body.size() > 2) body.insert(body.end(), dictionary.begin(), dictionary.end());
      taken.bodies(SectionKind::kModels).push_back(body);
    };
  };
  const auto model_twice = [&](TakenImage& taken) {
    model({9, 0, 1})(taken);
    model({9, 0, 1})(taken);
  };
  auto sound = taken_;
  model({9, 0, 1})(sound);
  sound.reseal_records();
  EXPECT_TRUE(findings(sound.image()).empty());
  expect_found({{"a table twice", add_twice, 3020},
                {"a model twice", model_twice, 3019},
                {"an empty model", model({9, 0, 0}), 3016},
                {"a model of no known kind", model({9, 0, 7}), 3016},
                {"a model without its kind", model({9, 0}), 2001},
                {"a model without its number", model({9}), 2001}});
}

TEST_F(ForgedRecords, OfTheSecondCopy) {
  auto other = taken_;
  ++other.superblock.next_inode;
  EXPECT_EQ(findings(taken_.image(), other.index()), std::vector<std::uint16_t>{3003});
}

}  // namespace
}  // namespace dgfs::test
