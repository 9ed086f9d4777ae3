// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// cat, info, verify, diff and extract.
#include <new>

#include "tests/support/hook_env.h"
#include "tests/support/refusing_env.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class ReadCommandTest : public TreeFixture {
 protected:
  /// Changes one byte in the middle of the content of sub/deep/large.bin.
  void damage_large_file() {
    auto file = env_->open(image_, {.mode = storage::OpenOptions::Mode::kReadWrite});
    ASSERT_TRUE(file);
    Buffer bytes(file.value()->size().value());
    ASSERT_TRUE(storage::read_exactly(*file.value(), 0, bytes));
    const std::string run(1000, 'z');
    const std::size_t at = as_text(bytes).find(run);
    ASSERT_NE(at, std::string_view::npos);
    ASSERT_TRUE(file.value()->write_at(at + 500, as_bytes("!")));
  }
};

TEST_F(ReadCommandTest, CatGoesOnAfterFailures) {
  const Outcome outcome = dgfs("cat", {"missing", "hello.txt", "sub", "fifo", "dangling"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "hello");
  EXPECT_EQ(outcome.err,
            "dgfs: cat: missing: No such file or directory\n"
            "dgfs: cat: sub: Is a directory\n"
            "dgfs: cat: fifo: Not a regular file; it has no contents\n"
            "dgfs: cat: dangling: No such file or directory\n");
}

TEST_F(ReadCommandTest, CatStopsWhenNobodyReads) {
  const Outcome outcome = dgfs("cat", {"sparse"}, {.out_errno = EPIPE});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "dgfs: write error: Broken pipe\n");
}

TEST_F(ReadCommandTest, CatNeverPrintsDamage) {
  damage_large_file();
  const Outcome outcome = dgfs("cat", {"sub/deep/large.bin"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out.find('!'), std::string::npos);
  EXPECT_NE(outcome.err.find("sub/deep/large.bin: "), std::string::npos) << outcome.err;
}

TEST_F(ReadCommandTest, InfoTellsTheTotals) {
  const Outcome outcome = dgfs("info");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const std::string& text :
       {image_, std::string("uuid "), std::string("format     1.0"), std::string("6 directories"),
        std::string("6 symlinks"), std::string("1 object with several names")}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << " is not in\n" << outcome.out;
  }
}

/// The sum of the numbers in `text` that follow `before`.
double sum_behind(const std::string& text, const std::string& before) {
  double sum = 0;
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    sum += std::stod(text.substr(at + before.size()));
  }
  return sum;
}

TEST_F(ReadCommandTest, InfoSplitsTheIndex) {
  const std::string text = dgfs("info").out;
  for (const char* row : {"\n  superblock ", "\n  pages ", "\n  page directory ", "\n  xattr"}) {
    const bool expected = std::string(row) != "\n  xattr";  // the tree has no xattrs
    EXPECT_EQ(text.find(row) != std::string::npos, expected) << row << " in\n" << text;
  }
  const std::string json = dgfs("info", {"--json"}).out;
  EXPECT_NE(json.find("\"checksums\":\"xxh3-64\",\"features\":["), std::string::npos) << json;
  const auto begin = json.find("\"section_bytes\":{");
  ASSERT_NE(begin, std::string::npos) << json;
  const auto sections = json.substr(begin + 16, json.find('}', begin) - begin - 16);
  EXPECT_EQ(sum_behind(sections, "\":"), sum_behind(json, "\"index_bytes\":")) << sections;
}

