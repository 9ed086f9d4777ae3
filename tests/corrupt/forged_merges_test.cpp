// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Merged images whose checksums are right and whose contents are not: volumes that are other files
// than they claim, numbers that are missing or given twice, gaps that lead elsewhere, objects
// without a name. The reader refuses each with the error of the rule that it breaks.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "format/coding.h"
#include "format/header/feature.h"
#include "format/header/header_page.h"
#include "format/limits.h"
#include "format/page/header.h"
#include "format/section/inode_runs.h"
#include "format/section/volume_origins.h"
#include "reader/check/verify.h"
#include "tests/corrupt/forged_bodies.h"
#include "tests/corrupt/merged_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::InodeRun;
using format::SectionKind;
using format::VolumeOrigin;
namespace feature = format::feature;

class ForgedMerges : public ::testing::Test {
 protected:
  ForgedMerges() {
    const auto& body = taken_.bodies(SectionKind::kVolumeOrigins).front();
    origins_ = value_of(format::decode_volume_origins(body));
    format::InodeRuns::Loader loader(names_);
    for (const auto& block : taken_.bodies(SectionKind::kInodeRuns)) expect_ok(loader.add(block));
    runs_ = value_of(std::move(loader).finish(format::Numbering::kSplit)).runs();
  }

  Findings probe(const TakenImage& taken, Promise promise, const std::string& what) {
    return prober_.probe({taken.image(), {}}, promise, what);
  }
  void expect_refused(SectionKind kind, const std::vector<Buffer>& bodies, const Designed& designed,
                      const std::string& what) {
    auto taken = taken_;
    taken.bodies(kind) = bodies;
    expect_error(probe(taken, Promise::kTruth, what), designed, what);
  }
  void expect_origins_refused(const std::vector<VolumeOrigin>& origins, std::uint16_t code,
                              const char* what) {
    Buffer body;
    format::encode_volume_origins(origins, body);
    expect_refused(SectionKind::kVolumeOrigins, {body}, {code, "volume origins"}, what);
  }
  // The error may be that of an entry.
  void expect_runs_refused(const std::vector<std::vector<InodeRun>>& blocks,
                           const Designed& designed, const char* what,
                           Promise promise = Promise::kTruth) {
    auto taken = taken_;
    auto& bodies = taken.bodies(SectionKind::kInodeRuns);
    bodies.clear();
    for (const auto& block : blocks) {
      format::Encoder encoder(bodies.emplace_back());
      encoder.varint(block.size());
      for (const auto& run : block) {
        encoder.varint(run.first_inode);
        encoder.varint(run.count);
      }
    }
    expect_error(probe(taken, promise, what), designed, what);
  }
  // An image without a feature bit, but with what needs it.
  Findings without(std::uint64_t bit, Promise promise, const char* what) {
    auto taken = taken_;
    taken.superblock.incompat &= ~bit;
    return probe(taken, promise, what);
  }

  Prober prober_{merged_image()};
  TakenImage taken_{merged_image().image};
  std::uint64_t names_ = taken_.superblock.namespace_entries;
  std::vector<VolumeOrigin> origins_;
  std::vector<InodeRun> runs_;
};

// The image has all that it should have, or the other tests would show nothing.
TEST_F(ForgedMerges, BeginWithASoundImage) {
  const auto findings = prober_.probe(merged_image(), Promise::kTruth, "sound");
  EXPECT_TRUE(findings.errors.empty()) << findings.text();
  ASSERT_EQ(origins_.size(), 2U);
  for (const auto& origin : origins_) EXPECT_GT(origin.dead_bytes, 0U) << origin.number;
  EXPECT_GT(taken_.bodies(SectionKind::kInodeRuns).size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(runs_, [](const InodeRun& run) { return run.first_inode == 0; }));
  EXPECT_GE(taken_.superblock.link_entries, 3U);
  std::size_t flagged = 0;
  for (std::size_t at = 0; at < taken_.pages().size(); at += format::kPageBytes) {
    const auto page = Bytes(taken_.pages()).subspan(at, format::kPageBytes);
    flagged += value_of(format::read_page_header(page)).flags == format::kPageGaps ? 1U : 0U;
  }
  EXPECT_GE(flagged, 1U);
}

