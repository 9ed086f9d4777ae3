// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ls, stat and du on terminals, with JSON output, and with errors.
#include <set>

#include "format/limits.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class ListCommandTest : public TreeFixture {
 protected:
  /// Feeds each line to Python's parser; returns its complaints, or an empty string.
  std::string json_complaints(const std::string& lines) {
    const std::string path = dir_ / "lines.json";
    auto file = env_->open(path, {.mode = storage::OpenOptions::Mode::kCreateNew});
    EXPECT_TRUE(file && file.value()->write_at(0, as_bytes(lines)));
    const std::string complaints =
        shell("python3 -m json.tool --json-lines '" + path + "' /dev/null");
    EXPECT_TRUE(env_->remove(path));
    return complaints;
  }
};

constexpr ToolRunOptions kTerminal = {.out_is_terminal = true, .width_columns = 60};

TEST_F(ListCommandTest, LsUsesColumnsAndQuotesOnTerminals) {
  EXPECT_EQ(dgfs("ls", {"--color=never", "sub"}, kTerminal).out,
            "deep  five_thousand.c  hello.link  up\n");
  const std::string root = dgfs("ls", {"--color=never"}, kTerminal).out;
  EXPECT_NE(root.find("'new'$'\\n''line'"), std::string::npos) << root;
  EXPECT_NE(root.find("\"it's\""), std::string::npos) << root;
  // Indented by the width of a quote.
  EXPECT_NE(root.find(" hello.txt"), std::string::npos) << root;
}

TEST_F(ListCommandTest, LsColorsNames) {
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("LS_COLORS");
  const std::string out = dgfs("ls", {"--color=always", "-1"}).out;
  EXPECT_NE(out.find("\x1b[01;34msub\x1b[0m\n"), std::string::npos) << out;
  EXPECT_NE(out.find("\x1b[01;32mscript.sh\x1b[0m\n"), std::string::npos) << out;
  EXPECT_NE(out.find("\nhello.txt\n"), std::string::npos) << out;
  EXPECT_EQ(dgfs("ls").out.find('\x1b'), std::string::npos);
}

TEST_F(ListCommandTest, LsGoesOnAfterAMissingPath) {
  const Outcome outcome = dgfs("ls", {"missing", "sub/up", "new\nname"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "sub/up\n");
  EXPECT_EQ(outcome.err,
            "dgfs: ls: cannot access 'missing': No such file or directory\n"
            "dgfs: ls: cannot access 'new'$'\\n''name': No such file or directory\n");
}

TEST_F(ListCommandTest, LsFollowsLinksOnThePath) {
  EXPECT_EQ(dgfs("ls", {"link_to_dir/deep"}).out, "large.bin\n");
  EXPECT_EQ(dgfs("ls", {"sub/../link_to_dir/.."}).out, dgfs("ls").out);
  EXPECT_EQ(dgfs("ls", {"loop_a/x"}).err,
            "dgfs: ls: cannot access 'loop_a/x': Too many levels of symbolic links\n");
  EXPECT_EQ(dgfs("ls", {"hello.txt/x"}).err,
            "dgfs: ls: cannot access 'hello.txt/x': Not a directory\n");
}

TEST_F(ListCommandTest, LsShowsInodesThatFindFinds) {
  const std::string line = dgfs("ls", {"-id", "sub"}).out;
  const std::string inode = line.substr(0, line.find(' '));
  EXPECT_EQ(dgfs("find", {"-inum", inode}).out, "sub\n");
}

TEST_F(ListCommandTest, StatDefaultsToTheRoot) {
  EXPECT_EQ(dgfs("stat", {"-c", "%n %i %F"}).out, "/ 1 directory\n");
}

TEST_F(ListCommandTest, StatSaysWhatIsWrong) {
  EXPECT_EQ(dgfs("stat", {"-c", "%q", "sub"}).code, 2);
  EXPECT_EQ(dgfs("stat", {"-c", "%", "sub"}).code, 2);
  EXPECT_EQ(dgfs("stat", {"missing"}).err,
            "dgfs: stat: cannot stat 'missing': No such file or directory\n");
  EXPECT_EQ(dgfs("stat", {"-L", "dangling"}).code, 1);
}

TEST_F(ListCommandTest, DuCountsLinkedFilesOnceAndSkipsHoles) {
  EXPECT_EQ(dgfs("du", {"-c", "hello.txt", "sub/hello.link"}).out, "1\thello.txt\n1\ttotal\n");
  EXPECT_EQ(dgfs("du", {"--apparent-size", "sparse"}).out, "1025\tsparse\n");
  const std::string sparse = dgfs("du", {"sparse"}).out;
  EXPECT_LT(std::stoul(sparse), 1025U) << sparse;
}

TEST_F(ListCommandTest, DuSumsDirectoriesUp) {
  EXPECT_EQ(dgfs("du", {"-a", "sub"}).out,
            "5\tsub/five_thousand.c\n1\tsub/hello.link\n0\tsub/up\n196\tsub/deep/large.bin\n"
            "196\tsub/deep\n201\tsub\n");
  EXPECT_EQ(dgfs("du", {"-d", "0", "sub"}).out, "201\tsub\n");
  EXPECT_EQ(dgfs("du", {"-s", "sub", "sub/deep"}).out, "201\tsub\n");  // counted once, as by du
  EXPECT_EQ(dgfs("du", {"-sh", "sub"}).out, "201K\tsub\n");
  EXPECT_EQ(dgfs("du", {"-sa"}).code, 2);
}

TEST_F(ListCommandTest, JsonParses) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"ls", "--json", "-R"},
                                                    {"find", "--json"},
                                                    {"find", "-true", "--json"},
                                                    {"stat", "--json", "link", "sub", "fifo"},
                                                    {"du", "--json", "-a"},
                                                    {"info", "--json"},
                                                    {"verify", "--json"}}) {
    const Outcome outcome = dgfs(arguments[0], {arguments.begin() + 1, arguments.end()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("{")) << arguments[0];
    EXPECT_EQ(json_complaints(outcome.out), "") << arguments[0] << "\n" << outcome.out;
  }
}