TEST_F(ReadCommandTest, InfoSplitsTheFiles) {
  const std::string volume = dir_ / "volume";
  ASSERT_EQ(run({"build", "-q", "--volume", volume, tree_, image_}).code, 0);
  const std::string text = dgfs("info").out;
  for (const char* row : {"\nfiles      ", "\n  contents ", "\n  index  ", "\n  index in image ",
                          "\n  header pages                 16,384 B", "\nattributes 0: "}) {
    EXPECT_NE(text.find(row), std::string::npos) << row << " is not in\n" << text;
  }
  EXPECT_NE(text.find("\n--scan shows more: "), std::string::npos) << text;
  EXPECT_EQ(dgfs("info", {"--scan"}).out.find("--scan"), std::string::npos);
  const auto parts_of = [](const std::string& json) {
    const auto begin = json.find("\"file_bytes\":{") + 13;
    return json.substr(begin, json.find('}', begin) - begin);
  };
  const auto bytes_of = [&](const std::string& path) {
    return static_cast<double>(env_->status(path).value().size_bytes);
  };
  const std::string whole = dgfs("info", {"--json"}).out;
  EXPECT_EQ(sum_behind(parts_of(whole), "\":"),
            bytes_of(image_) + bytes_of(image_ + ".idx") + bytes_of(volume));
  EXPECT_NE(whole.find("\"models\":[{\"id\":0,\"bytes\":"), std::string::npos) << whole;
  // A missing file takes no space.
  ASSERT_EQ(shell("rm '" + volume + "'"), "");
  EXPECT_EQ(sum_behind(parts_of(dgfs("info", {"--json"}).out), "\":"),
            bytes_of(image_) + bytes_of(image_ + ".idx"));
  ASSERT_EQ(shell("rm '" + image_ + "'"), "");
  EXPECT_EQ(sum_behind(parts_of(run({"info", "--json", image_ + ".idx"}).out), "\":"),
            bytes_of(image_ + ".idx"));
}

TEST_F(ReadCommandTest, InfoSplitsThePagesByColumn) {
  const std::string text = dgfs("info", {"--scan"}).out;
  for (const char* row :
       {"\npages      2, ", "\n  names ", "\n  sizes ", "\n  targets ", "\n  page headers ",
        "\n  unused ", "\nmodel      0: empty, used by 2 pages", " combinations, used by "}) {
    EXPECT_NE(text.find(row), std::string::npos) << row << " is not in\n" << text;
  }
  const std::string json = dgfs("info", {"--scan", "--json"}).out;
  const auto columns = json.substr(json.find("\"columns\":["));
  EXPECT_NEAR(sum_behind(columns, "\"stored_bytes\":") +
                  sum_behind(json, "\"page_header_bytes\":") +
                  sum_behind(json, "\"page_unused_bytes\":"),
              8192, 9)  // info prints whole bytes
      << json;
}

TEST_F(ReadCommandTest, VerifyFindsNothing) {
  const Outcome outcome = dgfs("verify");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("no damage in 12 files, ")) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(dgfs("verify", {"--quiet"}).out, "");
}

TEST_F(ReadCommandTest, VerifyNamesDamagedFiles) {
  damage_large_file();
  const Outcome outcome = dgfs("verify");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.out.starts_with("damaged: sub/deep/large.bin: ")) << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with("1 of 12 files damaged\n")) << outcome.out;
}

TEST_F(ReadCommandTest, ExtractRestoresTheTree) {
  const std::string target = dir_ / "out";
  const Outcome outcome = dgfs("extract", {target});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(shell("diff -r --no-dereference . '" + target + "' | grep -v fifo"), "");
}

