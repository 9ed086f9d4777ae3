// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content table against a map, in memory and in a file, and the deduplicator with forged
// fingerprints.
#include "builder/pack/content_table.h"

#include <gtest/gtest.h>

#include <map>

#include "builder/pack/deduplicator.h"
#include "format/coding.h"
#include "format/content/extent.h"
#include "storage/memory/env.h"
#include "storage/mix.h"
#include "storage/testing/faulty_env.h"
#include "tests/support/hook_env.h"
#include "tests/support/random.h"

namespace dgfs::builder {
namespace {

// Parameter: bytes of memory that the table may use.
class ContentTableTest : public testing::TestWithParam<std::size_t> {
 protected:
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
};
INSTANTIATE_TEST_SUITE_P(MemoryAndFile, ContentTableTest,
                         testing::Values(std::size_t{1} << 20, std::size_t{1} << 12));

TEST_P(ContentTableTest, IsAMap) {
  constexpr std::size_t kCount = 5000;
  test::Random random(20261121);
  ContentTable table({env_.get(), "/"}, kCount, GetParam());
  std::map<std::pair<std::uint64_t, std::uint64_t>, PlacedExtent> model;
  while (model.size() < kCount) {
    // Some hashes all belong to the last slots: searches continue at the first slot.
    const std::uint64_t high =
        random.one_in(4) ? ~random.below(4) : random.below(~std::uint64_t{0});
    const Fingerprint fingerprint{random.below(2000), high};
    const auto known = model.find({fingerprint.low, fingerprint.high});
    const auto found = table.find(fingerprint);
    ASSERT_TRUE(found);
    ASSERT_EQ(found.value().has_value(), known != model.end());
    if (known != model.end()) {
      EXPECT_EQ(found.value(), known->second);
      continue;
    }
    const PlacedExtent extent{
        random.below(std::uint64_t{1} << 63), 1 + random.below(kTableExtentBytesMax),
        random.one_in(2) ? format::ExtentCodec::kZstd : format::ExtentCodec::kRaw,
        static_cast<format::VolumeNumber>(random.below(1 << 16))};
    ASSERT_TRUE(table.add(fingerprint, extent));
    model.emplace(std::pair(fingerprint.low, fingerprint.high), extent);
  }
  for (const auto& [key, extent] : model) {
    EXPECT_EQ(table.find({key.first, key.second}).value(), extent);
  }
  EXPECT_EQ(table.is_in_file(), GetParam() < std::size_t{1} << 20);
}

TEST(ContentTable, TellsWhatItsFileTells) {
  const auto env = storage::make_memory_env(1);
  bool fails = false;
  test::HookEnv faulty(*env, [&](storage::CallKind, const std::string&) -> Status {
    return fails ? Status(Error(ErrorKind::kNoSpace, 1, "full")) : ok();
  });
  ContentTable table({&faulty, "/"}, 1000, 0);
  ASSERT_TRUE(table.add({1, 1}, {4096, 10}));
  fails = true;
  EXPECT_EQ(table.add({2, 1}, {8192, 10}).error().kind(), ErrorKind::kNoSpace);
  EXPECT_EQ(table.find({1, ~std::uint64_t{0}}).error().kind(), ErrorKind::kNoSpace);
  fails = false;
  EXPECT_EQ(table.find({1, 1}).value(), (PlacedExtent{4096, 10}));
  EXPECT_FALSE(table.find({1, ~std::uint64_t{0}}).value());
}

TEST(Fingerprint, DoesNotDependOnHowAContentComes) {
  test::Random random(7);
  for (const std::size_t bytes : {1U, 65535U, 65536U, 65537U, 300'000U}) {
    const auto content = random.bytes(bytes);
    std::vector<Fingerprint> chunks;
    append_chunk_fingerprints(content, chunks);
    FingerprintStream stream;
    for (const auto& chunk : chunks) stream.add({&chunk, 1});
    EXPECT_EQ(stream.finish(), fingerprint_of(chunks)) << bytes;
    auto other = content;
    other.back() ^= 1;
    std::vector<Fingerprint> other_chunks;
    append_chunk_fingerprints(other, other_chunks);
    EXPECT_NE(fingerprint_of(other_chunks), fingerprint_of(chunks));
  }
}

// Different contents with one fingerprint, as an attacker could make them.
class ForgedFingerprints : public testing::Test {
 protected:
  /// A batch of raw extents that all have the same fingerprint.
  /// @param surplus_bytes  by how much the position expected before the batch is too high
  Batch batch_of(const std::vector<Buffer>& contents, std::size_t surplus_bytes = 0) {
    Batch batch;
    batch.data_begin = static_cast<std::size_t>(
        AppendFile::kBlockBytes + (image_.position() + surplus_bytes) % AppendFile::kBlockBytes);
    batch.reserve_data(kBatchBytesMax);
    for (const auto& content : contents) {
      const auto bytes = static_cast<std::size_t>(format::raw_extent_bytes(content.size()));
      const auto out = batch.next_data(bytes);
      format::store_raw_extent(content, out);
      batch.checksums.push_back(format::load<std::uint64_t>(out, 0));
      const auto item = batch.items.size();
      batch.extents.push_back({item, item, bytes, 1, content.size(), {1, 2}});
      batch.items.emplace_back();
      batch.data_bytes += bytes;
    }
    return batch;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::unique_ptr<storage::File> file_ = env_->create_unnamed("/").value();
  AppendFiles volumes_;
  AppendFile& image_ = volumes_.emplace_back(*file_, 4096);
  format::ContentDictionaries dictionaries_;
  Deduplicator dedup_{volumes_, dictionaries_, ContentTable({env_.get(), "/"}, 100, 1 << 20)};
};

TEST_F(ForgedFingerprints, ShareNothingButTheSameBytes) {
  const std::vector<Buffer> contents = {Buffer(100, 'a'), Buffer(100, 'b'), Buffer(100, 'a'),
                                        Buffer(99, 'a'), Buffer(200, 'c')};
  for (int round = 0; round < 2; ++round) {
    auto batch = batch_of(contents, round == 0 ? 0 : 200);
    const auto position = image_.position();
    ASSERT_TRUE(dedup_.share(batch));
    EXPECT_EQ((position - batch.data_begin) % AppendFile::kBlockBytes, 0U);
    std::vector<Buffer> kept = contents;
    kept.erase(kept.begin() + 2);
    if (round == 1) kept.erase(kept.begin());  // the image already has the first content
    auto expected = batch_of(kept);
    EXPECT_EQ(batch.checksums, expected.checksums);
    ASSERT_EQ(batch.data_bytes, expected.data_bytes);
    EXPECT_EQ(
        Buffer(batch.next_data(0).data() - batch.data_bytes, batch.next_data(0).data()),
        Buffer(expected.next_data(0).data() - expected.data_bytes, expected.next_data(0).data()));
    EXPECT_EQ(batch.items[2].stored.at_bytes, 4096U);
    EXPECT_EQ(batch.items[0].stored.at_bytes, round == 0 ? 0U : 4096U);
    for (const std::size_t other : {1U, 3U, 4U}) {
      EXPECT_EQ(batch.items[other].stored.at_bytes, 0U);
    }
    ASSERT_TRUE(image_.append_in_place(batch.memory, batch.data_begin, batch.data_bytes));
    EXPECT_EQ(image_.position(), position + batch.data_bytes);
  }
}

// The fingerprint was known, so compression was put off; but the content differs from the known
// one.
TEST_F(ForgedFingerprints, HaveWhatWasPutOffCompressed) {
  Buffer text;
  for (int i = 0; i < 3000; ++i) text.push_back(static_cast<std::uint8_t>('a' + i % 7));
  Buffer noise;
  for (std::uint64_t i = 0; i < 500; ++i) {
    noise.push_back(static_cast<std::uint8_t>(storage::mix(1, i)));
  }
  const DictionarySet no_dictionaries;
  ContentPacker packer(3, no_dictionaries, 1, StopFlag{});
  KnownContents known(100, 1 << 10);
  Deduplicator dedup(volumes_, dictionaries_, ContentTable({env_.get(), "/"}, 100, 1 << 20),
                     {&known, &packer});
  const std::vector<Buffer> contents = {Buffer(100, 'x'), text, Buffer(100, 'x'), noise};
  auto batch = batch_of(contents);
  ScannedEntry entry;
  entry.name = "name";
  encode_record(entry, batch.records);
  for (auto& item : batch.items) item.record_bytes = batch.records.size();
  for (auto& extent : batch.extents) extent.is_put_off = true;
  ASSERT_TRUE(dedup.share(batch));
  EXPECT_TRUE(known.has({1, 2}));

  std::vector<std::uint64_t> checksums;
  Buffer expected;
  for (const std::size_t i : {0U, 1U, 3U}) {
    Buffer packed(static_cast<std::size_t>(packed_bytes_max(contents[i].size())));
    const auto stored = packer.pack({"name", i}, contents[i], packed, checksums).value();
    EXPECT_EQ(batch.items[i].stored.codec, stored.codec) << i;
    EXPECT_EQ(batch.items[i].stored.bytes, stored.bytes) << i;
    expected.insert(expected.end(), packed.begin(),
                    packed.begin() + static_cast<std::ptrdiff_t>(stored.bytes));
  }
  EXPECT_EQ(batch.items[2].stored.at_bytes, 4096U);
  EXPECT_EQ(batch.checksums, checksums);
  ASSERT_EQ(batch.data_bytes, expected.size());
  const auto* end = batch.next_data(0).data();
  EXPECT_EQ(Buffer(end - batch.data_bytes, end), expected);
}

TEST(KnownContents, ForgetsRatherThanGrows) {
  KnownContents known(1000, 64);  // eight slots
  int kept = 0;
  for (std::uint64_t i = 0; i < 100; ++i) known.add({i * 0x9e3779b97f4a7c15U >> 7, i + 1});
  for (std::uint64_t i = 0; i < 100; ++i) kept += known.has({i * 0x9e3779b97f4a7c15U >> 7, i + 1});
  EXPECT_GE(kept, 1);
  EXPECT_LE(kept, 8);
  EXPECT_FALSE(known.has({1, 1000}));
}

TEST_F(ForgedFingerprints, ShareNoLargeFileEither) {
  std::vector<PlacedExtent> placed;
  for (const char letter : {'a', 'b', 'a'}) {
    Buffer extent;
    format::append_raw_extent(Buffer(3'000'000, static_cast<std::uint8_t>(letter)), extent);
    placed.push_back({image_.position(), extent.size()});
    ASSERT_TRUE(image_.append(extent));
  }
  EXPECT_FALSE(dedup_.find_or_add({3, 4}, placed[0], 3'000'000).value());
  EXPECT_FALSE(dedup_.find_or_add({3, 4}, placed[1], 3'000'000).value());
  EXPECT_EQ(dedup_.find_or_add({3, 4}, placed[2], 3'000'000).value(), placed[0]);
}

}  // namespace
}  // namespace dgfs::builder
