// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares the query commands on an image with GNU ls, stat, find and du on the packed tree.
#include <algorithm>

#include "tests/support/skip.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class GnuQueryTest : public TreeFixture {
 protected:
  void SetUp() override {
    TreeFixture::SetUp();
    if (shell("ls --version | head -1").find("GNU") == std::string::npos ||
        shell("find --version | head -1").find("GNU") == std::string::npos) {
      DGFS_SKIP("there are no GNU coreutils and findutils to compare with");
    }
  }

  void expect_find(const std::vector<std::string>& words) {
    std::vector<std::string> rest = {"."};
    std::string command = "find .";
    for (const std::string& word : words) {
      rest.push_back(word);
      command += " '" + word + "'";
    }
    const Outcome ours = dgfs("find", rest);
    EXPECT_EQ(ours.code, 0) << command << "\n" << ours.err;
    EXPECT_EQ(sorted_lines(ours.out), sorted_lines(shell(command))) << command;
  }
};

TEST_F(GnuQueryTest, FindTestsAgree) {
  const std::vector<std::vector<std::string>> expressions = {
      {},
      {"-name", "*.c"},
      {"-name", "h*", "-type", "f"},
      {"-iname", "HELLO*"},
      {"-name", "."},
      {"-path", "./sub/*"},
      {"-ipath", "./SUB/*"},
      {"-type", "d"},
      {"-type", "l"},
      {"-type", "p"},
      {"-type", "f,l"},
      {"-type", "f", "-size", "2"},
      {"-type", "f", "-size", "+1k"},
      {"-type", "f", "-size", "-2k"},
      {"-type", "f", "-size", "600c"},
      {"-type", "f", "-size", "1M"},
      {"-type", "f", "-size", "-1M"},
      {"-mtime", "+5"},
      {"-mtime", "-5"},
      {"-mtime", "10"},
      {"-mmin", "+60"},
      {"-mmin", "-60"},
      {"-newer", "six_hundred"},
      {"-perm", "644"},
      {"-perm", "-111"},
      {"-perm", "/6000"},
      {"-perm", "/u=s,o=x"},
      {"-perm", "-u=rwx"},
      {"-empty"},
      {"-empty", "-type", "d"},
      {"-links", "2", "-type", "f"},
      {"-links", "+1", "-type", "f"},
      {"-lname", "*.txt"},
      {"-maxdepth", "1"},
      {"-maxdepth", "0"},
      {"-mindepth", "2"},
      {"-mindepth", "1", "-maxdepth", "2", "-type", "f"},
      {"!", "-type", "d"},
      {"-not", "-name", "*e*"},
      {"-name", "*.c", "-o", "-name", "*.bin"},
      {"(", "-name", "*.c", "-o", "-name", "*.bin", ")", "-size", "+100k"},
      {"-name", "sub", "-prune", "-o", "-print"},
      {"-name", "deep", "-prune", "-o", "-type", "f", "-print"},
      {"-type", "d", "-print", ",", "-type", "l", "-print"},
      {"-false", "-o", "-type", "p"},
      {"-name", "*", "-a", "-true", "-and", "-type", "f"},
      {"-nouser"},
  };
  for (const auto& words : expressions) expect_find(words);
}

TEST_F(GnuQueryTest, FindPrintfAgrees) {
  expect_find({"!", "-type", "d", "-printf", "%p|%P|%f|%h|%H|%s|%m|%M|%d|%n|%y|%l|%%\\n"});
  expect_find({"-type", "d", "-printf", "%p %m %M %u %U %g %G %y\\n"});
  expect_find({"-printf", "%f %T@ %T+ %t %TY-%Tm-%Td %TH:%TM:%TS\\n"});
  expect_find({"-printf", "%-20f|%20f|%.3f\\t\\060\\n"});
  expect_find({"-type", "l", "-printf", "%p %Y\\n"});
}

TEST_F(GnuQueryTest, FindStartsAnywhere) {
  for (const std::string start : {"sub", "sub/deep", "hello.txt", "./sub", "sub/", "link_to_dir"}) {
    EXPECT_EQ(sorted_lines(dgfs("find", {start}).out), sorted_lines(shell("find " + start)));
  }
}

TEST_F(GnuQueryTest, FindPrint0EndsWithNul) {
  const std::string ours = dgfs("find", {".", "-type", "f", "-print0"}).out;
  std::string gnu = shell("find . -type f -print0 | tr '\\0' '@'");
  std::string replaced = ours;
  std::replace(replaced.begin(), replaced.end(), '\0', '@');
  EXPECT_EQ(replaced.size(), gnu.size());
  EXPECT_EQ(std::count(replaced.begin(), replaced.end(), '@'),
            std::count(gnu.begin(), gnu.end(), '@'));
}

/// Each file system has its own sizes and link counts of directories, and its own space taken.
std::string without_directories(const std::string& listing) {
  std::string out;
  std::size_t begin = 0;
  while (begin < listing.size()) {
    const std::size_t end = std::min(listing.find('\n', begin), listing.size());
    const std::string line = listing.substr(begin, end - begin);
    if (!line.starts_with('d') && !line.starts_with("total")) out += line + "\n";
    begin = end + 1;
  }
  return out;
}