TEST_F(ReadCommandTest, ExtractTakesPaths) {
  const std::string target = dir_ / "out";
  const Outcome outcome = dgfs("extract", {"--quiet", target, "sub/deep", "/hello.txt"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(shell("cd '" + target + "'; find . -type f | sort"),
            "./hello.txt\n./sub/deep/large.bin\n");
  EXPECT_EQ(dgfs("extract", {dir_ / "none", "missing"}).err,
            "dgfs: extract: missing: No such file or directory; nothing was extracted\n");
}

TEST_F(ReadCommandTest, ExtractNeverOverwrites) {
  const std::string target = dir_ / "out";
  ASSERT_EQ(dgfs("extract", {target, "hello.txt"}).code, 0);
  const Outcome again = dgfs("extract", {target, "hello.txt"});
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.err.find("hello.txt"), std::string::npos) << again.err;
}

TEST_F(ReadCommandTest, ExtractSumsUpForPrograms) {
  const std::string target = dir_ / "out";
  const Outcome written = dgfs("extract", {"--json", target, "hello.txt", "sub/deep"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_TRUE(written.out.starts_with(
      "{\"destination\":\"" + target +
      "\",\"dry_run\":false,\"entries\":3,"
      "\"content_bytes\":200005,\"failures\":0,"
      "\"devices_refused\":0,\"lost_attributes\":0,\"further_copies\":0,\"skipped\":0,"
      "\"elapsed_seconds\":"))
      << written.out;
  EXPECT_EQ(written.out.find('\n'), written.out.size() - 1);
  // An existing file fails; the rest continues, and is counted.
  const Outcome again = dgfs("extract", {"-k", "--json", target, "hello.txt", "nothing"});
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.out.find("\"entries\":1,\"content_bytes\":5,\"failures\":1,"), std::string::npos)
      << again.out;
  EXPECT_NE(again.err.find("hello.txt"), std::string::npos) << again.err;
  EXPECT_EQ(dgfs("extract", {"--json", target, "hello.txt"}).out, "");
}

// A file system without owners, for example.
Status refuse_owners(const std::string& path, std::string_view attribute) {
  if (attribute != "owner") return ok();
  return Error(ErrorKind::kIo, 1, "cannot set owner: Invalid argument").in_file(path);
}

TEST_F(ReadCommandTest, ExtractNamesAttributesAndWhatLeavesThemOut) {
  RefusingEnv env(*env_, refuse_owners);
  const std::string lost = "dgfs: extract: hello.txt: cannot set owner: Invalid argument";
  const std::string target = dir_ / "out";
  ToolRun ended(env);
  EXPECT_EQ(ended.run({"extract", "--same-owner", image_, target, "hello.txt"}), 1);
  EXPECT_EQ(ended.err(), lost +
                             "; --no-same-owner leaves owners out, --keep-going goes on after "
                             "failures; the files written so far stay in " +
                             target + "\n");
  EXPECT_FALSE(env_->status(target + "/hello.txt"));
  ToolRun going(env);
  EXPECT_EQ(going.run({"extract", "-k", "--same-owner", "--json", image_, target, "hello.txt"}), 1);
  EXPECT_EQ(going.err(), lost +
                             " (--no-same-owner leaves owners out)\n"
                             "dgfs: extract: 1 attribute could not be restored\n");
  EXPECT_NE(going.out().find("\"entries\":1,\"content_bytes\":5,\"failures\":0,"
                             "\"devices_refused\":0,\"lost_attributes\":1,"),
            std::string::npos)
      << going.out();
  EXPECT_TRUE(env_->status(target + "/hello.txt"));
  ToolRun without(env);
  EXPECT_EQ(without.run({"extract", "--no-same-owner", image_, dir_ / "without", "hello.txt"}), 0);
}

TEST_F(ReadCommandTest, ExtractWarnsOfFurtherCopies) {
  ASSERT_EQ(shell("ln hello.txt another"), "");
  ASSERT_EQ(run({"build", "-q", tree_, image_}).code, 0);
  HookEnv env(*env_, [](storage::CallKind kind, const std::string& path) -> Status {
    if (kind != storage::CallKind::kLink || !path.ends_with("/hello.txt")) return ok();
    return Error(ErrorKind::kLimit, 1, "cannot link: Too many links").in_file(path);
  });
  ToolRun tool(env);
  EXPECT_EQ(
      tool.run({"extract", "--json", "-j", "1", image_, dir_ / "out", "another", "hello.txt"}), 0);
  EXPECT_EQ(tool.err(),
            "dgfs: extract: hello.txt: written as a further copy, not as a hard link: "
            "cannot link: Too many links\n");
  EXPECT_NE(tool.out().find("\"further_copies\":1,"), std::string::npos) << tool.out();
}

TEST_F(ReadCommandTest, ExtractListsForPrograms) {
  const std::string target = dir_ / "out";
  const Outcome planned = dgfs("extract", {"-n", "--json", target, "sub/deep", "link"});
  EXPECT_EQ(planned.code, 0) << planned.err;
  const auto lines = sorted_lines(planned.out);
  ASSERT_EQ(lines.size(), 4U) << planned.out;
  EXPECT_EQ(lines[0], "{\"destination\":\"" + target +
                          "\",\"dry_run\":true,\"entries\":3,\"failures\":0,"
                          "\"devices_refused\":0}");
  EXPECT_TRUE(planned.out.ends_with(lines[0] + "\n")) << "the summary comes last";
  EXPECT_TRUE(lines[1].starts_with("{\"path\":\"link\",\"type\":\"symlink\","));
  EXPECT_TRUE(lines[1].ends_with("\"target\":\"hello.txt\"}")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("{\"path\":\"sub/deep\",\"type\":\"directory\","));
  EXPECT_NE(lines[3].find("\"size\":200000,"), std::string::npos) << lines[3];
  EXPECT_TRUE(dgfs("extract", {"-n", "--json", target}).out.starts_with("{\"path\":\".\","));
  EXPECT_FALSE(env_->status(target));
}

TEST_F(ReadCommandTest, OpensTheIndexAlone) {
  ASSERT_EQ(shell("mv ../tree.dgfs.idx ../elsewhere"), "");
  EXPECT_EQ(run({"ls", "--index", dir_ / "elsewhere", image_, "sub/deep"}).out, "large.bin\n");
  EXPECT_EQ(run({"ls", dir_ / "elsewhere", "sub/deep"}).out, "large.bin\n");
  EXPECT_EQ(run({"ls", image_, "sub/deep"}).out, "large.bin\n");  // from the copy in the image
}

TEST_F(ReadCommandTest, StopsWhenToldTo) {
  ToolRun tool(*env_);
  tool.stop = true;
  EXPECT_EQ(tool.run({"extract", image_, dir_ / "out"}), tools::kExitInterrupted);
  EXPECT_NE(tool.err().find("interrupted"), std::string::npos) << tool.err();
}

TEST_F(ReadCommandTest, DiffTakesAnIndexForEachImage) {
  const std::string index = dir_ / "elsewhere.idx";
  const std::string other = dir_ / "other.dgfs";
  ASSERT_EQ(run({"build", "-q", "--no-index-copy", "--index", index, tree_, other}).code, 0);
  EXPECT_EQ(run({"diff", image_, other}).code, 2);
  EXPECT_EQ(run({"diff", image_, other, "--index-a", index}).code, 2);
  EXPECT_EQ(run({"diff", image_, other, "--index-b", index}).code, 0);
  EXPECT_EQ(run({"diff", other, image_, "--index-a", index}).code, 0);
  EXPECT_EQ(run({"diff", other, tree_, "--index-a", index}).code, 0);
  const Outcome wrong = run({"diff", other, tree_, "--index-a", index, "--index-b", index});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("--index-b: "), std::string::npos) << wrong.err;
  EXPECT_EQ(run({"diff", image_, image_, "--volume", other}).code, 0);
}

TEST_F(ReadCommandTest, WarnsOfVolumesThatAreOfNoImage) {
  const std::string other = dir_ / "other.dgfs";
  ASSERT_EQ(run({"build", "-q", tree_ + "/sub", other}).code, 0);
  const Outcome foreign = run({"ls", image_, "sub/deep", "--volume", other});
  EXPECT_EQ(foreign.code, 0);
  EXPECT_EQ(foreign.out, "large.bin\n");
  EXPECT_NE(foreign.err.find("warning: --volume is not used: " + other), std::string::npos)
      << foreign.err;
  EXPECT_NE(run({"stat", image_, "--volume", dir_ / "absent"}).err.find(dir_ / "absent"),
            std::string::npos);
  EXPECT_EQ(run({"ls", image_ + ".idx", "--volume", image_}).err, "");
  // A volume may belong to either side.
  EXPECT_EQ(run({"diff", "-q", image_, other, "--volume", other}).err, "");
  EXPECT_EQ(run({"diff", "-q", other, image_, "--volume", other}).err, "");
  EXPECT_NE(run({"diff", "-q", image_, tree_, "--volume", other}).err.find("not used: " + other),
            std::string::npos);
}

TEST_F(ReadCommandTest, SaysWhoseIndexItWasGiven) {
  const std::string other = dir_ / "other.dgfs";
  ASSERT_EQ(run({"build", "-q", tree_ + "/sub", other}).code, 0);
  const Outcome wrong = run({"ls", "--index", other + ".idx", image_});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find(other + ".idx: the index of another image (uuid "), std::string::npos);
  EXPECT_NE(wrong.err.find(image_ + " has uuid "), std::string::npos) << wrong.err;
  EXPECT_EQ(wrong.err.find("use --index"), std::string::npos) << wrong.err;
}

