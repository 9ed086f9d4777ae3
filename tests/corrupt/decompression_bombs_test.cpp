// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Decompression bombs: frames that claim to hold, or do hold, far more than their place allows,
// with all checksums right. Each gives its designed error, and the reader allocates no memory for
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "format/coding.h"
#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/header/feature.h"
#include "format/header/section.h"
#include "format/limits.h"
#include "format/page/directory.h"
#include "format/section/directory_table.h"
#include "format/section/inode_runs.h"
#include "tests/corrupt/forged_bodies.h"
#include "tests/corrupt/forged_images.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/heap_meter.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

constexpr std::size_t kMiB = 1 << 20;

Buffer block_of(SectionKind kind, const Buffer& frame, std::uint32_t decoded_bytes) {
  Buffer block(format::kSealedBlockHeaderBytes);
  block.insert(block.end(), frame.begin(), frame.end());
  const MutableBytes bytes(block);
  format::store(bytes, 8, static_cast<std::uint32_t>(frame.size()));
  format::store(bytes, 12, decoded_bytes);
  format::store(bytes, 16, static_cast<std::uint32_t>(kind));
  format::store(bytes, 20, std::uint8_t{1});
  reseal_block(bytes, 0, kind);
  return block;
}

// The index of the sample, with other sections at its end.
class ChangedIndex {
 public:
  void put(SectionKind kind, const Buffer& bytes) {
    superblock_.sections[static_cast<std::size_t>(kind)] = {kind, index_.size(), bytes.size()};
    index_.insert(index_.end(), bytes.begin(), bytes.end());
    index_.resize((index_.size() + format::kPageBytes - 1) / format::kPageBytes *
                  format::kPageBytes);
  }
  void put_blocks(SectionKind kind, const std::vector<Buffer>& bodies) {
    Buffer bytes;
    for (const auto& body : bodies) format::seal_block(kind, body, bytes);
    put(kind, bytes);
  }
  [[nodiscard]] Buffer bytes() {
    superblock_.index_bytes = index_.size();
    const auto page = format::encode_superblock(superblock_);
    std::copy(page.begin(), page.end(), index_.begin());
    return index_;
  }

  [[nodiscard]] format::Superblock& superblock() { return superblock_; }

 private:
  Buffer index_ = TakenImage(sample_image()).index();
  format::Superblock superblock_ =
      value_of(format::decode_superblock(Bytes(index_).first(format::kPageBytes)));
};

Buffer index_with(SectionKind kind, const Buffer& bytes) {
  ChangedIndex index;
  index.put(kind, bytes);
  if (kind == SectionKind::kVolumeOrigins) {  // only an image with the bit has such a section
    index.superblock().incompat |= format::feature::kIncompatForeignVolumes;
  }
  return index.bytes();
}

// An index whose pages of zeros claim so many entries, with numbers in these blocks.
Buffer index_of_runs(std::size_t pages, const std::vector<Buffer>& bodies) {
  const auto names = pages * format::kPageEntriesMax;
  ChangedIndex index;
  index.put(SectionKind::kPages, Buffer(pages * format::kPageBytes));
  std::vector<Buffer> blocks;
  std::vector<format::PageRecord> records;
  for (std::size_t page = 0; page < pages; ++page) {
    auto& record = records.emplace_back();
    if (page != 0) record.prefix = format::link_key(page);
    record.first_ordinal = page * format::kPageEntriesMax;
    record.entry_count = format::kPageEntriesMax;
    if (records.size() < format::kPageDirectoryBlockRecords && page + 1 < pages) continue;
    blocks.push_back(format::encode_page_block(records));
    records.clear();
  }
  index.put_blocks(SectionKind::kPageDirectory, blocks);
  Buffer lists;
  format::encode_directory_list(lists, names - 1, std::vector<std::uint64_t>{1});
  format::encode_directory_list(lists, 0, {});
  index.put_blocks(SectionKind::kDirectoryTable, {lists});
  index.put_blocks(SectionKind::kInodeRuns, bodies);
  index.superblock().namespace_entries = names;
  index.superblock().link_entries = 0;
  index.superblock().next_inode = names + 1;
  index.superblock().incompat |= format::feature::kIncompatSplitInodes;
  return index.bytes();
}

// The error of the section: opening reports it, or verifying if opening does not read the section.
Error index_error(storage::Env& env, SectionKind kind) {
  const auto opened = reader::Image::open(env, "/t.idx");
  Error found;
  const auto note = [&](const Error& error) {
    if (error.section() == format::section_name(kind)) found = error;
  };
  if (!opened) {
    note(opened.error());
  } else {
    expect_ok(opened.value()->verify_index(note));
  }
  return found;
}

constexpr SectionKind kBlockSections[] = {
    SectionKind::kPageDirectory,   SectionKind::kPageRoot,      SectionKind::kDirectoryTable,
    SectionKind::kAttributeTables, SectionKind::kModels,        SectionKind::kInodeRuns,
    SectionKind::kVolumes,         SectionKind::kVolumeOrigins, SectionKind::kState};

