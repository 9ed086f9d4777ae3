// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sections whose checksums are right and whose contents are not: wrong counts, ranges that overlap
// or leave the section, numbers near 2^64. The reader refuses each with the error of the rule that
// it breaks.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/section/xattr_set.h"
#include "tests/corrupt/forged_bodies.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

struct Lie {
  const char* what;
  Buffer body;
  std::uint16_t code;
};

Buffer operator+(Buffer head, const Buffer& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}
Buffer text(std::string_view bytes) { return Buffer(bytes.begin(), bytes.end()); }

class ForgedSections : public ::testing::Test {
 protected:
  Prober prober_{{sample_image(), {}}};
  TakenImage taken_{sample_image()};
  std::uint64_t names_ = taken_.superblock.namespace_entries;

  // Replaces the section's blocks by each body.
  void expect_refused(SectionKind kind, const std::vector<Lie>& lies) {
    for (const auto& [what, body, code] : lies) {
      TakenImage taken = taken_;
      taken.bodies(kind) = {body};
      const auto findings = prober_.probe({taken.image(), {}}, Promise::kTruth, what);
      expect_error(findings, {code, format::section_name(kind)}, what);
    }
  }
};

TEST_F(ForgedSections, DirectoryTables) {
  const auto n = names_;
  expect_refused(
      SectionKind::kDirectoryTable,
      {{"no list", {}, 2645},
       {"more children than entries", varints({n, 0}), 2641},
       {"2^64 - 1 children", varints({kHuge, 0}), 2641},
       {"2^63 children", varints({kHalf, 0}), 2641},
       {"children that end at 2^64", varints({1, 1, 0, kHuge - 1, 0}), 2641},
       {"more subdirectories than children", varints({1, 2, 0, 0}), 2642},
       {"2^64 - 1 subdirectories", varints({3, kHuge, 0}), 2642},
       {"a subdirectory behind the children", varints({3, 1, 3}), 2644},
       {"a subdirectory 2^64 - 1 behind", varints({3, 2, 0, kHuge, 0}), 2644},
       {"a subdirectory before the one before it", varints({3, 2, 2, kHuge - 1, 0}), 2644},
       {"a list for nobody", varints({n - 1, 0, 0, 0}), 2640},
       {"the list of an ancestor once more", varints({1, 1, 0, n - 2, 0, n - 2, 0}), 2640},
       {"a chain without an end", varints({1, 1, 0, 1, 1, 0, 1, 1, 0}), 2645},
       {"a number that does not end", Buffer(11, 0x80), 2002},
       {"a number above 64 bits", Buffer(9, 0xff) + Buffer{0x7f}, 2002},
       {"half a list", varints({3}), 2001},
       {"children that are missing", varints({3, 0}), 2646}});
}

TEST_F(ForgedSections, InodeRuns) {
  const auto n = names_;
  const auto more_runs = varints({n + 1}) + Buffer(2 * (n + 1), 1);
  expect_refused(SectionKind::kInodeRuns,
                 {{"no count", {}, 2001},
                  {"no run", varints({0}), 2680},
                  {"a run of nothing", varints({2, 1, 0, 2, n}), 2681},
                  {"2^64 - 1 runs", varints({kHuge}), 2685},
                  {"more runs than bytes", varints({n}), 2685},
                  {"the root is not inode 1", varints({1, 2, n}), 2680},
                  {"inode 0", varints({2, 1, 1, 0, n - 1}), 2687},
                  {"more runs than entries", more_runs, 2688},
                  {"overlapping runs", varints({2, 1, 3, 3, n - 3}), 2683},
                  {"the same run twice", varints({2, 1, 3, 1, n - 3}), 2683},
                  {"runs that are too long", varints({1, 1, n + 1}), 2681},
                  {"a run of 2^64 - 1", varints({2, 1, 1, 2, kHuge}), 2681},
                  {"runs that end early", varints({1, 1, n - 1}), 2682},
                  {"numbers that pass 2^64", varints({2, 1, 1, kHuge - 1, n - 1}), 2684},
                  {"a number above the next one", varints({2, 1, 1, kHalf, n - 1}), 3017},
                  {"something behind", varints({1, 1, n, 0}), 2004}});
}

