// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Commands that list, on an index with pages that are lost in all copies: they list everything that
// can be listed, complain once a page about the rest, and exit with 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "format/limits.h"
#include "storage/memory/env.h"
#include "tests/support/image_assembler.h"
#include "tests/tools/tool_run.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

constexpr const char* kSound = "/sound.dgfs";
constexpr const char* kDamaged = "/t.dgfs";
constexpr format::InodeNumber kLinked = 500;

class LostPagesCommand : public ::testing::Test {
 protected:
  // With 4 entries a page: page 0 has the root, d, e and f; 1-3 d/0 to d/b; 4 e/s0 to e/s3; 5-8 the
  // files in those; 9 f/1 to f/4; 10 the link record of f/2.
  void SetUp() override {
    const auto text = [](std::string_view content) {
      const auto bytes = as_bytes(content);
      return Buffer(bytes.begin(), bytes.end());
    };
    for (const auto* folder : {"d", "e", "f"}) assembler_.add_directory(folder);
    for (const char name : std::string("0123456789ab")) {
      assembler_.add_file(std::string("d/") + name, text(std::string(1, name) + "\n"));
    }
    for (const char number : std::string("0123")) {
      const auto folder = std::string("e/s") + number;
      assembler_.add_directory(folder);
      for (const auto* name : {"/w", "/x", "/y", "/z"}) {
        assembler_.add_file(folder + name, text("content\n"));
      }
    }
    for (const auto* name : {"f/1", "f/3", "f/4"}) assembler_.add_file(name, text("content\n"));
    auto& link = assembler_.add("f/2", format::kTypeRegular);
    link.mtime = {};
    link.link_inode = kLinked;
    assembler_.add_link_record(kLinked, format::kTypeRegular | 0644, 1);
    assembler_.next_inode = kLinked + 1;
    assembler_.entries_per_page = 4;
    assembler_.write(*memory_, kSound, std::string(kSound) + ".idx", false);
    ASSERT_EQ(assembler_.pages().size(), 11U);
    lose({});
  }

  void lose(const std::set<std::size_t>& pages) {
    const std::string index_path = std::string(kDamaged) + ".idx";
    for (const std::string& path : {std::string(kDamaged), index_path}) {
      if (memory_->status(path)) {
        ASSERT_TRUE(memory_->remove(path));
      }
    }
    auto index = read_file(*memory_, std::string(kSound) + ".idx");
    for (const auto page : pages) index[(page + 1) * format::kPageBytes + 60] ^= 0x55;
    write_file(*memory_, kDamaged, read_file(*memory_, kSound));
    write_file(*memory_, index_path, index);
  }