struct Bomb {
  const char* what;
  Buffer frame;
  std::uint32_t decoded_bytes;  // the length in the header
  std::uint16_t code;
};

TEST(DecompressionBombs, Sections) {
  constexpr auto kBlockMax = static_cast<std::uint32_t>(format::kSectionBlockBytesMax);
  const std::vector<Bomb> bombs = {
      {"a header of 16 MiB and a byte", silent_frame(zstd_magic(), 1), kBlockMax + 1, 2502},
      {"a header of 4 GiB", silent_frame(zstd_magic(), 1), ~std::uint32_t{0}, 2502},
      {"a frame of 1 GiB for 16 MiB", silent_frame(zstd_magic(), 8192), kBlockMax, 2523},
      {"a frame of 1 GiB for 64 KiB", silent_frame(zstd_magic(), 8192), 65536, 2523},
      {"a frame that says 2^60", boasting_frame(zstd_magic()), 65536, 2523},
      {"a frame of less than its header", silent_frame(zstd_magic(), 1), kBlockMax, 2524}};
  Prober prober({{}, TakenImage(sample_image()).index()});
  for (const auto kind : kBlockSections) {
    for (const auto& [what, frame, decoded_bytes, code] : bombs) {
      SCOPED_TRACE(std::string(format::section_name(kind)) + ": " + what);
      const auto index = index_with(kind, block_of(kind, frame, decoded_bytes));
      prober.probe({{}, index}, Promise::kTruth, what);
      const auto memory = storage::make_memory_env(1);
      write_file(*memory, "/t.idx", index);
      const HeapMeter meter;
      const auto error = index_error(*memory, kind);
      EXPECT_EQ(error.code(), code) << error.message();
      EXPECT_TRUE(error.offset().has_value());
      EXPECT_LT(meter.peak_bytes(), std::min(decoded_bytes, kBlockMax) + kMiB);
    }
  }
}

// Ten blocks of a few KiB would have twenty million runs. Memory for them is taken from one budget,
// which ends in the second block.
TEST(DecompressionBombs, SeveralBlocksOfInodeRuns) {
  constexpr std::uint64_t kRuns = 2'000'000;
  constexpr std::size_t kBlocks = 10;
  constexpr std::size_t kPages = kBlocks * kRuns / format::kPageEntriesMax + 1;
  Buffer body = varints({kRuns});
  body.resize(body.size() + 2 * kRuns, 1);  // number 1, one entry, again and again
  const auto index = index_of_runs(kPages, std::vector<Buffer>(kBlocks, body));
  ASSERT_LT(index.size(), kPages * format::kPageBytes + kMiB);
  const auto memory = storage::make_memory_env(1);
  write_file(*memory, "/t.idx", index);
  const HeapMeter meter;
  const auto opened = reader::Image::open(*memory, "/t.idx");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind(), ErrorKind::kLimit) << opened.error().message();
  EXPECT_EQ(opened.error().code(), 3023) << opened.error().message();
  EXPECT_EQ(opened.error().section(), "inode runs");
  EXPECT_LT(meter.peak_bytes(), kRuns * format::InodeRuns::kRunBytes + 16 * kMiB);
}

// Blocks of one run each are loaded in linear time; the prober bounds it.
TEST(DecompressionBombs, ManyBlocksOfOneRun) {
  std::vector<Buffer> bodies(100'000, varints({1, 0, 1}));
  bodies.front() = varints({1, 1, 1});
  const auto index = index_of_runs(bodies.size() / format::kPageEntriesMax + 1, bodies);
  const auto findings = Prober({{}, TakenImage(sample_image()).index()})
                            .probe({{}, index}, Promise::kTruth, "blocks of one run");
  expect_error(findings, {2682, "inode runs"}, "blocks of one run");
}

// A block of 16 MiB, the largest allowed, whose frame is whole: the model in it is too long.
TEST(DecompressionBombs, AModel) {
  Buffer body = {1, 0, 1, 0x37, 0xa4, 0x30, 0xec};
  body.resize(format::kSectionBlockBytesMax);
  Buffer block;
  format::seal_block(SectionKind::kModels, body, block);
  ASSERT_LT(block.size(), 65536U);
  const auto memory = storage::make_memory_env(1);
  write_file(*memory, "/t.idx", index_with(SectionKind::kModels, block));
  const HeapMeter meter;
  const auto opened = reader::Image::open(*memory, "/t.idx");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), 2122) << opened.error().message();
  EXPECT_EQ(opened.error().section(), "models");
  EXPECT_LT(meter.peak_bytes(), 2 * format::kSectionBlockBytesMax + kMiB);
}