TEST_F(ForgedMerges, VolumeOrigins) {  // F-351 to F-353
  const auto changed = [&](const std::function<void(std::vector<VolumeOrigin>&)>& change) {
    auto origins = origins_;
    change(origins);
    return origins;
  };
  expect_origins_refused({}, 2700, "no volume");
  expect_origins_refused(changed([](auto& rows) { rows[0].number = 0; }), 2701, "number 0");
  expect_origins_refused(changed([](auto& rows) { rows[1].number = rows[0].number; }), 2701,
                         "a number twice");
  expect_origins_refused(changed([](auto& rows) { std::swap(rows[0], rows[1]); }), 2701,
                         "numbers that fall");
  expect_origins_refused(changed([](auto& rows) {
                           const auto number = rows[1].number;
                           rows[1] = rows[0];
                           rows[1].number = number;
                         }),
                         2702, "two numbers for one volume");
  expect_origins_refused(changed([](auto& rows) { rows[1].number = 9; }), 3027,
                         "of a volume that is not");
  expect_origins_refused(changed([](auto& rows) { rows[0].dead_bytes = 1 << 20; }), 3028,
                         "more dead bytes than bytes");
  expect_origins_refused(changed([](auto& rows) { rows[0].dead_bytes = kHalf - 1; }), 3028,
                         "2^63 - 1 dead bytes");
  expect_origins_refused(changed([](auto& rows) { rows[0].dead_bytes = kHuge; }), 2003,
                         "2^64 - 1 dead bytes");
}

TEST_F(ForgedMerges, BodiesOfVolumeOrigins) {
  const Buffer identity(16, 7);
  const auto row = [&](std::uint64_t number, std::uint64_t own_number) {
    auto body = varints({1, number});
    body.insert(body.end(), identity.begin(), identity.end());
    const auto own = varints({own_number});
    body.insert(body.end(), own.begin(), own.end());
    body.resize(body.size() + 8 + 1 + 1);  // the checksum, no dead bytes, not of a merge
    return body;
  };
  auto tail = row(1, 0);
  tail.push_back(0);
  auto no_flag = row(1, 0);
  no_flag.back() = 2;
  auto cut = row(1, 0);
  cut.back() |= 0x80;
  for (const auto& [what, body, code] : std::vector<std::tuple<const char*, Buffer, std::uint16_t>>{
           {"no count", {}, 2001},
           {"more volumes than bytes", varints({kHuge}), 2703},
           {"2^40 volumes", varints({std::uint64_t{1} << 40}), 2703},
           {"number 65536", row(65536, 0), 2003},
           {"number 65536 of its own", row(1, 65536), 2003},
           {"a flag of 2", no_flag, 2003},
           {"half a number", cut, 2001},
           {"something behind", tail, 2004}}) {
    expect_refused(SectionKind::kVolumeOrigins, {body}, {code, "volume origins"}, what);
  }
  const auto& sound = taken_.bodies(SectionKind::kVolumeOrigins).front();
  expect_refused(SectionKind::kVolumeOrigins, {sound, sound}, {3010, "volume origins"},
                 "a second block");
  expect_refused(SectionKind::kVolumeOrigins, {}, {3026, "volumes"}, "no origins");  // F-350
}

// F-350: without the bit, the volumes are those of the image itself, and none of them is there.
TEST_F(ForgedMerges, OriginsWithoutTheBitAreNotUsed) {
  const auto findings = without(feature::kIncompatForeignVolumes, Promise::kTruth, "no bit");
  EXPECT_TRUE(findings.has(3071)) << findings.text();
  EXPECT_EQ(findings.walked, names_);
}

