// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares dgfs digest with sha256sum on the packed tree.
#include <algorithm>

#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

class DigestCommandTest : public TreeFixture {
 protected:
  void SetUp() override {
    TreeFixture::SetUp();
    // Names that sha256sum escapes, and one that it takes for its standard input.
    static_cast<void>(
        shell("printf a >'back\\slash'; printf b >\"$(printf 'c\\rr')\"; printf c >./-"));
    const Outcome built = run({"build", "-q", "--digest", "sha256", tree_, image_});
    ASSERT_EQ(built.code, 0) << built.err;
  }
};

TEST_F(DigestCommandTest, PrintsWhatSha256sumPrints) {
  const Outcome listed = dgfs("digest");
  EXPECT_EQ(listed.code, 0) << listed.err;
  const std::string expected =
      shell("find . -type f ! -name - -printf '%P\\0' | xargs -0 sha256sum --; sha256sum ./-");
  EXPECT_EQ(sorted_lines(listed.out), sorted_lines(expected));
  const Outcome zero = dgfs("digest", {"-z"});
  EXPECT_EQ(std::count(zero.out.begin(), zero.out.end(), '\0'),
            std::count(listed.out.begin(), listed.out.end(), '\n'));
  EXPECT_EQ(zero.out.find('\\'), zero.out.rfind('\\'));  // only in the one name that has it
}

TEST_F(DigestCommandTest, TakesPathsPatternsAndDirectories) {
  const std::string hello = shell("sha256sum hello.txt");
  EXPECT_EQ(dgfs("digest", {"hello.txt"}).out, hello);
  EXPECT_EQ(dgfs("digest", {"hello.tx?"}).out, hello);
  EXPECT_EQ(sorted_lines(dgfs("digest", {"sub"}).out),
            sorted_lines(shell("find sub -type f -print0 | xargs -0 sha256sum --")));
  EXPECT_EQ(dgfs("digest", {"--json", "hello.txt"}).out,
            "{\"path\":\"hello.txt\",\"sha256\":\"" + hello.substr(0, 64) + "\"}\n");
}

TEST_F(DigestCommandTest, GoesOnAfterWhatItCannotTell) {
  const Outcome outcome = dgfs("digest", {"missing", "hello.txt"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "dgfs: digest: missing: No such file or directory\n");
  EXPECT_EQ(outcome.out, shell("sha256sum hello.txt"));
}

TEST_F(DigestCommandTest, IsToldByInfoAndVerify) {
  EXPECT_NE(dgfs("info").out.find("\ndigests    sha256 "), std::string::npos);
  EXPECT_NE(dgfs("info", {"--json"}).out.find("\"digests\":\"sha256\""), std::string::npos);
  const Outcome verified = dgfs("verify", {"--digest"});
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_NE(verified.out.find(" correct digests\n"), std::string::npos) << verified.out;
  EXPECT_EQ(dgfs("verify").out.find("digest"), std::string::npos);
}

TEST_F(DigestCommandTest, SaysWhereThereAreNone) {
  ASSERT_EQ(run({"build", "-q", "--digest", "none", tree_, image_}).code, 0);
  const Outcome outcome = dgfs("digest");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("has no digests; 'dgfs build --digest sha256' makes them"),
            std::string::npos);
  EXPECT_EQ(dgfs("verify", {"--digest"}).code, 1);
  EXPECT_EQ(dgfs("info").out.find("digest"), std::string::npos);
  const Outcome wrong = run({"build", "--digest", "md5", tree_, image_});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("--digest: must be none or sha256"), std::string::npos);
}

TEST_F(DigestCommandTest, OfTheFinishedImageAreComparedByBuildVerify) {
  const Outcome built = run({"build", "--verify", "--digest", "sha256", tree_, image_});
  EXPECT_EQ(built.code, 0);
  EXPECT_NE(built.out.find(" correct digests\n"), std::string::npos) << built.out;
}

}  // namespace
}  // namespace dgfs::test
