// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/inode_runs.h"

#include <algorithm>
#include <map>

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

Buffer encoded_runs(const std::vector<InodeRun>& runs) {
  Buffer body;
  Encoder encoder(body);
  encoder.varint(runs.size());
  for (const auto& run : runs) {
    encoder.varint(run.first_inode);
    encoder.varint(run.count);
  }
  return body;
}

/// Runs with rising ordinals over shuffled, gappy inode numbers; the root keeps inode 1. Some runs
/// have no numbers.
std::vector<InodeRun> random_runs(test::Random& random, Ordinal& entry_count) {
  std::vector<InodeRun> runs;
  InodeNumber inode = 1;
  for (std::uint64_t n = test::below(random, 20) + 1; n > 0; --n) {
    const auto count = test::below(random, 6) + 1;
    runs.push_back({inode, 0, count});
    inode += count + test::below(random, 4);
  }
  std::shuffle(runs.begin() + 1, runs.end(), random);
  for (auto run = runs.begin() + 1; run != runs.end(); ++run) {
    if (test::below(random, 5) == 0) run->first_inode = 0;
  }
  entry_count = 0;
  for (auto& run : runs) {
    run.first_ordinal = entry_count;
    entry_count += run.count;
  }
  return runs;
}

/// The bodies of the section.
std::vector<Buffer> encoded(const std::vector<InodeRun>& runs, bool& is_split,
                            InodeNumber& end_inode) {
  std::vector<Buffer> bodies;
  InodeRunsEncoder encoder;
  const auto sink = [&](Bytes body) -> Status {
    bodies.emplace_back(body.begin(), body.end());
    return ok();
  };
  for (const auto& run : runs) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      EXPECT_TRUE(encoder.add(run.first_inode == 0 ? 0 : run.first_inode + i, sink));
    }
  }
  EXPECT_TRUE(encoder.finish(sink));
  is_split = encoder.is_split();
  end_inode = encoder.end_inode();
  return bodies;
}

Result<InodeRuns> decoded(const std::vector<Buffer>& bodies, Ordinal entry_count,
                          Numbering numbering) {
  InodeRuns::Loader loader(entry_count);
  for (const Buffer& body : bodies) {
    DGFS_CHECK(loader.add(body));
  }
  return std::move(loader).finish(numbering);
}

TEST(InodeRunsTest, AgreesWithAMap) {
  int split = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    Ordinal entries = 0;
    const auto runs = random_runs(random, entries);
    std::map<InodeNumber, Ordinal> model;
    for (const auto& run : runs) {
      for (std::uint64_t i = 0; run.first_inode != 0 && i < run.count; ++i) {
        model[run.first_inode + i] = run.first_ordinal + i;
      }
    }
    bool is_split = false;
    InodeNumber end_inode = 0;
    const auto bodies = encoded(runs, is_split, end_inode);
    split += is_split ? 1 : 0;
    const auto read = decoded(bodies, entries, is_split ? Numbering::kSplit : Numbering::kWhole);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read.value().end_inode(), model.rbegin()->first + 1);  // F-064
    EXPECT_EQ(end_inode, model.rbegin()->first + 1);
    for (InodeNumber inode = 0; inode < model.rbegin()->first + 5; ++inode) {
      const auto found = model.find(inode);
      EXPECT_EQ(read.value().ordinal_of(inode),
                found == model.end() ? std::nullopt : std::optional(found->second));
      if (found != model.end()) {
        EXPECT_EQ(read.value().inode_of(found->second), inode);
      }
    }
    for (const auto& run : runs) {
      if (run.first_inode != 0) continue;
      EXPECT_EQ(read.value().inode_of(run.first_ordinal), std::nullopt);
    }
    EXPECT_EQ(read.value().inode_of(entries), std::nullopt);
    if (!is_split) continue;
    expect_error(decoded(bodies, entries, Numbering::kWhole), ErrorKind::kCorrupt, 2687);
  }
  EXPECT_GT(split, 100);
}