// F-354. Each part of the identity counts.
TEST_F(ForgedMerges, FilesThatAreNotTheVolume) {
  for (const auto& change : std::vector<std::function<void(VolumeOrigin&)>>{
           [](VolumeOrigin& origin) { origin.image[15] ^= 1; },
           [](VolumeOrigin& origin) { origin.own_number = 7; },
           [](VolumeOrigin& origin) { ++origin.header_checksum; }}) {
    auto origins = origins_;
    change(origins[0]);
    Buffer body;
    format::encode_volume_origins(origins, body);
    auto taken = taken_;
    taken.bodies(SectionKind::kVolumeOrigins) = {body};
    const auto findings = probe(taken, Promise::kTruth, "another identity");
    EXPECT_TRUE(findings.has(3071)) << findings.text();
    EXPECT_EQ(findings.walked, names_);
  }
}

// A later build of the older image has its UUID, and the same extents at other places.
TEST_F(ForgedMerges, AVolumeThatWasWrittenAgain) {
  auto files = merged_image();
  auto& volume = files.volumes.at(kOldVolume);
  auto header = value_of(format::decode_volume_header(Bytes(volume).first(format::kPageBytes)));
  const auto grown = volume.begin() + static_cast<long>(header.data_end);
  volume.insert(grown, format::kPageBytes, 0);
  header.data_end += format::kPageBytes;
  header.file_bytes += format::kPageBytes;
  const auto page = format::encode_volume_header(header);
  std::ranges::copy(page, volume.begin());
  std::ranges::copy(page, volume.end() - format::kPageBytes);
  const auto findings = prober_.probe(files, Promise::kTruth, "written again");
  EXPECT_TRUE(findings.has(3071)) << findings.text();
  EXPECT_NE(findings.text().find("is another file"), std::string::npos) << findings.text();
}

// The table is flat, so a volume that leads to the image itself leads no further.
TEST_F(ForgedMerges, AnImageThatIsItsOwnOrigin) {
  auto taken = taken_;
  auto origins = origins_;
  origins[0].image = taken.superblock.uuid;
  origins[0].own_number = 0;
  origins[0].dead_bytes = 0;
  const auto put = [&] {
    Buffer body;
    format::encode_volume_origins(origins, body);
    taken.bodies(SectionKind::kVolumeOrigins) = {body};
    return taken.image();
  };
  // The checksum of the header does not depend on the section, as long as that keeps its length.
  origins[0].header_checksum = format::load<std::uint64_t>(put(), format::kHeaderChecksumOffset);
  const auto image = put();
  ASSERT_EQ(format::load<std::uint64_t>(image, format::kHeaderChecksumOffset),
            origins[0].header_checksum);
  const auto findings = prober_.probe({image, {}}, Promise::kSense, "its own origin");
  EXPECT_EQ(findings.walked, names_);
}

TEST_F(ForgedMerges, InodeRuns) {  // F-060 to F-064
  const auto n = names_;
  constexpr const char* kSection = "inode runs";
  const auto end = taken_.superblock.next_inode;
  expect_runs_refused({{{1, 0, 1}}, {{0, 0, n}}}, {2681, kSection}, "blocks that are too long");
  expect_runs_refused({{{1, 0, 1}}, {{0, 0, n - 2}}}, {2682, kSection}, "blocks that end early");
  expect_runs_refused({{{1, 0, 1}}, {{0, 0, 0}}, {{0, 0, n - 1}}}, {2681, kSection},
                      "a run of nothing");
  expect_runs_refused({{{1, 0, 1}}, {{0, 0, kHuge}}}, {2681, kSection}, "a run of 2^64 - 1");
  expect_runs_refused({{{1, 0, 2}}, {{2, 0, n - 2}}}, {2683, kSection},
                      "numbers that a block before has given");
  expect_runs_refused({{{1, 0, 1}}, {{1, 0, n - 1}}}, {2683, kSection}, "the root's again");
  expect_runs_refused({{{0, 0, n}}}, {2680, kSection}, "a root without a number");
  expect_runs_refused({{{0, 0, 1}}, {{1, 0, n - 1}}}, {2680, kSection}, "root and first block");
  expect_runs_refused({{{1, 0, 1}}, {{kHuge - 1, 0, n - 1}}}, {2684, kSection},
                      "numbers that pass 2^64");
  expect_runs_refused({{{1, 0, 1}}, {{end, 0, n - 1}}}, {3017, kSection},
                      "numbers above the next one");
  expect_runs_refused({{{1, 0, 1}}, {}}, {2682, kSection}, "an empty block");
  const std::vector<InodeRun> many(n, {0, 0, 1});
  expect_runs_refused({many, many}, {2688, kSection}, "more runs than entries");
}