TEST_F(ListCommandTest, InfoScansTheIndexOnRequest) {
  const std::string count = shell("find . -type f -printf '%i\\n' | sort -u | wc -l | tr -d '\\n'");
  const Outcome scanned = dgfs("info", {"--scan"});
  EXPECT_EQ(scanned.code, 0) << scanned.err;
  for (const std::string& part :
       {"kind       " + count + " regular files, ", std::string("largest 1.05 MB (sparse)\n"),
        std::string("1 empty, 1 with holes\n"), std::string("1965-01-01 00:00 to 2038-01-20 00:00"),
        std::string("index, both copies: every checksum is right\n")}) {
    EXPECT_NE(scanned.out.find(part), std::string::npos) << part << " is not in " << scanned.out;
  }
  EXPECT_EQ(dgfs("info").out.find("largest"), std::string::npos);
  const std::string json = dgfs("info", {"--scan", "--json"}).out;
  EXPECT_NE(json.find("\"largest_path\":\"sparse\""), std::string::npos) << json;
  EXPECT_EQ(json_complaints(json), "");
}

// Two directories that share frames, and one with equal frames in one file.
constexpr const char* kMakeCopies = R"(
for d in first second; do
  mkdir $d
  for i in $(seq 100 160); do
    { echo "Dear $i"; yes 'to tell you once more' | head -c $((i * 9)); } > $d/$i
  done
  yes last | head -c 20000 > $d/last
done
mkdir equal
for i in $(seq 100 140); do yes equal | head -c 4096 > equal/$i; done
ln equal/100 equal/linked)";

TEST_F(ListCommandTest, InfoScanCountsSharedFilesAsTheBuildDoes) {
  ASSERT_EQ(shell(kMakeCopies), "");
  const auto shared_of = [](const std::string& json) {
    const auto begin = json.find("\"shared_files\":");
    // The count and the bytes.
    return json.substr(begin, json.find(',', json.find(',', begin) + 1) - begin);
  };
  std::set<std::string> answers;
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{},
        {"--compress", "zstd:3"},
        {"--compress", "zstd:3", "--fragment-frames", "16K"},
        {"--compress", "zstd:3", "--fragment-frames", "16K", "--volume", dir_ / "v.volume"}}) {
    std::vector<std::string> arguments = {"build", "--json", tree_, image_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome built = run(arguments);
    ASSERT_EQ(built.code, 0) << built.err;
    const std::string shared = shared_of(built.out);
    ASSERT_NE(shared.find("shared_bytes"), std::string::npos) << built.out;
    EXPECT_EQ(shared_of(dgfs("info", {"--scan", "--json"}).out), shared);
    answers.insert(shared);
  }
  EXPECT_GE(answers.size(), 3U);
  EXPECT_EQ(answers.count("\"shared_files\":0,\"shared_bytes\":0"), 0U);
}

TEST_F(ListCommandTest, InfoScanTellsOfDamage) {
  auto index = env_->open(image_ + ".idx", {.mode = storage::OpenOptions::Mode::kReadWrite});
  ASSERT_TRUE(index);
  ASSERT_TRUE(index.value()->write_at(format::kPageBytes + 100, as_bytes(std::string("damage"))));
  const Outcome scanned = dgfs("info", {"--scan"});
  EXPECT_EQ(scanned.code, 1);
  EXPECT_NE(scanned.out.find("1 damaged region in the index\n"), std::string::npos) << scanned.out;
  EXPECT_NE(scanned.err.find(".dgfs.idx: "), std::string::npos) << scanned.err;
}

TEST_F(ListCommandTest, JsonNamesFacts) {
  const std::string json = dgfs("stat", {"--json", "six_hundred"}).out;
  for (const char* member : {"\"path\":\"six_hundred\"", "\"type\":\"file\"", "\"mode\":\"0640\"",
                             "\"size\":600", "\"links\":1", ".789012345Z\""}) {
    EXPECT_NE(json.find(member), std::string::npos) << member << " is not in " << json;
  }
}

TEST_F(ListCommandTest, JsonOfTheWholeImageHasThePathsOfFind) {
  const auto paths = [](const std::string& json) {
    std::vector<std::string> out;
    for (const std::string& line : sorted_lines(json))
      out.push_back(line.substr(0, line.find(',')));
    return out;
  };
  EXPECT_EQ(paths(dgfs("ls", {"--json", "-AR"}).out),
            paths(dgfs("find", {"--json", "-mindepth", "1"}).out));
  EXPECT_TRUE(dgfs("ls", {"--json", "./hello.txt"}).out.starts_with("{\"path\":\"./hello.txt\","));
}

}  // namespace
}  // namespace dgfs::test