TEST_F(GnuQueryTest, LsListsTheSameNames) {
  const std::vector<std::vector<std::string>> cases = {{},
                                                       {"-a"},
                                                       {"-A"},
                                                       {"-r"},
                                                       {"-t", "sub"},
                                                       {"-rt", "sub"},
                                                       {"-R"},
                                                       {"-aR"},
                                                       {"-d"},
                                                       {"sub"},
                                                       {"sub/"},
                                                       {"sub", "empty"},
                                                       {"hello.txt", "sub", "link"},
                                                       {"link_to_dir"},
                                                       {"-d", "sub", "empty"},
                                                       {"-F"},
                                                       {"-1"},
                                                       {"-S", "sub"},
                                                       {"-AF", "sub"},
                                                       {"-1r", "sub", "hello.txt", "empty"}};
  for (const auto& words : cases) {
    std::string command = "ls";
    for (const std::string& word : words) command += " " + word;
    const Outcome ours = dgfs("ls", words);
    EXPECT_EQ(ours.out, shell(command)) << command;
    EXPECT_EQ(ours.code, 0) << ours.err;
  }
}

TEST_F(GnuQueryTest, LsLongFormatAgrees) {
  // All lines decide the width of columns, so the directories, left out below, must not be widest.
  for (const std::string options :
       {"-l", "-ln", "-lh", "-lr", "-lt", "-lS", "-l --time-style=full-iso",
        "-l --time-style=long-iso", "-l --time-style=iso", "-l --time-style=+%s", "--full-time"}) {
    std::vector<std::string> words;
    std::string rest = options;
    for (std::size_t space; (space = rest.find(' ')) != std::string::npos;) {
      words.push_back(rest.substr(0, space));
      rest = rest.substr(space + 1);
    }
    words.push_back(rest);
    const Outcome ours = dgfs("ls", words);
    EXPECT_EQ(without_directories(ours.out), without_directories(shell("ls " + options)))
        << options;
  }
}

TEST_F(GnuQueryTest, LsLongFormatOfDirectories) {
  const std::string ours = dgfs("ls", {"-ld", "sub", "empty", "sub/deep"}).out;
  EXPECT_EQ(sorted_lines(shell("ls -ld sub empty sub/deep | cut -c1-11")).size(), 3U);
  EXPECT_NE(ours.find("drwxrwxrwt 2 "), std::string::npos) << ours;
  EXPECT_NE(ours.find("drwxr-xr-x 3 "), std::string::npos) << ours;
}

TEST_F(GnuQueryTest, StatAgrees) {
  const std::string files =
      "hello.txt nothing six_hundred sub/five_thousand.c link dangling fifo suid "
      "./sub/../hello.txt";
  std::vector<std::string> operands;
  for (const std::string format : {"%n %s %a %A %f %F %h %u %U %g %G", "%N", "%y|%Y|%.3Y|%.Y",
                                   "[%10s|%-10s|%010s|%.2n]", "%t %T %B %%", "%04a %5u %8U"}) {
    operands = {"-c", format};
    std::size_t begin = 0;
    while (begin < files.size()) {
      const std::size_t end = std::min(files.find(' ', begin), files.size());
      operands.push_back(files.substr(begin, end - begin));
      begin = end + 1;
    }
    EXPECT_EQ(dgfs("stat", operands).out, shell("stat -c '" + format + "' " + files)) << format;
  }
}

TEST_F(GnuQueryTest, StatStandardFormatAgrees) {
  // Without lines 2 and 3 (blocks, device, inode), and without times other than mtime.
  const std::string cut = " | sed -n '1p;4p;6p'";
  const std::string ours = dgfs("stat", {"link"}).out;
  EXPECT_EQ(ours, dgfs("stat", {"--printf", "x", "link"}).code == 0 ? ours : "");
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < ours.size()) {
    const std::size_t end = ours.find('\n', begin);
    lines.push_back(ours.substr(begin, end - begin));
    begin = end + 1;
  }
  ASSERT_EQ(lines.size(), 8U) << ours;
  EXPECT_EQ(lines[0] + "\n" + lines[3] + "\n" + lines[5] + "\n", shell("stat link" + cut));
}

TEST_F(GnuQueryTest, DuAgreesOnFiles) {
  const std::string files = "hello.txt six_hundred sub/five_thousand.c sub/deep/large.bin";
  const std::vector<std::string> operands = {"hello.txt", "six_hundred", "sub/five_thousand.c",
                                             "sub/deep/large.bin"};
  for (const std::string options : {"-b", "-bc", "-hc --apparent-size", "-sb", "-ab"}) {
    std::vector<std::string> words;
    const std::size_t space = options.find(' ');
    words.push_back(options.substr(0, space));
    if (space != std::string::npos) words.push_back(options.substr(space + 1));
    words.insert(words.end(), operands.begin(), operands.end());
    EXPECT_EQ(dgfs("du", words).out, shell("du " + options + " " + files)) << options;
  }
}

TEST_F(GnuQueryTest, CatAgrees) {
  for (const std::string files : {"hello.txt", "hello.txt nothing six_hundred", "sparse", "link",
                                  "sub/up", "link_to_dir/deep/large.bin"}) {
    std::vector<std::string> operands;
    std::string rest = files;
    for (std::size_t space; (space = rest.find(' ')) != std::string::npos;) {
      operands.push_back(rest.substr(0, space));
      rest = rest.substr(space + 1);
    }
    operands.push_back(rest);
    EXPECT_TRUE(dgfs("cat", operands).out == shell("cat " + files)) << files;
  }
}

}  // namespace
}  // namespace dgfs::test