TEST_F(ForgedSections, VolumeTables) {
  const auto end = taken_.header.data_end;
  const auto table = [&](std::string_view hint) {
    return varints({1, 0, end, hint.size()}) + text(hint);
  };
  using namespace std::string_view_literals;
  expect_refused(SectionKind::kVolumes,
                 {{"no count", {}, 2001},
                  {"more volumes than numbers", varints({kHuge}), 3022},
                  {"more volumes than bytes", varints({9, 0, end, 0}), 2622},
                  {"number 65536", varints({1, 65536, end, 0}), 2003},
                  {"the same number twice", varints({2, 0, end, 0, 0, end, 0}), 2623},
                  {"numbers that fall", varints({2, 1, end, 0, 0, end, 0}), 2623},
                  {"data that end in the header", varints({1, 0, 4095, 0}), 2620},
                  {"data that end at 2^63", varints({1, 0, kHalf, 0}), 2003},
                  {"a hint up", table(".."), 2621},
                  {"a hint to the folder", table("."), 2621},
                  {"a hint elsewhere", table("../evil"), 2621},
                  {"a hint from the root", table("/evil"), 2621},
                  {"a hint with a zero", table("a\0b"sv), 2621},
                  {"a hint that is too long", table(std::string(256, 'h')), 2003},
                  {"a hint longer than the table", varints({1, 0, end, 200}), 2001},
                  {"something behind", varints({1, 0, end, 0, 7}), 2004}});
}

TEST_F(ForgedSections, VolumesThatTheEntriesDoNotHave) {
  const auto end = taken_.header.data_end;
  for (const auto& [what, body, code] :
       std::vector<Lie>{{"no volume", varints({0}), 3070},
                        {"another volume", varints({1, 1, end, 0}), 3070},
                        {"no data", varints({1, 0, 4096, 0}), 3083},
                        {"half of the data", varints({1, 0, end / 2, 0}), 3083}}) {
    TakenImage taken = taken_;
    taken.bodies(SectionKind::kVolumes) = {body};
    const auto findings = prober_.probe({taken.image(), {}}, Promise::kTruth, what);
    expect_error(findings, {code, code == 3070 ? "volumes" : "contents"}, what);
  }
}

TEST_F(ForgedSections, AttributeTables) {
  constexpr std::uint8_t kMode[] = {0xa4, 0x81, 0, 0};  // 0100644
  const Buffer file(kMode, kMode + 4);
  const Buffer owner(4);
  const Buffer id = {0, 0};
  expect_refused(
      SectionKind::kAttributeTables,
      {{"no id", {1}, 2001},
       {"no count", id, 2001},
       {"more combinations than bytes", id + varints({9}) + file, 2110},
       {"2^64 - 1 combinations", id + varints({kHuge}), 2003},
       {"a combination and a half", id + varints({1}) + file + file + file + owner, 2110},
       {"a mode without type", id + varints({1}) + owner + owner + owner, 2111},
       {"a mode of bits that are none", id + varints({1}) + Buffer(12, 0xff), 2111},
       {"the same twice", id + varints({2}) + file + file + Buffer(16), 2112}});
}

TEST_F(ForgedSections, PageDirectories) {
  const auto& sound = taken_.bodies(SectionKind::kPageDirectory).front();
  expect_refused(SectionKind::kPageDirectory,
                 {{"no page", varints({0, 0}), 3014},
                  {"513 pages", varints({513}), 2003},
                  {"2^64 - 1 pages", varints({kHuge}), 2003},
                  {"fewer bytes than pages", varints({2, 0, 0, 0}), 2001},
                  {"a bound that shares what is not there", varints({2, 5, 0, 0, 0, 0, 0}), 2003},
                  {"a bound of 2^64 bytes", varints({2, 0, kHuge, 0, 0, 0, 0}), 2003},
                  {"a separator longer than its bound", varints({2, 0, 0, 1, 0, 0, 0}), 2003},
                  {"something behind", sound + Buffer(1), 2004}});
}