// A hundred thousand runs take several bodies.
TEST(InodeRunsTest, AreCutIntoBodies) {
  std::vector<InodeRun> runs{{1, 0, 1}};
  for (std::uint64_t i = 1; i < 100'000; ++i) runs.push_back({3 * i, i, 1});
  bool is_split = false;
  InodeNumber end_inode = 0;
  const auto bodies = encoded(runs, is_split, end_inode);
  EXPECT_GT(bodies.size(), 3U);
  EXPECT_TRUE(is_split);
  const auto read = decoded(bodies, runs.size(), Numbering::kSplit);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read.value().runs(), runs);
}

TEST(InodeRunsTest, HoldsAFreshBuild) {  // F-063
  const auto runs = InodeRuns::make({{1, 0, 1000}}, 1000).value();
  EXPECT_EQ(runs.inode_of(0), kRootInode);
  EXPECT_EQ(runs.inode_of(999), 1000U);
  EXPECT_EQ(runs.ordinal_of(0), std::nullopt);
  EXPECT_EQ(runs.ordinal_of(~InodeNumber{0}), std::nullopt);
  EXPECT_EQ(runs.inode_of(~Ordinal{0}), std::nullopt);
}

TEST(InodeRunsTest, RefusesRulesBroken) {  // F-060, F-061, F-062
  const auto refuse = [](const std::vector<InodeRun>& runs, Ordinal entries, unsigned code) {
    expect_error(InodeRuns::make(runs, entries), ErrorKind::kCorrupt, code);
  };
  constexpr auto kMax = ~std::uint64_t{0};
  refuse({}, 0, 2680);
  refuse({{2, 0, 1}}, 1, 2680);
  refuse({{1, 0, 1}, {5, 2, 1}}, 3, 2681);     // gap in ordinals
  refuse({{1, 0, 2}, {5, 1, 1}}, 3, 2681);     // overlap in ordinals
  refuse({{1, 0, 1}, {5, 1, 0}}, 1, 2681);     // empty run
  refuse({{1, 0, 3}}, 2, 2681);                // too many
  refuse({{1, 0, 1}, {5, 1, kMax}}, 2, 2681);  // wraps
  refuse({{1, 0, 1}}, 2, 2682);                // too few
  refuse({{1, 0, 2}, {2, 2, 1}}, 3, 2683);     // overlap in inodes
  refuse({{1, 0, 1}, {0, 1, 1}}, 2, 2687);     // inode 0
  refuse({{1, 0, 1}, {kMax, 1, 1}}, 2, 2684);  // inode 2^64 - 1 ends at 2^64
}

TEST(InodeRunsTest, RefusesEveryTruncationAndTail) {
  const std::vector<InodeRun> runs = {{1, 0, 300}, {1000, 300, 5}, {400, 305, 70}};
  auto body = encoded_runs(runs);
  const auto decode = [](Bytes bytes) { return InodeRuns::decode(bytes, 375); };
  ASSERT_TRUE(decode(body));
  test::expect_no_prefix_decodes(body, test::kind_of(decode));
  body.push_back(0);
  expect_error(decode(body), ErrorKind::kCorrupt, 2004);
}

TEST(InodeRunsTest, BoundsCountsByInput) {  // F-002
  Buffer body;
  Encoder(body).varint(std::uint64_t{1} << 40);
  expect_error(InodeRuns::decode(body, 1), ErrorKind::kCorrupt, 2685);
  // A sum that wraps around to the right total is refused, too.
  const auto wrapping = encoded_runs({{1, 0, 2}, {10, 0, ~std::uint64_t{0}}, {5, 0, 2}});
  expect_error(InodeRuns::decode(wrapping, 3), ErrorKind::kCorrupt, 2681);
}

TEST(InodeRunsTest, HasNoNumberButTheNextWithoutRuns) {
  const InodeRuns none;
  EXPECT_EQ(none.end_inode(), kRootInode);
  EXPECT_EQ(none.inode_of(0), std::nullopt);
  EXPECT_EQ(none.ordinal_of(kRootInode), std::nullopt);
}

}  // namespace
}  // namespace dgfs::format