TEST_F(ReadCommandTest, WithoutMemoryACommandEndsInGoodOrder) {
  ToolRun tool(*env_);
  tools::ToolIo io = tool.io();
  io.read_stream = [](const std::string&, std::uint64_t) -> Result<std::string> {
    throw std::bad_alloc();
  };
  const std::string destination = dir_ / "out";
  EXPECT_EQ(tools::tool_main({"extract", image_, destination, "--files-from", "list"}, io), 1);
  EXPECT_EQ(tool.err(), "dgfs: not enough memory\n");
  EXPECT_FALSE(env_->status(destination));
}

TEST_F(ReadCommandTest, ExtractSaysThatNothingWasDoneWhereItCannotBegin) {
  const std::string file = tree_ + "/hello.txt";
  const Outcome outcome = dgfs("extract", {file});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.ends_with("; nothing was extracted\n")) << outcome.err;
}

TEST_F(ReadCommandTest, AnEmptyPathIsNotTheWholeImage) {
  const std::string target = dir_ / "nothing";
  for (const auto& [command, words] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"extract", {target, ""}},
                                                                     {"cat", {""}},
                                                                     {"ls", {""}},
                                                                     {"stat", {""}},
                                                                     {"du", {""}},
                                                                     {"find", {""}},
                                                                     {"diff", {tree_, ""}}}) {
    const Outcome outcome = dgfs(command, words);
    EXPECT_NE(outcome.code, 0) << command;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_NE(outcome.err.find("''"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("No such file or directory"), std::string::npos) << outcome.err;
  }
  EXPECT_FALSE(env_->status(target));
}