TEST_F(ForgedSections, PageRoots) {
  expect_refused(SectionKind::kPageRoot,
                 {{"no row", varints({0, 0, 0}), 2841},
                  {"513 rows", varints({0, 0, 513}), 2003},
                  {"a row without a block", varints({0, 0, 1, 0, 0, 0, 0, 2, 0}), 2840},
                  {"a row without pages", varints({0, 0, 1, 0, 0, 0, 0, 0, 99}), 2840},
                  {"rows that cover more pages", varints({0, 0, 1, 0, 0, 0, 0, 400, 99}), 3018},
                  {"another zone", varints({0, 0, 1, 0, 0, 1, 0, 1, 99}), 3021},
                  {"another bound", varints({0, 0, 1, 0, 1, 'x', 0, 0, 1, 99}), 3021},
                  {"another ordinal", varints({0, 0, 1, 0, 0, 0, 1, 1, 99}), 3021},
                  {"another length", varints({0, 0, 1, 0, 0, 0, 0, 1, 99}), 3021},
                  {"another first page", varints({1, 0, 1, 0, 0, 0, 0, 1, 99}), 3018},
                  {"another offset", varints({0, 1, 1, 0, 0, 0, 0, 1, 99}), 3018},
                  {"more rows than bytes", varints({0, 0, 2, 0, 0, 0, 0, 1, 99}), 2841}});
}

TEST_F(ForgedSections, DigestTables) {  // F-331 to F-333
  const auto first = std::uint64_t{taken_.bodies(SectionKind::kDigestTable).front()[1]};
  const auto entries = names_ + taken_.superblock.link_entries;
  const Buffer sha256{1};
  expect_refused(SectionKind::kDigestTable,
                 {{"no algorithm", {}, 2001},
                  {"an unknown algorithm", Buffer{2} + varints({first}), 2957},
                  {"no page", sha256, 2960},
                  {"the root", sha256 + varints({0}), 2958},
                  {"a page behind all entries", sha256 + varints({entries}), 2958},
                  {"a page at 2^64 - 1", sha256 + varints({kHuge}), 2958},
                  {"a page too many", sha256 + varints({first, 1}), 2959},
                  {"half a number", sha256 + Buffer{0x80}, 2001}});
  TakenImage taken = taken_;
  taken.bodies(SectionKind::kDigestTable) = {sha256 + varints({first + 1})};
  const auto findings = prober_.probe({taken.image(), {}}, Promise::kTruth, "other entries");
  expect_error(findings, {2954, "digests"}, "other entries");
}

TEST_F(ForgedSections, DigestPages) {  // F-043, F-330, F-334, F-335
  const auto expect_bad = [&](const char* what, std::size_t at, std::uint8_t byte,
                              std::uint16_t code) {
    TakenImage taken = taken_;
    auto& pages = taken.raw(SectionKind::kDigests);
    pages[at] = byte;
    const auto sealed = format::seal_record(SectionKind::kDigests, 0,
                                            Bytes(pages).subspan(format::kRecordChecksumBytes));
    if (at >= format::kRecordChecksumBytes) pages = sealed;
    const auto findings = prober_.probe({taken.image(), {}}, Promise::kTruth, what);
    expect_error(findings, {code, "digests"}, what);
  };
  const auto& page = taken_.raw(SectionKind::kDigests);
  constexpr std::size_t kBitmap = 16;
  ASSERT_EQ(page.size(), format::kPageBytes);
  expect_bad("another checksum", 0, static_cast<std::uint8_t>(page[0] + 1), 2509);
  expect_bad("other entries", 8, static_cast<std::uint8_t>(page[8] + 1), 2954);
  expect_bad("not the first", kBitmap, static_cast<std::uint8_t>(page[kBitmap] & 0xfe), 2955);
  expect_bad("an entry behind the end", kBitmap + 239, 1, 2955);
  expect_bad("a digest more than files", format::kPageBytes - 1, 1, 2956);
}

