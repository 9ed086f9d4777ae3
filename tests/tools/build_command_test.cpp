// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

/// Root can read everything, so the test goes on as an ordinary user who owns the scratch
/// directory, as long as this lives. Does nothing if the user is an ordinary one already.
class OrdinaryUser {
 public:
  explicit OrdinaryUser(const std::string& directory) {
    if (::geteuid() != 0) return;
    EXPECT_EQ(std::system(("chown -R nobody '" + directory + "'").c_str()), 0);
    EXPECT_EQ(::seteuid(kNobody), 0);
    changed_ = true;
  }
  ~OrdinaryUser() {
    if (!changed_) return;
    EXPECT_EQ(::seteuid(0), 0);
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  bool changed_ = false;
};

class BuildCommandTest : public TreeFixture {
 protected:
  Outcome build(std::vector<std::string> options) {
    options.insert(options.begin(), "build");
    options.push_back(tree_);
    options.push_back(other_);
    return run(options);
  }
  std::string other_ = dir_ / "other.dgfs";
};

TEST_F(BuildCommandTest, SumsUp) {
  const Outcome outcome = build({});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* text :
       {"/other.dgfs ",
        "13 files, 6 directories, 6 symlinks, 1 special file, "
        "1 hard link\n",
        "other.dgfs.idx ", " bytes per entry\n", "done in ", " files/s), peak memory "}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << " is not in\n" << outcome.out;
  }
  EXPECT_EQ(build({"--quiet"}).out, "");
}

TEST_F(BuildCommandTest, PrintsJson) {
  const Outcome outcome = build({"--json"});
  EXPECT_TRUE(outcome.out.starts_with("{\"image\":\"")) << outcome.out;
  EXPECT_NE(outcome.out.find("\"directories\":6,"), std::string::npos) << outcome.out;
}

TEST_F(BuildCommandTest, LeavesOutWhatIsExcluded) {
  const std::string patterns = dir_ / "patterns";
  ASSERT_EQ(shell("printf '*.bin\\n\\nempty\\n' > '" + patterns + "'"), "");
  ASSERT_EQ(build({"--exclude", "*.txt", "--exclude-from", patterns, "--exclude=.*"}).code, 0);
  const std::string names = run({"find", other_}).out;
  for (const char* name : {"hello.txt", "large.bin", "empty", "hidden"}) {
    EXPECT_EQ(names.find(name), std::string::npos) << name;
  }
  EXPECT_NE(names.find("hello.link"), std::string::npos);
}

TEST_F(BuildCommandTest, ChangesOwnersAndModes) {
  ASSERT_EQ(build({"--owner", "1234", "--group", "root", "--clear-mode", "go=rwx"}).code, 0);
  EXPECT_EQ(run({"stat", "-c", "%u %g %a", other_, "script.sh", "sub"}).out,
            "1234 0 700\n1234 0 700\n");
  ASSERT_EQ(build({"--all-root"}).code, 0);
  EXPECT_EQ(run({"stat", "-c", "%u %g", other_, "script.sh"}).out, "0 0\n");
}

TEST_F(BuildCommandTest, PlacesTheIndex) {
  const std::string index = dir_ / "elsewhere.idx";
  ASSERT_EQ(build({"--index", index, "--no-index-copy"}).code, 0);
  EXPECT_FALSE(env_->status(other_ + ".idx"));
  EXPECT_EQ(run({"ls", "--index", index, other_, "sub/deep"}).out, "large.bin\n");
  EXPECT_EQ(run({"ls", other_}).code, 1);
  ASSERT_EQ(build({"--no-index-file"}).code, 0);
  EXPECT_FALSE(env_->status(other_ + ".idx"));
  EXPECT_EQ(run({"ls", other_, "sub/deep"}).out, "large.bin\n");
  EXPECT_EQ(build({"--no-index-file", "--no-index-copy"}).code, 2);
  EXPECT_EQ(build({"--no-index-file", "--index", index}).code, 2);
  EXPECT_EQ(build({"--index", index, "--no-index-file"}).code, 2);
}