// An unset variable in a script gives an empty name. Messages must show that the name is empty.
TEST_F(ReadCommandTest, EmptyNamesOfFilesAreNamed) {
  const std::string out = dir_ / "out";
  std::vector<std::vector<std::string>> cases = {
      {"extract", "", out},
      {"cat", "", "x"},
      {"salvage", "", out},
      {"diff", "", image_},
      {"diff", image_, ""},
      {"extract", image_, ""},
      {"salvage", image_, ""},
      {"build", "", out},
      {"build", tree_, ""},
      {"build", tree_, out, "--volume", ""},
      {"build", tree_, out, "--exclude-from", ""},
      {"extract", image_, out, "--files-from", ""},
      {"volume", "list", ""},
      {"volume", "move", "", "0", out},
      {"volume", "move", image_, "0", ""},
      {"help", "--paths", "", "x"},
      {"delta", "check", ""},
      {"find", image_, "-newer", ""},
      {"find", image_, "-samefile", ""},
      {"ls", "--index", "", image_},
  };
  for (const auto* command : {"ls", "find", "stat", "du", "info", "verify", "digest"}) {
    cases.push_back({command, ""});
  }
  for (const auto& words : cases) {
    std::string line;
    for (const auto& word : words) line += (word.empty() ? "''" : word) + " ";
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, words[0] == "diff" ? 2 : 1) << line;
    EXPECT_NE(outcome.err.find("''"), std::string::npos) << line << outcome.err;
    EXPECT_FALSE(env_->status(out)) << line;
  }
}

TEST_F(ReadCommandTest, ASlashAsksForADirectory) {
  for (const char* path : {"hello.txt/", "hello.txt/.", "hello.txt/.."}) {
    for (const char* command : {"cat", "ls", "stat", "du", "find"}) {
      const Outcome outcome = dgfs(command, {path});
      EXPECT_NE(outcome.code, 0) << command << " " << path;
      EXPECT_EQ(outcome.out, "") << command << " " << path;
      EXPECT_NE(outcome.err.find("Not a directory"), std::string::npos) << outcome.err;
    }
  }
  EXPECT_EQ(dgfs("extract", {"-n", dir_ / "nothing", "hello.txt/"}).code, 1);
  EXPECT_EQ(dgfs("find", {"sub/", "-maxdepth", "0"}).out, "sub/\n");
}

}  // namespace
}  // namespace dgfs::test