TEST_F(ForgedSections, LinkTables) {  // F-345, F-346
  const auto& body = taken_.bodies(SectionKind::kLinkTable).front();
  const std::uint64_t first = body[0];
  const std::uint64_t length = body[1];
  ASSERT_EQ(body.size(), 2U);
  expect_refused(SectionKind::kLinkTable,
                 {{"no block", {}, 2969},
                  {"half a number", Buffer{0x80}, 2001},
                  {"inode 0", varints({0, length}), 2967},
                  {"an inode behind all", varints({taken_.superblock.next_inode, length}), 2967},
                  {"inode 2^64 - 1", varints({kHuge, length}), 2967},
                  {"a block that is none", varints({first, 24}), 2968},
                  {"a block of 2^64 - 1", varints({first, kHuge}), 2968},
                  {"a block too many", varints({first, length, 0, length}), 2968},
                  {"a shorter block", varints({first, length - 1}), 2969}});
}

TEST_F(ForgedSections, LinkNames) {  // F-341 to F-344
  const std::uint64_t first = taken_.bodies(SectionKind::kLinkTable).front()[0];
  const auto n = names_;
  for (const auto& [what, body, code] :
       std::vector<Lie>{{"half a number", Buffer{0x80}, 2001},
                        {"no names", varints({first}), 2001},
                        {"more names than bytes", varints({first, kHuge}), 2961},
                        {"another object", varints({first + 1, 0}), 2962},
                        {"the same object twice", varints({first, 0, 0, 0}), 2963},
                        {"an object behind all", varints({first, 0, n, 0}), 2963},
                        {"the root", varints({first, 1, 2 * first - 3}), 2964},
                        {"a name behind all", varints({first, 1, 2 * n}), 2964},
                        {"the same name twice", varints({first, 2, 0}), 2965},
                        {"a further name behind all", varints({first, 2, n}), 2965},
                        {"4097 bytes", Buffer(4097, 1), 2966},
                        {"too few names", varints({first, 0}), 3902}}) {
    Buffer sealed;
    format::seal_block(SectionKind::kLinkNames, body, sealed);
    TakenImage taken = taken_;
    taken.bodies(SectionKind::kLinkNames) = {body};
    taken.bodies(SectionKind::kLinkTable) = {varints({first, sealed.size()})};
    // A reader that does not verify believes a list with too few names.
    const auto promise = code == 3902 ? Promise::kSense : Promise::kTruth;
    const auto findings = prober_.probe({taken.image(), {}}, promise, what);
    expect_error(findings, {code, "link names"}, what);
  }
}

TEST_F(ForgedSections, Dictionaries) {  // F-231, F-232
  const auto zstd = Buffer{0x37, 0xa4, 0x30, 0xec};
  expect_refused(SectionKind::kDictionaries,
                 {{"no id", {}, 2001},
                  {"a label that ends nowhere", Buffer{1, 9, 'c'}, 2001},
                  {"id 0", Buffer{0, 0} + zstd + Buffer(64), 2770},
                  {"id 65", Buffer{65, 0} + zstd + Buffer(64), 2770},
                  {"no dictionary", Buffer{1, 0} + text("dictionary"), 2771},
                  {"a dictionary's magic and nothing else",
                   Buffer{1, 0} + zstd + Buffer{1, 0, 0, 0} + Buffer(64, 0xff), 2771},
                  {"more than 256 KiB", Buffer{1, 0} + zstd + Buffer((1 << 18) + 1), 2770}});
}

TEST_F(ForgedSections, Models) {
  expect_refused(SectionKind::kModels,
                 {{"no id", {1}, 2001},
                  {"model 0", Buffer{0, 0, 1} + text("dictionary"), 2121},
                  {"an empty model", Buffer{1, 0, 0}, 3016},
                  {"an unknown kind", Buffer{1, 0, 9}, 3016},
                  {"no dictionary", Buffer{1, 0, 1} + text("dictionary"), 2123},
                  {"a dictionary's magic and nothing else",
                   Buffer{1, 0, 1, 0x37, 0xa4, 0x30, 0xec} + Buffer(64, 0xff), 2123},
                  {"a model of more than 1 MiB", Buffer{1, 0, 1} + Buffer((1 << 20) + 1), 2122}});
}