TEST_F(BuildCommandTest, TakesIdentityAndTime) {
  const std::string uuid = "01234567-89ab-cdef-0123-456789abcdef";
  ASSERT_EQ(build({"--uuid", uuid, "--created", "2025-07-01", "--memory", "64M"}).code, 0);
  const std::string info = run({"info", other_}).out;
  EXPECT_NE(info.find(uuid), std::string::npos) << info;
  EXPECT_NE(info.find("2025-07-01T00:00:00Z"), std::string::npos) << info;
}

/// Sets a variable of the environment as long as this lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    EXPECT_EQ(::setenv(name, value, 1), 0);
  }
  ~Variable() { EXPECT_EQ(::unsetenv(name_), 0); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST_F(BuildCommandTest, ClampsTimesToThatOfTheImage) {
  ASSERT_EQ(shell("touch -h -d @1600000000.5 hello.txt link empty &&"
                  " touch -d @1599999999.75 script.sh && touch -d @1700000000 sub"),
            "");
  const auto times = [&] {
    return run({"stat", "-c", "%.9Y", other_, "hello.txt", "link", "empty", "sub", "script.sh"})
        .out;
  };
  const Outcome no_time = build({"--clamp-mtime"});
  EXPECT_EQ(no_time.code, 1);
  EXPECT_EQ(no_time.err,
            "dgfs: build: times can be clamped only if the time of the image is given; nothing was "
            "written\n");
  EXPECT_FALSE(env_->status(other_));
  {
    const Variable epoch("SOURCE_DATE_EPOCH", "1600000000");
    ASSERT_EQ(build({}).code, 0);
    const std::string kept = times();
    EXPECT_TRUE(kept.starts_with("1600000000.500000000\n")) << kept;
    EXPECT_TRUE(kept.ends_with("1700000000.000000000\n1599999999.750000000\n")) << kept;
    ASSERT_EQ(build({"--clamp-mtime", "--force"}).code, 0);
    EXPECT_EQ(times(),
              "1600000000.000000000\n1600000000.000000000\n1600000000.000000000\n"
              "1600000000.000000000\n1599999999.750000000\n");
    // Later changes of times do not show.
    const std::string image = shell("cat '" + other_ + "' | sha256sum");
    ASSERT_EQ(shell("touch hello.txt sub"), "");
    ASSERT_EQ(build({"--clamp-mtime", "--force"}).code, 0);
    EXPECT_EQ(shell("cat '" + other_ + "' | sha256sum"), image);
    // --created comes before the variable.
    ASSERT_EQ(build({"--clamp-mtime", "--force", "--created", "2001-09-09"}).code, 0);
    EXPECT_TRUE(times().ends_with("999993600.000000000\n")) << times();
  }
}

TEST_F(BuildCommandTest, SaysWhatIsWrong) {
  EXPECT_EQ(build({"--uuid", "x"}).code, 2);
  EXPECT_EQ(build({"--memory", "much"}).code, 2);
  EXPECT_EQ(build({"--memory", "1M"}).code, 2);
  EXPECT_EQ(build({"--owner", "nobody-has-this-name"}).code, 2);
  const Outcome no_list = build({"--exclude-from", dir_ / "missing"});
  EXPECT_EQ(no_list.code, 1);
  EXPECT_TRUE(no_list.err.ends_with("No such file or directory; nothing was written\n"));
  EXPECT_EQ(build({"--exclude-from", "-", "--files-from", "-"}).err,
            "dgfs: build: '-' is given twice, but the standard input can be read only once; "
            "nothing was written\n");
  const Outcome missing = run({"build", dir_ / "missing", other_});
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(missing.err.ends_with("; nothing was written\n")) << missing.err;
  EXPECT_FALSE(env_->status(other_));
}

TEST_F(BuildCommandTest, NamesAnEmptyPath) {
  EXPECT_EQ(run({"build", tree_, ""}).err,
            "dgfs: build: '': is not a file name; nothing was written\n");
  EXPECT_EQ(run({"build", "", other_}).err,
            "dgfs: build: '': cannot open directory: No such file or directory; nothing was "
            "written\n");
  EXPECT_EQ(build({"--volume", ""}).err,
            "dgfs: build: '': is not a file name; nothing was written\n");
  const Outcome index = build({"--index", ""});
  EXPECT_EQ(index.code, 2);
  EXPECT_TRUE(index.err.starts_with("dgfs build: --index: '' is no file name")) << index.err;
  EXPECT_EQ(run({"ls", ""}).err, "dgfs: ls: '': cannot open: No such file or directory\n");
  EXPECT_FALSE(env_->status(other_));
}

TEST_F(BuildCommandTest, MakesNoFileInThePlaceOfAStream) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"build", tree_, "-"},
                                             {"build", "-", other_},
                                             {"build", "--index", "-", tree_, other_},
                                             {"build", "--volume", "-", tree_, other_},
                                             {"extract", image_, "-"},
                                             {"salvage", image_, "-"},
                                             {"volume", "move", image_, "0", "-"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words[0] << words[1];
    EXPECT_NE(outcome.err.find("'-' cannot be a stream here"), std::string::npos) << outcome.err;
  }
  for (const std::string name : {"-", "-.idx"}) EXPECT_FALSE(env_->status(name)) << name;
}