  Outcome run(const std::vector<std::string>& arguments) {
    ToolRun tool(*memory_);
    const int code = tool.run(arguments);
    return {code, tool.out(), tool.err()};
  }
  Outcome dgfs(const std::string& command, const std::vector<std::string>& rest = {}) {
    std::vector<std::string> arguments = {command, kDamaged};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return run(arguments);
  }
  static std::string lost_page(std::size_t page) {
    return "/t.dgfs.idx: pages, offset " + std::to_string((page + 1) * format::kPageBytes) +
           ": page checksum differs; 4 names are lost with it\n";
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  ImageAssembler assembler_;
};

TEST_F(LostPagesCommand, ListsTheNamesBehind) {
  lose({2});
  const Outcome listed = dgfs("ls", {"d"});
  EXPECT_EQ(listed.code, 1);
  EXPECT_EQ(listed.out, "0\n1\n2\n3\n8\n9\na\nb\n");
  EXPECT_EQ(listed.err, "dgfs: ls: d: " + lost_page(2));
  lose({1, 3});
  const Outcome middle = dgfs("ls", {"d"});
  EXPECT_EQ(middle.out, "4\n5\n6\n7\n");
  EXPECT_EQ(middle.err, "dgfs: ls: d: " + lost_page(1) + "dgfs: ls: d: " + lost_page(3));
}

// Walks give the same, whichever way they take through the index.
TEST_F(LostPagesCommand, WalksAgree) {
  for (std::size_t page = 0; page < 11; ++page) {
    lose({page});
    const Outcome plain = dgfs("find");
    EXPECT_EQ(plain.code, 1) << page;
    EXPECT_EQ(std::count(plain.err.begin(), plain.err.end(), '\n'), 1) << plain.err;
    for (const auto& options : std::vector<std::vector<std::string>>{
             {"-maxdepth", "9"}, {"-depth"}, {"-name", "none", "-prune", "-o", "-print"}, {"."}}) {
      const Outcome other = dgfs("find", options);
      EXPECT_EQ(other.code, 1) << page << options[0];
      auto found = other.out;
      if (options[0] == ".") {
        for (std::size_t at = found.find("./"); at != found.npos; at = found.find("./", at)) {
          found.erase(at, 2);
        }
      }
      EXPECT_EQ(sorted_lines(found), sorted_lines(plain.out)) << page << options[0];
    }
    const Outcome planned = dgfs("extract", {"-k", "-n", "/none"});
    EXPECT_EQ(planned.code, 1) << page;
    EXPECT_EQ(std::count(planned.err.begin(), planned.err.end(), '\n'), 2) << planned.err;
  }
}

TEST_F(LostPagesCommand, GoesBelowALostDirectory) {
  lose({4});
  const Outcome listed = dgfs("ls", {"-R", "e"});
  EXPECT_EQ(listed.code, 1);
  EXPECT_EQ(listed.out,
            "e:\ns0\ns1\ns2\ns3\n\ne/s0:\nw\nx\ny\nz\n\ne/s1:\nw\nx\ny\nz\n\n"
            "e/s2:\nw\nx\ny\nz\n\ne/s3:\nw\nx\ny\nz\n");
  EXPECT_EQ(listed.err, "dgfs: ls: e: " + lost_page(4));
  EXPECT_EQ(dgfs("find", {"e", "-name", "w"}).out, "e/s0/w\ne/s1/w\ne/s2/w\ne/s3/w\n");
  EXPECT_EQ(dgfs("find", {"e/s1"}).out, "e/s1/w\ne/s1/x\ne/s1/y\ne/s1/z\n");
  EXPECT_EQ(dgfs("ls", {"e/s1/"}).out, "w\nx\ny\nz\n");
  EXPECT_EQ(dgfs("cat", {"e/s2/x"}).out, "content\n");
  EXPECT_EQ(dgfs("find", {"e", "-maxdepth", "1"}).out, "e\n");
  // Sums all that is left, on each level separately.
  const Outcome summed = dgfs("du", {"--inodes", "e"});
  EXPECT_EQ(summed.code, 1);
  EXPECT_EQ(summed.out, "5\te/s0\n5\te/s1\n5\te/s2\n5\te/s3\n21\te\n");
}

TEST_F(LostPagesCommand, ANameWithoutAttributesIsListed) {
  lose({10});
  const Outcome names = dgfs("ls", {"f"});
  EXPECT_EQ(names.code, 0) << names.err;
  EXPECT_EQ(names.out, "1\n2\n3\n4\n");
  const Outcome rows = dgfs("ls", {"-l", "f"});
  EXPECT_EQ(rows.code, 1);
  EXPECT_NE(rows.out.find("\n-????????? "), std::string::npos) << rows.out;
  EXPECT_NE(rows.err.find("cannot access 'f/2'"), std::string::npos) << rows.err;
  EXPECT_NE(dgfs("ls", {"--json", "f"}).out.find("{\"path\":\"f/2\",\"type\":\"file\"}\n"),
            std::string::npos);
  const Outcome found = dgfs("find", {"f", "-maxdepth", "1"});
  EXPECT_EQ(found.code, 1);
  EXPECT_EQ(found.out, "f\nf/1\nf/3\nf/4\n");
  EXPECT_NE(found.err.find("f/2"), std::string::npos);
}

TEST_F(LostPagesCommand, PatternsFitWhatIsLeft) {
  lose({2});
  const Outcome printed = dgfs("cat", {"d/*"});
  EXPECT_EQ(printed.code, 1);
  EXPECT_EQ(printed.out, "0\n1\n2\n3\n8\n9\na\nb\n");
  EXPECT_EQ(printed.err, "dgfs: cat: d/: " + lost_page(2));
  for (const auto* command : {"stat", "ls", "du", "find"}) {
    const Outcome outcome = dgfs(command, {"d/[0-9a]"});
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_NE(outcome.out.find("d/a"), std::string::npos) << command;
    EXPECT_NE(outcome.err.find(lost_page(2)), std::string::npos) << command;
  }
  const Outcome refused = dgfs("extract", {"-n", "/none", "d/*"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("nothing was extracted"), std::string::npos);
  EXPECT_EQ(dgfs("extract", {"-n", "-k", "/none", "d/*"}).code, 1);
}

TEST_F(LostPagesCommand, CompletionOffersWhatIsLeft) {
  lose({2});
  EXPECT_EQ(run({"help", "--paths", kDamaged, "d/"}).out,
            "d/0\nd/1\nd/2\nd/3\nd/8\nd/9\nd/a\nd/b\n");
}

// An entry that one side has lost is no difference, but trouble.
TEST_F(LostPagesCommand, ComparesWhatIsLeft) {
  for (const auto& pages : std::vector<std::set<std::size_t>>{{2}, {4}, {10}}) {
    lose(pages);
    const Outcome compared = run({"diff", kDamaged, kSound});
    EXPECT_EQ(compared.code, 2);
    EXPECT_EQ(compared.out, "");
    EXPECT_EQ(std::count(compared.err.begin(), compared.err.end(), '\n'), 1) << compared.err;
    EXPECT_EQ(run({"diff", kSound, kDamaged}).out, "");
  }
}

TEST_F(LostPagesCommand, ALostNameIsNotEmptiness) {
  lose({1, 2, 3});
  EXPECT_EQ(dgfs("find", {"-type", "d", "-empty"}).out, "");
}

}  // namespace
}  // namespace dgfs::test
