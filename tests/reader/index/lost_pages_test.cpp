// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Pages of names that are lost in all copies: listings and walks continue behind them, and report
// what is missing.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "reader/extract/extract.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

constexpr const char* kTree = "/t.dgfs";
constexpr const char* kPages = "/t.dgfs.idx";
constexpr format::InodeNumber kLinked = 500;

using Names = std::vector<std::string>;

class LostPages : public ::testing::Test {
 protected:
  // With 4 entries a page: page 0 has the root, d, e and f; 1-3 d/0 to d/b; 4 e/s0 to e/s3; 5-8 the
  // files in those; 9 f/1 to f/4; 10 the link record of f/2.
  void SetUp() override {
    for (const auto* folder : {"d", "e", "f"}) assembler_.add_directory(folder);
    for (const char name : std::string("0123456789ab")) {
      assembler_.add_file(std::string("d/") + name, pattern(9, 1));
    }
    for (const char number : std::string("0123")) {
      const auto folder = std::string("e/s") + number;
      assembler_.add_directory(folder);
      for (const auto* name : {"/w", "/x", "/y", "/z"}) {
        assembler_.add_file(folder + name, pattern(9, 1));
      }
    }
    for (const auto* name : {"f/1", "f/2", "f/3", "f/4"}) {
      if (std::string(name) != "f/2") {
        assembler_.add_file(name, pattern(9, 1));
        continue;
      }
      auto& link = assembler_.add(name, format::kTypeRegular);
      link.mtime = {};
      link.link_inode = kLinked;
    }
    assembler_.add_link_record(kLinked, format::kTypeRegular | 0644, 1);
    assembler_.next_inode = kLinked + 1;
    assembler_.entries_per_page = 4;
    assembler_.write(*memory_, kTree, kPages, false);
    ASSERT_EQ(assembler_.pages().size(), 11U);
  }

  std::unique_ptr<const reader::Image> open_without(const std::set<std::size_t>& pages) {
    auto index = read_file(*memory_, kPages);
    for (const auto page : pages) index[(page + 1) * format::kPageBytes + 60] ^= 0x55;
    damaged_ = storage::make_memory_env(1);
    write_file(*damaged_, kTree, read_file(*memory_, kTree));
    write_file(*damaged_, kPages, index);
    return value_of(reader::Image::open(*damaged_, kTree));
  }

  struct Listing {
    Names names;
    Names bare;  ///< names without attributes
    std::vector<std::uint64_t> positions;
    std::vector<std::string> lost;  ///< "first+count"
    std::vector<reader::InodeNumber> directories;
    std::vector<std::string> errors;
  };
  static Listing nodes_of(const reader::Image& image, const std::string& path,
                          std::uint64_t first_position = 0) {
    Listing out;
    const auto found = image.lookup(path);
    const auto inode = value_of(found ? found : image.lost_directory(path)).inode;
    expect_ok(image.list_nodes(
        inode, first_position,
        [&](const reader::ListedName& listed, const reader::Node&) {
          out.names.emplace_back(listed.name);
          out.positions.push_back(listed.position);
          return true;
        },
        [&](const reader::LostNames& lost) {
          if (lost.name != nullptr) {
            out.bare.emplace_back(lost.name->name);
          } else {
            out.lost.push_back(std::to_string(lost.first_position) + "+" +
                               std::to_string(lost.count));
          }
          out.directories.insert(out.directories.end(), lost.directories.begin(),
                                 lost.directories.end());
          out.errors.push_back(lost.error.message());
          return true;
        }));
    return out;
  }
  static Names walked(const reader::Image& image, const std::string& path, Names* errors) {
    Names paths;
    expect_ok(image.walk(
        path,
        [&](std::string_view found, const reader::Node&) {
          paths.emplace_back(found);
          return true;
        },
        [&](const Error& error) {
          errors->push_back(error.message());
          return true;
        }));
    return paths;
  }

  ImageAssembler assembler_;
  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::MemoryEnv> damaged_;
};