// An entry without a number is corrupt, the others answer.
TEST_F(ForgedMerges, FilesWithoutANumber) {
  expect_runs_refused({{{1, 0, 1}}, {{0, 0, names_ - 1}}}, {3046, "pages"}, "no number at all",
                      Promise::kSense);
}

TEST_F(ForgedMerges, SplitNumbersWithoutTheBit) {
  const auto findings = without(feature::kIncompatSplitInodes, Promise::kTruth, "no bit");
  EXPECT_TRUE(findings.has(2570) || findings.has(3025) || findings.has(2687)) << findings.text();
  EXPECT_EQ(findings.answers, 0U);
}

TEST_F(ForgedMerges, ObjectsWithoutANameNeedTheBit) {
  const auto findings = without(feature::kIncompatNamelessObjects, Promise::kTruth, "no bit");
  EXPECT_TRUE(findings.has(3044)) << findings.text();
  EXPECT_EQ(findings.walked, names_);
}

class ForgedGaps : public ::testing::Test {
 protected:
  // Two files one behind the other, before which the page states so many bytes of others.
  Buffer image_of(std::uint64_t first_gap, std::uint64_t second_gap) {
    ImageAssembler assembler;
    assembler.models = {model()};
    assembler.name_codec = format::kTokenCodec;
    assembler.incompat |= feature::kIncompatGaps;
    for (const auto& [name, gap] : {std::pair("f", first_gap), std::pair("g", second_gap)}) {
      assembler.add_file(name, pattern(100, 1)).gap_bytes = gap;
    }
    const auto memory = storage::make_memory_env(1);
    assembler.write(*memory, "/t", "", true);
    return read_file(*memory, "/t");
  }
  static std::shared_ptr<const format::Model> model() {
    TakenImage taken(merged_image().image);
    const auto& body = taken.bodies(SectionKind::kModels).front();  // id u16, kind u8, bytes
    return value_of(format::Model::make(format::load<std::uint16_t>(body, 0),
                                        static_cast<format::ModelKind>(body[2]),
                                        Bytes(body).subspan(3)));
  }
};

TEST_F(ForgedGaps, LeadBehindTheData) {
  constexpr std::uint64_t kMost = format::kFileBytesMax;
  Prober prober({image_of(0, 0), {}});
  for (const auto& [first, second] : {std::pair<std::uint64_t, std::uint64_t>{1, 0},
                                      {0, 1},
                                      {1 << 20, 1},
                                      {0, kMost - 300},
                                      {kMost - 216, 0},
                                      {kMost / 2, kMost / 2 - 216}}) {
    const auto what = std::to_string(first) + " and " + std::to_string(second);
    const auto findings = prober.probe({image_of(first, second), {}}, Promise::kTruth, what);
    expect_error(findings, {3083, "contents"}, what);
    EXPECT_EQ(findings.walked, 3U) << what;
  }
}

TEST_F(ForgedGaps, AreNoFlagOfAPageOfColumns) {  // F-119
  TakenImage taken(merged_image().image);
  const auto last = taken.records.size() - 1;  // of link records
  taken.pages()[last * format::kPageBytes + 13] = format::kPageGaps;
  taken.reseal_page(last);
  const auto findings =
      Prober(merged_image()).probe({taken.image(), {}}, Promise::kTruth, "columns with gaps");
  expect_error(findings, {2940, "pages"}, "columns with gaps");
}

}  // namespace
}  // namespace dgfs::test
