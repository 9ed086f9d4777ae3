// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Digests in the index: of every kind of file, with any options; and with damaged or unknown parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/entry/mode.h"
#include "format/header/section.h"
#include "format/section/digest_hasher.h"
#include "reader/check/digest_check.h"
#include "reader/check/verify.h"
#include "storage/wrapped.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

std::string digest_of(Bytes content) {
  auto hasher = value_of(format::DigestHasher::make(format::DigestAlgorithm::kSha256));
  hasher.update(content);
  return format::digest_text(value_of(hasher.finish()));
}

class DigestTest : public ::testing::Test {
 protected:
  DigestTest() {
    tree_.directory("d");
    tree_.directory("many");
    for (int i = 0; i < 300; ++i) tree_.file(name(i), pattern(static_cast<std::size_t>(i), 1));
    tree_.file("d/one", "first content");
    tree_.file("frames", pattern(200'000, 2));
    tree_.file("large", pattern(9'000'000, 3));
    tree_.file("z", "last");
    tree_.link("d/one", "one too");
    tree_.link("z", "d/z too");
    tree_.link("large", "d/large too");
    tree_.symlink("link", "d/one");
    tree_.link("link", "d/link too");
    expect_ok(tree_.parent("fifo")->make_node("fifo", 0010644, 0));
    add_holes("holes", 1 << 20, 300'000, 5'000);
    add_holes("only hole", 1 << 20, 0, 0);
    add_holes("large holes", 40 << 20, 20 << 20, 6 << 20);
  }

  static constexpr std::uint64_t kBodyByte = 25;  // of a sealed block and of a page

  static std::string name(int i) { return "many/" + std::to_string(1000 + i); }

  void add_holes(const std::string& path, std::uint64_t size, std::uint64_t at, std::size_t bytes) {
    const auto file = value_of(tree_.parent(path)->create_file(path, 0644));
    if (bytes != 0) {
      expect_ok(file->write_at(at, pattern(bytes, 5)));
    }
    expect_ok(file->truncate(size));
  }

  builder::BuildOptions options() {
    builder::BuildOptions options;
    options.digest = format::DigestAlgorithm::kSha256;
    return options;
  }
  Buffer bytes_of(const std::string& path) {
    const auto file = value_of(tree_.memory().open(path));
    Buffer bytes(static_cast<std::size_t>(value_of(file->size())));
    expect_ok(storage::read_exactly(*file, 0, bytes));
    return bytes;
  }
  // Flips a bit in a section of the index copy that begins at `base`.
  void damage(const std::string& path, std::uint64_t base, SectionKind kind, std::uint64_t at) {
    const auto place = base + tree_.open()->superblock().section(kind).offset_bytes + at;
    const auto file = value_of(tree_.memory().open(path, {storage::OpenOptions::Mode::kReadWrite}));
    Buffer byte(1);
    expect_ok(storage::read_exactly(*file, place, byte));
    byte[0] ^= 4;
    expect_ok(file->write_at(place, byte));
  }
  std::uint64_t trailing_index() {
    return value_of(format::decode_volume_header(Bytes(bytes_of(kImage)).first(format::kPageBytes)))
        .index_offset;
  }
  // Writes it in place of the packed image, without an index beside it.
  void write(const TakenImage& taken) {
    expect_ok(tree_.memory().remove(kImage));
    const auto root = value_of(tree_.memory().open_directory("/out"));
    expect_ok(value_of(root->create_file("t.dgfs", 0644))->write_at(0, taken.image()));
  }

  PackedTree tree_;
};

TEST_F(DigestTest, AreThoseOfWhatIsRead) {  // F-330
  for (const bool compressed : {false, true}) {
    auto with = options();
    if (compressed) with.compression = builder::Compression{3};
    with.memory_bytes = std::size_t{16} << 20;  // so that large files come in several pieces
    tree_.pack(with);
    const auto image = tree_.open();
    std::map<std::string, std::string> found;
    expect_ok(image->walk("", [&](std::string_view path, const reader::Node& node) {
      SCOPED_TRACE(path);
      const auto digest = image->digest(node);
      if (!format::is_regular(node.mode)) {
        const auto kind =
            format::is_directory(node.mode) ? ErrorKind::kIsDirectory : ErrorKind::kInvalidArgument;
        EXPECT_EQ(digest.error().kind(), kind);
        return true;
      }
      const auto content = value_of(contents(*image, node));
      EXPECT_EQ(format::digest_text(digest.value()), digest_of(content));
      EXPECT_EQ(image->digest(image->by_inode(node.inode).value()).value(), digest.value());
      found[std::string(path)] = format::digest_text(digest.value());
      return true;
    }));
    EXPECT_EQ(found.size(), 310U);
    EXPECT_EQ(found["d/one"], found["one too"]);
    EXPECT_EQ(found["z"], found["d/z too"]);
    EXPECT_NE(found["z"], found["d/one"]);
    reader::VerifyOptions verify;
    verify.digests = true;
    const auto report = value_of(reader::verify(*image, verify));
    EXPECT_TRUE(report.sound());
    EXPECT_EQ(report.right_digests, 307U);
  }
}

TEST_F(DigestTest, AreTheSameBytesOnAnyThreads) {
  auto with = options();
  tree_.pack(with);
  const auto image = bytes_of(kImage);
  for (const unsigned jobs : {1U, 2U, 7U}) {
    with.jobs = jobs;
    with.memory_bytes = std::size_t{4 + jobs} << 20;
    tree_.pack(with);
    EXPECT_TRUE(bytes_of(kImage) == image) << jobs;
  }
}

TEST_F(DigestTest, CostOneReadOnceTheTableIsThere) {
  tree_.pack(options());
  const auto image = tree_.open();
  const auto node = image->lookup(name(200)).value();
  const auto resident = image->resident_bytes();
  EXPECT_EQ(image->digest_algorithm().value(), format::DigestAlgorithm::kSha256);
  EXPECT_GT(image->resident_bytes(), resident);
  const auto before = tree_.index_counts();
  static_cast<void>(image->digest(node).value());
  const auto after = tree_.index_counts();
  EXPECT_EQ(after.reads - before.reads, 1U);
  EXPECT_EQ(after.read_bytes - before.read_bytes, format::kPageBytes);
  EXPECT_EQ(image->superblock().section(SectionKind::kDigests).offset_bytes % format::kPageBytes,
            0U);
}

TEST_F(DigestTest, ThatAreNotKept) {
  tree_.pack();
  const auto image = tree_.open();
  EXPECT_FALSE(image->digest_algorithm().value());
  EXPECT_EQ(image->digest(image->lookup("z").value()).error().kind(), ErrorKind::kNotFound);
  reader::VerifyOptions verify;
  verify.digests = true;
  EXPECT_EQ(reader::verify(*image, verify).error().kind(), ErrorKind::kNotFound);
}

TEST_F(DigestTest, HealFromTheOtherCopy) {
  tree_.pack(options());
  const auto node = tree_.open()->lookup(name(10)).value();
  const auto digest = tree_.open()->digest(node).value();
  for (const auto kind : {SectionKind::kDigests, SectionKind::kDigestTable}) {
    SCOPED_TRACE(format::section_name(kind));
    damage(kIndex, 0, kind, kBodyByte);
    int warnings = 0;
    reader::OpenOptions open;
    open.warn = [&](const Error&) { ++warnings; };
    EXPECT_EQ(tree_.open(open)->digest(node).value(), digest);
    EXPECT_EQ(warnings, 1);
    EXPECT_EQ(value_of(reader::verify(*tree_.open(), {})).damaged_index_places, 1U);
    damage(kImage, trailing_index(), kind, kBodyByte);
    const auto image = tree_.open();
    const auto failed = image->digest(node);
    EXPECT_EQ(failed.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(failed.error().section(), format::section_name(kind));
    EXPECT_TRUE(contents(*image, image->lookup("z").value()));  // everything else works
    damage(kIndex, 0, kind, kBodyByte);
    damage(kImage, trailing_index(), kind, kBodyByte);
  }
}

TEST_F(DigestTest, OfAnUnknownAlgorithmAreRefusedAlone) {  // F-331
  tree_.pack(options());
  TakenImage taken(bytes_of(kImage));
  taken.bodies(SectionKind::kDigestTable).front()[0] = 9;
  expect_ok(tree_.memory().remove(kIndex));
  write(taken);
  const auto image = tree_.open();
  const auto node = image->lookup("d/one").value();
  EXPECT_EQ(as_text(value_of(contents(*image, node))), "first content");
  EXPECT_EQ(image->digest(node).error().kind(), ErrorKind::kUnsupported);
  EXPECT_TRUE(value_of(reader::verify(*image, {})).sound());
  reader::VerifyOptions verify;
  verify.digests = true;
  EXPECT_EQ(reader::verify(*image, verify).error().kind(), ErrorKind::kUnsupported);
}

// Checksums that were made to fit do not show the change; digests do.
TEST_F(DigestTest, TellOfContentsThatWereChangedWithTheirChecksums) {
  tree_.pack(options());
  const auto node = tree_.open()->lookup("d/one").value();
  TakenImage taken(bytes_of(kImage));
  const auto at = static_cast<std::size_t>(node.data.offset_bytes - format::kPageBytes);
  const auto frame = MutableBytes(taken.data).subspan(at, 8 + node.size_bytes);
  frame[8] = 'F';
  format::store(frame, 0, format::checksum64(frame.subspan(8)));
  expect_ok(tree_.memory().remove(kIndex));
  write(taken);
  const auto image = tree_.open();
  EXPECT_TRUE(value_of(reader::verify(*image, {})).sound());
  std::vector<std::string> damaged;
  reader::VerifyOptions verify;
  verify.digests = true;
  verify.damaged_file = [&](const std::string& path, const Error& error) {
    EXPECT_EQ(error.code(), 3255);
    damaged.push_back(path);
  };
  const auto report = value_of(reader::verify(*image, verify));
  EXPECT_EQ(damaged, std::vector<std::string>{"one too"});
  EXPECT_EQ(report.damaged_files, 1U);
  EXPECT_EQ(report.right_digests, 306U);
}

TEST_F(DigestTest, ThatAreMissingAreDamage) {  // F-330, F-336
  tree_.pack(options());
  const TakenImage sound(bytes_of(kImage));
  expect_ok(tree_.memory().remove(kIndex));
  const auto error_of = [&](const TakenImage& taken) {
    write(taken);
    const auto image = tree_.open();
    return image->digest(image->lookup("z").value()).error().code();
  };
  TakenImage taken = sound;
  taken.bodies(SectionKind::kDigestTable).clear();
  EXPECT_EQ(error_of(taken), 2960);
  taken = sound;
  taken.raw(SectionKind::kDigests).clear();
  EXPECT_EQ(error_of(taken), 2959);
  taken = sound;
  taken.raw(SectionKind::kDigests).resize(5000);
  EXPECT_EQ(error_of(taken), 3250);
  taken = sound;  // a single page, for the first entries
  taken.raw(SectionKind::kDigests).resize(format::kPageBytes);
  taken.bodies(SectionKind::kDigestTable).front().resize(2);
  EXPECT_EQ(error_of(taken), 3252);
}

/// Each look at the clock takes a second.
class FastClockEnv final : public storage::WrappedEnv<storage::Env> {
 public:
  using WrappedEnv::WrappedEnv;
  std::uint64_t monotonic_ns() const override { return ++looks_ * 1'000'000'000; }

 protected:
  storage::CallObserver& observer() const override { return observer_; }

 private:
  mutable std::atomic<std::uint64_t> looks_ = 0;
  mutable storage::CallObserver observer_;
};

// A hole is many zeros to hash, and nothing to read.
TEST_F(DigestTest, HolesAreProgressOfVerify) {
  add_holes("two", 100 << 20, 50 << 20, 1);
  tree_.pack(options());
  FastClockEnv env(tree_.memory());
  const auto image = value_of(reader::Image::open(env, kImage));
  const auto total = image->superblock().content_bytes;
  std::vector<std::uint64_t> told;
  reader::VerifyOptions verify;
  verify.jobs = 1;
  verify.digests = true;
  verify.progress = [&](const reader::VerifyProgress& now) {
    EXPECT_EQ(now.digested_bytes_total, total);
    told.push_back(now.digested_bytes);
  };
  EXPECT_TRUE(value_of(reader::verify(*image, verify)).sound());
  EXPECT_EQ(told.back(), total);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  std::uint64_t step_max = told.front();
  for (std::size_t i = 1; i < told.size(); ++i)
    step_max = std::max(step_max, told[i] - told[i - 1]);
  EXPECT_LE(step_max, std::uint64_t{20} << 20);
  verify.digests = false;
  verify.progress = [](const auto& now) { EXPECT_EQ(now.digested_bytes_total, 0U); };
  EXPECT_TRUE(value_of(reader::verify(*image, verify)).sound());
}

TEST(LongHoles, AreToldBeforeVerifyHashesThem) {
  PackedTree tree;
  constexpr std::uint64_t kSize = format::kLongHoleBytes + 8192;
  for (const char* name : {"long", "short"}) {
    const auto file = value_of(tree.parent(name)->create_file(name, 0644));
    expect_ok(file->write_at(4096, pattern(4096, 1)));
    expect_ok(file->truncate(name[0] == 'l' ? kSize : 1 << 20));
  }
  tree.link("long", "long too");
  builder::BuildOptions options;
  options.digest = format::DigestAlgorithm::kSha256;
  tree.pack(options);
  const auto image = tree.open();
  std::atomic<bool> stop = false;
  std::vector<format::LongHoles> told;
  reader::VerifyOptions verify;
  verify.stop = &stop;
  verify.long_holes = [&](const format::LongHoles& holes) {
    told.push_back(holes);
    stop = true;
  };
  EXPECT_TRUE(value_of(reader::verify(*image, verify)).sound());  // verify does not hash
  EXPECT_TRUE(told.empty());
  verify.digests = true;
  EXPECT_EQ(reader::verify(*image, verify).error().kind(), ErrorKind::kInterrupted);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].files, 1U);
  EXPECT_EQ(told[0].bytes, kSize - 4096);
  EXPECT_FALSE(told[0].is_estimate);
}

// A hole takes long to hash and reads nothing, but the flag is still checked. An unfinished digest
// is dropped.
TEST(DigestCheck, IsStoppedInAHole) {
  PackedTree tree;
  expect_ok(value_of(tree.parent("hole")->create_file("hole", 0644))->truncate(1 << 20));
  builder::BuildOptions options;
  options.digest = format::DigestAlgorithm::kSha256;
  tree.pack(options);
  const auto image = tree.open();
  const auto node = value_of(image->lookup("hole"));
  std::atomic<bool> stop = true;
  auto check = value_of(reader::DigestCheck::make(format::DigestAlgorithm::kSha256, &stop));
  const auto stopped = check.compare(*image, node);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kInterrupted);
  stop = false;
  expect_ok(check.compare(*image, node));
}

}  // namespace
}  // namespace dgfs::test