TEST_F(LostPages, AListingGoesOnBehindThem) {
  const auto image = open_without({2});
  const auto listing = nodes_of(*image, "d");
  EXPECT_EQ(listing.names, (Names{"0", "1", "2", "3", "8", "9", "a", "b"}));
  EXPECT_EQ(listing.positions, (std::vector<std::uint64_t>{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(listing.lost, (Names{"4+4"}));
  EXPECT_EQ(listing.errors,
            (Names{"/t.dgfs.idx: pages, offset 12288: page checksum differs; 4 names are lost "
                   "with it"}));
  // Starts within the lost page, and behind it.
  EXPECT_EQ(nodes_of(*image, "d", 5).lost, (Names{"5+3"}));
  EXPECT_EQ(nodes_of(*image, "d", 5).names, (Names{"8", "9", "a", "b"}));
  EXPECT_TRUE(nodes_of(*image, "d", 8).lost.empty());
  // Lists names only.
  Names names;
  std::uint64_t lost_count = 0;
  expect_ok(image->list(
      value_of(image->lookup("d")).inode, 0,
      [&](const auto& listed) {
        names.emplace_back(listed.name);
        return true;
      },
      [&](const reader::LostNames& lost) {
        lost_count += lost.count;
        return true;
      }));
  EXPECT_EQ(names, listing.names);
  EXPECT_EQ(lost_count, 4U);
}

TEST_F(LostPages, AtTheBeginAndTheEndOfAListing) {
  EXPECT_EQ(nodes_of(*open_without({1}), "d").names.front(), "4");
  EXPECT_EQ(nodes_of(*open_without({3}), "d").names.back(), "7");
  const auto none = nodes_of(*open_without({1, 2, 3}), "d");
  EXPECT_TRUE(none.names.empty());
  EXPECT_EQ(none.lost, (Names{"0+4", "4+4", "8+4"}));
}

TEST_F(LostPages, WhoDoesNotAskForThemGetsTheError) {
  const auto image = open_without({2});
  const auto inode = value_of(image->lookup("d")).inode;
  std::size_t names = 0;
  const auto count = [&](const auto&) { return ++names > 0; };
  const auto listed = image->list(inode, 0, count);
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().kind(), ErrorKind::kCorrupt);
  const auto refused = image->list(inode, 0, count, [](const auto&) { return false; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(names, 8U);
}

TEST_F(LostPages, ANameWithoutItsLinkRecordIsStillAName) {
  const auto image = open_without({10});
  const auto listing = nodes_of(*image, "f");
  EXPECT_EQ(listing.names, (Names{"1", "3", "4"}));
  EXPECT_EQ(listing.bare, (Names{"2"}));
  ASSERT_EQ(listing.errors.size(), 1U);
  EXPECT_NE(listing.errors[0].find("the attributes of 'f/2' are lost"), std::string::npos);
  Names errors;
  EXPECT_EQ(walked(*image, "f", &errors), (Names{"f", "f/1", "f/3", "f/4"}));
  EXPECT_EQ(errors, listing.errors);
}

TEST_F(LostPages, LostDirectoriesTellWhereTheyAre) {
  const auto image = open_without({4});
  const auto listing = nodes_of(*image, "e");
  EXPECT_TRUE(listing.names.empty());
  Names paths;
  for (const auto inode : listing.directories) paths.push_back(value_of(image->path_of(inode)));
  EXPECT_EQ(paths, (Names{"e/s0", "e/s1", "e/s2", "e/s3"}));
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_FALSE(image->lookup(paths[i]));
    EXPECT_EQ(value_of(image->lost_directory(paths[i])).inode, listing.directories[i]);
    EXPECT_EQ(nodes_of(*image, paths[i]).names, (Names{"w", "x", "y", "z"}));
  }
  // A directory that has also lost its children cannot be found; the one behind it can.
  const auto less = open_without({4, 5});
  EXPECT_FALSE(less->path_of(listing.directories[0]));
  EXPECT_FALSE(less->lost_directory("e/s0"));
  EXPECT_EQ(value_of(less->lost_directory("e/s1")).inode, listing.directories[1]);
  EXPECT_EQ(value_of(less->lost_directory("e")).link_count, 6U);
  EXPECT_FALSE(less->lost_directory("d/0"));
  EXPECT_FALSE(less->lost_directory("no"));
}

TEST_F(LostPages, AWalkVisitsWhatIsBelowALostStart) {
  const auto image = open_without({0, 4});
  Names errors;
  EXPECT_EQ(walked(*image, "e/s1", &errors), (Names{"e/s1/w", "e/s1/x", "e/s1/y", "e/s1/z"}));
  EXPECT_EQ(errors.size(), 1U);
  errors.clear();
  EXPECT_EQ(walked(*image, "", &errors).size(), 12U + 16U + 4U);
  EXPECT_EQ(errors.size(), 2U);
  const auto visit = [](std::string_view, const reader::Node&) { return true; };
  EXPECT_FALSE(image->walk("e/s1", visit));
}

// As in a walk; directories that are lost themselves are made with access for their owner alone.
TEST_F(LostPages, ExtractionWritesWhatIsBelowALostDirectory) {
  const auto image = open_without({4});
  reader::ExtractOptions options;
  options.keep_going = true;
  Names errors;
  options.failed = [&](const std::string&, const Error& error) {
    errors.push_back(error.message());
  };
  const auto report = value_of(reader::extract(*image, *damaged_, "/out", options));
  EXPECT_EQ(errors.size(), 1U);
  EXPECT_EQ(report.failures, 1U);
  const auto out = value_of(damaged_->open_directory("/out"));
  const auto written = tree_below(*out);
  for (const auto* path : {"e/s0/w", "e/s3/z", "d/b", "f/2"}) {
    EXPECT_TRUE(written.contains(path)) << path;
  }
  EXPECT_EQ(value_of(damaged_->status("/out/e/s0")).mode & 0777U, 0700U);
  options.paths = {"e/s2"};
  ASSERT_TRUE(reader::extract(*image, *damaged_, "/some", options));
  EXPECT_EQ(tree_below(*value_of(damaged_->open_directory("/some"))).size(), 6U);
}

}  // namespace
}  // namespace dgfs::test