TEST_F(BuildCommandTest, LeavesFilesAloneThatAreNoneOfDgfs) {
  const std::string notes = tree_ + "/notes";
  ASSERT_EQ(shell("echo precious > notes"), "");
  for (const std::string option : {"--index", "--volume"}) {
    const Outcome refused = build({option, notes});
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.err, "dgfs: build: " + notes + ": exists and is not a DGFS " +
                               option.substr(2) + " (--force replaces it); nothing was written\n");
  }
  const Outcome image = run({"build", dir_ / "tree/sub", notes});
  EXPECT_NE(image.err.find("not a DGFS image"), std::string::npos) << image.err;
  EXPECT_EQ(shell("cat notes"), "precious\n");
  const Outcome forced = build({"--force", "--index", notes});
  EXPECT_EQ(forced.code, 0) << forced.err;
  EXPECT_EQ(forced.err,
            "dgfs: build: " + notes + ": is not packed, because this build replaces it\n");
  EXPECT_EQ(run({"ls", "--index", notes, other_, "notes"}).code, 2);
  EXPECT_EQ(build({"-q", "--index", notes}).err, "");
}

TEST_F(BuildCommandTest, TakesListedPathsWithDotsAsRsyncDoes) {
  const std::string list = dir_ / "list";
  ASSERT_EQ(shell("printf '%s\\n' '# chosen' sub/../hello.txt 'sub/./deep/../deep/large.bin' > '" +
                  list + "'"),
            "");
  ASSERT_EQ(build({"--files-from", list}).code, 0);
  EXPECT_EQ(run({"find", other_, "-type", "f"}).out, "hello.txt\nsub/deep/large.bin\n");
  ASSERT_EQ(shell("printf '%s\\n' '# chosen' hello.txt '' sub/../../etc > '" + list + "'"), "");
  for (const std::string command : {"build", "extract", "diff"}) {
    const auto& from = command == "build" ? tree_ : image_;
    const Outcome outcome = run({command, "--files-from", list, from, dir_ / "to"});
    EXPECT_NE(outcome.code, 0);
    EXPECT_TRUE(outcome.err.starts_with("dgfs: " + command + ": " + list +
                                        ": line 4: sub/../../etc leads out of the tree"))
        << outcome.err;
  }
}

TEST_F(BuildCommandTest, NamesWhatItCannotRead) {
  ASSERT_EQ(shell("chmod 0 hello.txt"), "");
  const OrdinaryUser user(dir_.path());
  const Outcome outcome = build({});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("/hello.txt: "), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("; nothing was written (--keep-going packs the rest)\n"));
  EXPECT_FALSE(env_->status(other_));
  const Outcome partly = build({"--keep-going"});
  EXPECT_EQ(partly.code, 1);
  EXPECT_NE(partly.err.find("left out"), std::string::npos) << partly.err;
  EXPECT_EQ(run({"ls", other_, "sub/deep"}).out, "large.bin\n");
}

TEST_F(BuildCommandTest, LeavesNothingWhenInterrupted) {
  ToolRun tool(*env_);
  tool.stop = true;
  EXPECT_EQ(tool.run({"build", tree_, other_}), tools::kExitInterrupted);
  EXPECT_EQ(tool.err(), "dgfs: build: interrupted; nothing was written\n");
  EXPECT_FALSE(env_->status(other_));
  EXPECT_FALSE(env_->status(other_ + ".idx"));
}

}  // namespace
}  // namespace dgfs::test