// Replaces the record that an entry refers to by another body. Zeros fill the body up to the old
// length, so that the page's reference stays valid.
class ForgedSideRecords : public ForgedSections {
 protected:
  Findings with_record(SectionKind kind, const format::SideRef& ref, Buffer body,
                       const char* what) {
    TakenImage taken = taken_;
    auto& section = taken.raw(kind);
    body.resize(ref.length_bytes - format::kRecordChecksumBytes);
    const auto record = format::seal_record(kind, ref.offset_bytes, body);
    std::copy(record.begin(), record.end(),
              section.begin() + static_cast<std::ptrdiff_t>(ref.offset_bytes));
    return prober_.probe({taken.image(), {}}, Promise::kTruth, what);
  }
  reader::Node node(const std::string& path) {
    const auto memory = storage::make_memory_env(1);
    write_file(*memory, "/t", sample_image());
    return value_of(value_of(reader::Image::open(*memory, "/t"))->lookup(path));
  }
};

TEST_F(ForgedSideRecords, XattrSets) {
  const auto ref = node("empty").xattrs;
  for (const auto& [what, body, code] :
       std::vector<Lie>{{"none", varints({0}), 2800},
                        {"2^64 - 1 of them", varints({kHuge}), 2800},
                        {"more than there are bytes", varints({12}), 2800},
                        {"an empty name", varints({1, 0, 0}), 2801},
                        {"a name with a zero", varints({1, 1, 0, 0}), 2801},
                        {"a name of 2^64 bytes", varints({1, kHuge}), 2003},
                        {"a name longer than the record", varints({1, 200}), 2001},
                        {"a value of 64 KiB and one byte", varints({1, 1, 'a', 65537}), 2802},
                        {"a value longer than the record", varints({1, 1, 'a', 60000}), 2001},
                        {"the same name twice", varints({2, 1, 'a', 0, 1, 'a', 0}), 2803},
                        {"names that fall", varints({2, 1, 'b', 0, 1, 'a', 0}), 2803},
                        {"something behind", varints({1, 1, 'a', 0}), 2004}}) {
    expect_error(with_record(SectionKind::kXattrs, ref, body, what), {code, "xattrs"}, what);
  }
}

// A file of 32 KiB with `body` as its map, whatever its length.
Findings with_map(Prober& prober, const Buffer& body, const char* what) {
  ImageAssembler assembler;
  auto& entry = assembler.add("holes", 0100644);
  entry.size_bytes = 32768;
  entry.sparse_map = {0, static_cast<std::uint32_t>(format::kRecordChecksumBytes + body.size())};
  const auto memory = storage::make_memory_env(1);
  assembler.write(*memory, "/t", "", true);
  TakenImage taken(read_file(*memory, "/t"));
  taken.raw(SectionKind::kSparseMaps) = format::seal_record(SectionKind::kSparseMaps, 0, body);
  return prober.probe({taken.image(), {}}, Promise::kSense, what);
}

TEST_F(ForgedSideRecords, SparseMaps) {
  for (const auto& [what, body, code] : std::vector<Lie>{
           {"2^64 - 1 segments", varints({kHuge}), 2760},
           {"more segments than bytes", varints({9}), 2760},
           {"an empty segment", varints({1, 5, 0}), 2761},
           {"segments that touch", varints({2, 5, 5, 0, 5}), 2761},
           {"a segment beyond the size", varints({1, 32768, 1}), 2762},
           {"a segment that ends beyond the size", varints({1, 0, 32769}), 2762},
           {"a segment that ends at 2^64", varints({2, 5, 5, kHuge - 10, 5}), 2762},
           {"a second segment before the first", varints({2, 8192, 10, kHuge, 9}), 2762},
           {"something behind", varints({1, 0, 1, 0}), 2004}}) {
    expect_error(with_map(prober_, body, what), {code, "sparse maps"}, what);
  }
}

TEST_F(ForgedSideRecords, AMapOfOtherDataThanAreStored) {
  const auto ref = node("holes").sparse_map;
  const auto findings =
      with_record(SectionKind::kSparseMaps, ref, varints({2, 0, 8191, 1, 9000}), "more data");
  EXPECT_FALSE(findings.errors.empty());
}

TEST_F(ForgedSideRecords, LongTargets) {
  const auto ref = node("long").long_target;
  auto target = text(std::string(300, 'y'));
  target[100] = 0;
  expect_error(with_record(SectionKind::kLongTargets, ref, target, "a zero inside"),
               {3090, "long targets"}, "a zero inside");
}

}  // namespace
}  // namespace dgfs::test
