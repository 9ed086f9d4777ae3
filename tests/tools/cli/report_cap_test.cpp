// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Images with more damage than a user wants to read line by line.
#include <algorithm>
#include <string>

#include "format/limits.h"
#include "tests/support/image_assembler.h"
#include "tests/support/taken_image.h"
#include "tests/tools/tree_fixture.h"

namespace dgfs::test {
namespace {

constexpr int kFiles = 130;

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

class ReportCapTest : public TreeFixture {
 protected:
  void SetUp() override {
    ImageAssembler assembler;
    assembler.entries_per_page = 1;  // one page for each file, and one for the root
    for (int i = 0; i < kFiles; ++i) {
      assembler.add_file("f" + std::to_string(1000 + i), as_bytes("contents"));
    }
    assembler.write(*env_, image_, "", true);
  }
  /// Inverts every byte of [begin, end).
  void damage(std::uint64_t begin, std::uint64_t end) {
    auto bytes = read_file(*env_, image_);
    for (auto at = begin; at < end; ++at) bytes[at] ^= 0xff;
    ASSERT_TRUE(env_->remove(image_));
    write_file(*env_, image_, bytes);
  }
  void damage_contents() { damage(format::kPageBytes, format::kPageBytes + kFiles * 16); }
  void damage_pages() {
    const TakenImage taken(read_file(*env_, image_));
    const auto& place = taken.superblock.section(format::SectionKind::kPages);
    const auto base = taken.header.index_offset + place.offset_bytes;
    damage(base, base + place.length_bytes);
  }
};

TEST_F(ReportCapTest, VerifyListsTheFirstFilesAndCountsTheRest) {
  damage_contents();
  const Outcome outcome = dgfs("verify", {"-j", "1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(count_of(outcome.out, "damaged: f1"), 100U);
  EXPECT_TRUE(
      outcome.out.ends_with("and 30 more in files (--json lists all)\n130 of 130 files damaged\n"))
      << outcome.out;
  EXPECT_EQ(count_of(dgfs("verify", {"--json"}).out, "{\"damaged\":\"f1"), 130U);
}

TEST_F(ReportCapTest, VerifyCountsPlacesOfTheIndexApart) {
  damage_pages();
  const Outcome outcome = dgfs("verify");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(count_of(outcome.out, "damaged: index: "), 100U);
  EXPECT_TRUE(
      outcome.out.ends_with("and 31 more in the index (--json lists all)\n"
                            "0 of 0 files damaged, index damaged in 131 places\n"))
      << outcome.out;
  EXPECT_EQ(count_of(dgfs("verify", {"--json"}).out, "{\"damaged_index\":"), 131U);
}

TEST_F(ReportCapTest, InfoListsTheFirstRegionsAndCountsTheRest) {
  damage_pages();
  const Outcome outcome = dgfs("info", {"--scan"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(count_of(outcome.err, "damaged: "), 101U);
  EXPECT_TRUE(outcome.err.ends_with("damaged: and 31 more in the index (--json lists all)\n"))
      << outcome.err;
  EXPECT_NE(outcome.out.find("131 damaged regions in the index"), std::string::npos);
  const Outcome json = dgfs("info", {"--scan", "--json"});
  EXPECT_EQ(json.err, "");
  const auto list = json.out.find("\"damaged_index_regions\":131,\"damaged_index\":[\"");
  ASSERT_NE(list, std::string::npos) << json.out;
  EXPECT_EQ(count_of(json.out.substr(list), ": pages, offset "), 131U);
}

TEST_F(ReportCapTest, AHundredAreListedInFull) {
  damage(format::kPageBytes, format::kPageBytes + 100 * 16);
  const Outcome outcome = dgfs("verify", {"-j", "1"});
  EXPECT_EQ(count_of(outcome.out, "damaged: f1"), 100U);
  EXPECT_EQ(outcome.out.find("more"), std::string::npos);
}

}  // namespace
}  // namespace dgfs::test