TEST(DecompressionBombs, Pages) {
  const auto decoded_max = static_cast<std::uint32_t>(format::kPageDecodedBytesMax);
  // Page payloads have no magic number.
  const std::vector<Bomb> bombs = {
      {"a header of 1 MiB and a byte", silent_frame({}, 1), decoded_max + 1, 2135},
      {"a header of 4 GiB", silent_frame({}, 1), ~std::uint32_t{0}, 2135},
      {"a frame of 125 MiB for 1 MiB", silent_frame({}, 1000), decoded_max, 2143},
      {"a frame of 125 MiB for 100 bytes", silent_frame({}, 1000), 100, 2143},
      {"a frame that says 2^60", boasting_frame({}), 100, 2143}};
  Prober prober({sample_image(), {}});
  for (const auto& [what, frame, decoded_bytes, code] : bombs) {
    SCOPED_TRACE(what);
    const auto bytes = page_bomb_image(frame, decoded_bytes);
    prober.probe({bytes, {}}, Promise::kTruth, what);
    const auto memory = storage::make_memory_env(1);
    write_file(*memory, "/t", bytes);
    const HeapMeter meter;
    const auto image = value_of(reader::Image::open(*memory, "/t"));
    const auto node = image->lookup("d/one");
    ASSERT_FALSE(node);
    EXPECT_EQ(node.error().code(), code) << node.error().message();
    EXPECT_EQ(node.error().section(), "pages");
    EXPECT_LT(meter.peak_bytes(), 3 * kMiB);
  }
}

// A file of `size_bytes` whose one stored frame is `frame`.
Error read_error(const Buffer& frame, std::uint64_t size_bytes) {
  ImageAssembler assembler;
  add_stored_frame(assembler, frame, size_bytes);
  const auto memory = storage::make_memory_env(1);
  assembler.write(*memory, "/t", "", true);
  Prober({sample_image(), {}})
      .probe({read_file(*memory, "/t"), {}}, Promise::kSense, "a bomb among the contents");
  const auto image = value_of(reader::Image::open(*memory, "/t"));
  const auto node = value_of(image->lookup("e"));
  Buffer out(1000);
  const HeapMeter meter;
  const auto read = image->read(node, 0, out);
  EXPECT_LT(meter.peak_bytes(), kMiB);
  if (read) {
    ADD_FAILURE() << "no error";
    return Error(ErrorKind::kNotFound, 1, "none");
  }
  return read.error();
}

TEST(DecompressionBombs, Extents) {
  struct Case {
    const char* what;
    Buffer frame;
    std::uint64_t size_bytes;
    std::uint16_t code;
  };
  const std::vector<Case> cases = {
      {"2 GiB for 100 bytes", silent_frame(zstd_magic(), 16000), 100, 3085},
      {"2 GiB for a frame", silent_frame(zstd_magic(), 16000), 65536, 3085},
      {"a frame that says 2^60", boasting_frame(zstd_magic()), 100, 3085},
      {"a stored frame that is too long", Buffer(format::kZstdFrameStoredBytesMax + 100), 100,
       3082},
      {"a size of 2^62 in a few bytes", silent_frame(zstd_magic(), 1), std::uint64_t{1} << 62,
       3088}};
  for (const auto& [what, frame, size_bytes, code] : cases) {
    SCOPED_TRACE(what);
    const auto error = read_error(frame, size_bytes);
    EXPECT_EQ(error.code(), code) << error.message();
    EXPECT_TRUE(error.offset().has_value());
  }
}

// Side records longer than any valid one, in a section that is large enough because it has holes.
TEST(DecompressionBombs, SideRecords) {
  ImageAssembler assembler;
  auto& link = assembler.add("link", 0120777);
  link.size_bytes = 300;
  link.long_target = {0, format::kRecordChecksumBytes + format::kTargetBytesMax + 1};
  auto& holes = assembler.add("holes", 0100644);
  holes.size_bytes = std::uint64_t{1} << 40;
  holes.sparse_map = {0, 400'000'000};
  assembler.add("owner", 0100644).xattrs = {0, 2'400'000'000};
  const auto memory = storage::make_memory_env(1);
  assembler.write(*memory, "/t", "", true);
  const auto image = value_of(reader::Image::open(*memory, "/t"));
  const HeapMeter meter;
  Buffer out(100);
  const auto target = image->read_link(value_of(image->lookup("link")));
  const auto read = image->read(value_of(image->lookup("holes")), 0, out);
  const auto xattrs = image->xattrs(value_of(image->lookup("owner")));
  EXPECT_LT(meter.peak_bytes(), kMiB);
  for (const auto& [error, section] : {std::pair{target ? Error() : target.error(), "long targets"},
                                       std::pair{read ? Error() : read.error(), "sparse maps"},
                                       std::pair{xattrs ? Error() : xattrs.error(), "xattrs"}}) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit) << error.message();
    EXPECT_EQ(error.code(), 3091) << error.message();
    EXPECT_EQ(error.section(), section);
  }
}

}  // namespace
}  // namespace dgfs::test
