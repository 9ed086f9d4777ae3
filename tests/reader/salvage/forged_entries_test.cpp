// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage of images whose checksums are right and whose entries contradict one another.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "reader/salvage/salvage.h"
#include "tests/reader/check/index_pieces.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using namespace std::string_literals;

class SalvageForgedEntries : public ::testing::Test {
 protected:
  SalvageForgedEntries() { assembler_.incompat &= ~format::feature::kIncompatVolumes; }

  format::Entry& add_name(const std::string& path, std::uint32_t type, format::InodeNumber inode) {
    auto& name = assembler_.add(path, type);
    name.mtime = {};
    name.link_inode = inode;
    assembler_.next_inode = 1000;
    return name;
  }

  /// @param change  changes the index, which then has a single copy
  void salvage(const std::function<void(Buffer& index)>& change = {}) {
    assembler_.write(*env_, "/t", "/t.idx", true);
    auto index = read_file(*env_, "/t.idx");
    expect_ok(env_->remove("/t.idx"));
    if (change) {
      auto image = read_file(*env_, "/t");
      const auto base = image.size() - index.size() - 4096;
      change(index);
      std::copy(index.begin(), index.end(), image.begin() + static_cast<long>(base));
      expect_ok(env_->remove("/t"));
      write_file(*env_, "/t", image);
    }
    options_.jobs = 1;
    options_.lost = [this](const std::string& path, const Error& error) {
      told_[path] = error.code();
    };
    options_.lost_attribute = [this](const std::string& path, const reader::LostAttribute& lost,
                                     const Error&) { without_[path] = lost.name; };
    report_ = value_of(reader::salvage(*env_, "/t", "/saved", options_));
    saved_ = tree_below(*value_of(env_->open_directory("/saved")));
  }
  /// Damages the pieces of a kind.
  static void lose(Buffer& index, format::SectionKind kind) {
    for (const auto& piece : pieces_of(index)) {
      if (piece.kind == kind) index[piece.offset + piece.length - 1] ^= 1;
    }
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  ImageAssembler assembler_;
  reader::SalvageOptions options_;
  reader::SalvageReport report_;
  std::map<std::string, std::uint16_t> told_;
  std::map<std::string, std::string> without_;  ///< attributes that saved objects lack
  std::map<std::string, std::string> saved_;
};

TEST_F(SalvageForgedEntries, ANameOfAnotherTypeThanItsObject) {
  add_name("file", format::kTypeRegular, 7);
  add_name("pipe", format::kTypeFifo, 7);
  assembler_.add_link_record(7, 0100644, 2);
  salvage();
  EXPECT_TRUE(saved_.contains("file"));
  EXPECT_FALSE(saved_.contains("pipe"));
  EXPECT_EQ(told_["pipe"], 3221);
}

TEST_F(SalvageForgedEntries, ANameWithoutItsObject) {
  add_name("file", format::kTypeRegular, 7);
  assembler_.add_link_record(8, 0100644, 1);
  salvage();
  EXPECT_FALSE(saved_.contains("file"));
  EXPECT_EQ(told_["file"], 3220);
  // The object is saved, but its names are lost.
  EXPECT_TRUE(saved_.contains("lost+found/page-1/inode-8"));
  EXPECT_EQ(told_["lost+found/page-1/inode-8"], 3225);
}

TEST_F(SalvageForgedEntries, NamesThatAreNone) {
  assembler_.add_file("good", pattern(10, 1));
  assembler_.add("up", 0100644).key = "..\0\0x"s;
  assembler_.add("slash", 0100644).key = "/\0\0evil"s;
  salvage();
  EXPECT_EQ(saved_.size(), 1U);
  EXPECT_EQ(report_.lost_entries, 2U);
  EXPECT_EQ(told_.size(), 2U);
}

// The same in pages whose record is lost, so that the prefix of their names is unknown.
TEST_F(SalvageForgedEntries, NamesThatAreNoneInLostAndFound) {
  assembler_.entries_per_page = 1;
  assembler_.add_file("good", pattern(10, 1));
  assembler_.add("up", 0100644).key = "..\0\0x"s;
  salvage([](Buffer& index) { lose(index, format::SectionKind::kPageDirectory); });
  for (const auto& [path, content] : saved_) {
    EXPECT_TRUE(path.find("..") == std::string::npos) << path;
    EXPECT_TRUE(path.starts_with("lost+found")) << path;
  }
  EXPECT_GE(saved_.size(), 4U);
}

TEST_F(SalvageForgedEntries, ATreeThatHasALostAndFound) {
  assembler_.entries_per_page = 2;
  assembler_.pages_per_block = 1;
  assembler_.add_directory("lost+found");
  assembler_.add_file("lost+found/kept", pattern(10, 1));
  assembler_.add_file("z", pattern(10, 2));
  salvage([](Buffer& index) {
    const auto pieces = pieces_of(index);
    std::size_t block = 0;
    for (const auto& piece : pieces) {
      if (piece.kind != format::SectionKind::kPageDirectory || ++block != 2) continue;
      index[piece.offset + piece.length - 1] ^= 1;
    }
  });
  EXPECT_TRUE(saved_.contains("lost+found"));
  EXPECT_TRUE(saved_.contains("lost+found.salvage/page-1"));
  EXPECT_TRUE(std::ranges::any_of(saved_, [](const auto& item) {
    return item.first.starts_with("lost+found.salvage/page-1/") && item.first.ends_with("z");
  }));
}

TEST_F(SalvageForgedEntries, ADirectoryTwice) {
  assembler_.entries_per_page = assembler_.pages_per_block = 1;
  assembler_.add_directory("d");
  assembler_.add_directory("d");
  assembler_.add_file("d/f", pattern(10, 1));
  salvage();
  EXPECT_TRUE(saved_.contains("d/f"));
  EXPECT_EQ(saved_.size(), 2U);
}

TEST_F(SalvageForgedEntries, AFileThatIsADirectory) {
  assembler_.add_file("a", pattern(10, 1));
  assembler_.add_file("a/f", pattern(10, 2));
  salvage();
  // Either may be made first.
  EXPECT_EQ(saved_.contains("a/f") ? saved_["a/f"] : saved_["a"],
            as_text(pattern(10, saved_.contains("a/f") ? 2 : 1)));
  EXPECT_GE(report_.lost_entries, 1U);
  EXPECT_TRUE(told_.contains("a") || told_.contains("a/f"));
}

// The directory's own entry is lost, and something else has its place already.
TEST_F(SalvageForgedEntries, ADirectoryThatCannotBeMade) {
  expect_ok(env_->make_directory("/saved", 0755));
  write_file(*env_, "/saved/d", pattern(5, 1));
  for (const auto* name : {"d/e/f", "d/f", "d/g"}) assembler_.add_file(name, pattern(10, 1));
  assembler_.add_file("good", pattern(10, 2));
  salvage();
  EXPECT_TRUE(saved_.contains("good"));
  for (const auto* name : {"d", "d/e/f", "d/f", "d/g"}) EXPECT_TRUE(told_.contains(name)) << name;
  EXPECT_EQ(report_.lost_entries, 4U);
  EXPECT_TRUE(without_.empty());
  EXPECT_EQ(saved_["d"], as_text(pattern(5, 1)));
}

// The entries below are saved, so only the directory's own attributes are lost.
TEST_F(SalvageForgedEntries, ADirectoryWithoutAnEntry) {
  assembler_.add_file("d/e/f", pattern(10, 1));
  salvage();
  EXPECT_TRUE(saved_.contains("d/e/f"));
  EXPECT_TRUE(told_.empty());
  EXPECT_EQ(without_,
            (std::map<std::string, std::string>{{"d", "attributes"}, {"d/e", "attributes"}}));
  EXPECT_EQ(report_.lost_entries, 0U);
  EXPECT_EQ(report_.lost_attributes, 2U);
  EXPECT_FALSE(report_.complete());
}

// The list for an ordinary user shows what he would get.
TEST_F(SalvageForgedEntries, DevicesThatAreRefused) {
  assembler_.add("null", format::kTypeCharacterDevice | 0666).rdev = 0x103;
  assembler_.add_file("f", pattern(10, 1));
  salvage();
  std::set<std::string> kept;
  const auto listed = value_of(reader::list_salvage(
      *env_, "/t", options_,
      [&](const std::string& path, const reader::Node&) { kept.insert(path); }));
  EXPECT_EQ(kept, (std::set<std::string>{"", "f"}));
  EXPECT_EQ(listed.devices_refused, 1U);
  EXPECT_EQ(listed.devices_refused, report_.devices_refused);
  EXPECT_EQ(listed.entries, report_.entries);
}

TEST_F(SalvageForgedEntries, DevicesThatAreNotWanted) {
  assembler_.add("null", format::kTypeCharacterDevice | 0666).rdev = 0x103;
  assembler_.add_file("f", pattern(10, 1));
  options_.devices = false;
  salvage();
  EXPECT_EQ(saved_.size(), 1U);
  EXPECT_TRUE(told_.empty());
}

// More such pages than salvage keeps at once; a name of each asks for it, and then again.
TEST_F(SalvageForgedEntries, ManyObjectsOfSeveralNames) {
  constexpr format::InodeNumber kObjects = 150;
  assembler_.entries_per_page = 1;
  for (format::InodeNumber inode = 500; inode < 500 + kObjects; ++inode) {
    add_name("a" + std::to_string(inode), format::kTypeFifo, inode);
    add_name("b" + std::to_string(inode), format::kTypeFifo, inode);
    assembler_.add_link_record(inode, 0010600, 2);
  }
  salvage();
  EXPECT_EQ(saved_.size(), 2 * kObjects);
  EXPECT_TRUE(report_.complete());
}

}  // namespace
}  // namespace dgfs::test
