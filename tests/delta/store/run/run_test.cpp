// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "delta/store/disk/block_codec.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/message/overlay.h"
#include "delta/store/run/memtable.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_merge.h"
#include "delta/store/run/run_pages.h"
#include "delta/store/run/run_parts.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/run/random_run.h"

namespace dgfs::test {
namespace {

using namespace delta;

// The values of a run over an empty store.
std::map<std::string, std::string> settled_values_of(const RunRef& run) {
  std::map<std::string, std::string> values;
  const auto lowest = settled(run, 0);
  for (const Point point : lowest->points()) values.emplace(point.key, point.value);
  return values;
}

// Checks the promises of the header for each run.
void expect_normal(const Run& run) {
  std::size_t bytes = run.tombstones().size_bytes();
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto point = run.point(i);
    bytes += point.size_bytes();
    if (i != 0) {
      ASSERT_LT(run.point(i - 1).key, point.key);
    }
    if (run.tombstones().covers(point.key)) {
      ASSERT_EQ(point.kind, MessageKind::kPut);
    }
  }
  ASSERT_EQ(run.size_bytes(), bytes);
}

// Operations frozen into runs at any points, and merged in any grouping, give the same values.
TEST(Run, MergesSayWhatTheOperationsSay) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    BatchShape shape;
    shape.keys = 1 + random.below(60);
    shape.has_ranges = seed % 2 == 0;
    StoreModel model;
    Memtable table;
    std::vector<RunRef> runs;
    for (auto count = random.below(200); count > 0; --count) {
      const auto batch = random_batch(random, shape);
      model.apply(batch);
      table.apply(batch);
      if (random.one_in(20)) runs.push_back(table.freeze());
    }
    runs.push_back(table.freeze());
    ASSERT_TRUE(table.empty());
    ASSERT_EQ(table.size_bytes(), 0U);
    for (const auto& run : runs) expect_normal(*run);
    while (runs.size() > 1) {
      const auto at = static_cast<std::size_t>(random.below(runs.size() - 1));
      runs[at] = merged(runs[at], runs[at + 1]);
      expect_normal(*runs[at]);
      runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      if (random.one_in(4)) break;
    }
    const auto all = merged(runs);
    expect_normal(*all);
    EXPECT_EQ(settled_values_of(all), model.values());
  }
}

// The messages of a key in each run, oldest to newest, give the same as the merge.
TEST(Run, FindsWhatItSaysOfAKey) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    BatchShape shape;
    shape.keys = 30;
    shape.has_ranges = seed % 2 == 0;
    Memtable table;
    std::vector<RunRef> runs;
    for (int i = 0; i < 60; ++i) {
      table.apply(random_batch(random, shape));
      if (random.one_in(8)) runs.push_back(table.freeze());
    }
    runs.push_back(table.freeze());
    const auto all = merged(runs);
    for (int i = 0; i < 60; ++i) {
      const auto key = random_key(random, shape);
      Message expected;
      for (const auto& run : runs) {
        if (const auto point = run->find(key)) expected = composed(expected, point->message());
      }
      // For an erased key that a range tombstone covers, the tombstone says enough: only a removal
      // is left.
      if (expected.kind == MessageKind::kErase && all->tombstones().covers(key)) {
        expected = Message::removal();
      }
      const auto found = all->find(key);
      EXPECT_EQ(found ? found->message() : Message(), expected) << key;
    }
  }
}

TEST(Run, IsCutIntoParts) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    BatchShape shape;
    Memtable table;
    for (int i = 0; i < 100; ++i) table.apply(random_batch(random, shape));
    const auto run = table.freeze();
    const auto cut = random_key(random, shape);
    const auto low = clipped(run, {"", cut});
    const auto high = clipped(run, {cut, std::nullopt});
    expect_normal(*low);
    expect_normal(*high);
    for (const Point point : low->points()) ASSERT_LT(point.key, cut);
    for (const Point point : high->points()) ASSERT_GE(point.key, cut);
    EXPECT_EQ(*merged(low, high), *run);
  }
}

// Slots refer to slices, so slices must be in key order, each with only its own range.
TEST(Run, IsCutIntoSlicesThatAreAboutEqual) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const auto run = random_run_of_tombstones(random, round % 3 == 0 ? 0 : random.below(400),
                                              round % 3 == 1 ? 0 : random.below(400));
    const std::size_t bytes_max = 300 + random.below(10000);
    const auto slices = cut(run, bytes_max);
    ASSERT_EQ(slices.front().low, "");
    auto all = empty_run();
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto end = i + 1 < slices.size() ? KeyEnd(slices[i + 1].low) : KeyEnd();
      const auto& slice = slices[i].run;
      expect_normal(*slice);
      ASSERT_EQ(*slice, *clipped(run, {slices[i].low, end}));
      ASSERT_EQ(slice->empty(), run->empty());
      ASSERT_LE(slice->size_bytes(), bytes_max + 2 * longest_message_bytes(*run));
      all = merged(all, slice);
    }
    ASSERT_EQ(*all, *run);
    ASSERT_GE(slices.size(), run->size_bytes() / (bytes_max + 2 * longest_message_bytes(*run)));
  }
}

// Some runs have long stretches of keys that no other run has.
TEST(Run, PartsOfManySayTogetherWhatEachSays) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    BatchShape shape;
    shape.keys = 200;
    shape.has_ranges = false;
    std::vector<RunRef> runs;
    std::vector<RunPart> parts;
    const KeyRange range{random_key(random, shape), random_key(random, shape)};
    for (auto count = 1 + random.below(6); count > 0; --count) {
      Memtable table;
      for (auto batches = random.one_in(2) ? 1 : random.below(100); batches > 0; --batches) {
        table.apply(random_batch(random, shape));
      }
      runs.push_back(table.freeze());
      const auto begin = runs.back()->lower_bound(range.begin);
      parts.push_back(
          {runs.back().get(), begin, std::max(begin, runs.back()->lower_bound(*range.end))});
    }
    const auto all = merged_points(parts);
    expect_normal(*all);
    std::set<std::string> keys;
    for (const RunPart& part : parts) {
      for (auto at = part.begin; at < part.end; ++at) keys.emplace(part.run->point(at).key);
    }
    EXPECT_EQ(all->size(), keys.size());
    for (const auto& key : keys) {
      Message expected;
      for (const auto& run : runs) {
        if (const auto point = run->find(key)) expected = composed(expected, point->message());
      }
      const auto found = all->find(key);
      ASSERT_TRUE(found) << key;
      EXPECT_EQ(found->message(), expected) << key;
    }
  }
}

// Decoding reads short lengths in another way than long ones.
TEST(Run, LengthsOfAllSizesAreReadBack) {
  RunBuilder points;
  std::map<std::string, std::string> values;
  for (const std::size_t key_bytes : {1U, 2U, 127U, 128U, 129U, 4095U, 4096U}) {
    for (const std::size_t value_bytes : {0U, 1U, 127U, 128U, 16383U, 16384U, 70000U}) {
      std::string key(key_bytes, 'k');
      key.back() = static_cast<char>('a' + values.size() % 7);
      values.emplace(key, std::string(value_bytes, 'v'));
    }
  }
  for (const auto& [key, value] : values) points.add_put(key, value);
  const auto run = points.take();
  Buffer bytes;
  run->encode(bytes);
  const auto decoded = Run::decode(bytes, SIZE_MAX);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(*decoded.value(), *run);
  for (const auto& [key, value] : values) EXPECT_EQ(run->find(key)->value, value);
}

// A message refers to each large value once. A piece that refers to more bytes than the value has,
// or two values at one place, are refused.
TEST(Run, LargePiecesAreReadBack) {
  const auto large = std::make_shared<const LargeValue>(ValuePlace{512 * 7, 1000, {77}});
  const auto other =
      std::make_shared<const LargeValue>(ValuePlace{512 * 9, 100000, {78, 79, 80, 81, 82, 83, 84}});
  Message changed = Message::put("a value that is changed");
  changed.patch.add(LargePiece{5, large, 100, 200});
  changed.patch.add(LargePiece{500, large, 400, 600});
  Message patch;
  patch.patch.add(LargePiece{0, other, 0, 2000});
  patch.patch.add(Piece{100, "small"});
  Message put = Message::put(large);
  put.patch.add(LargePiece{800, other, 1, 300});
  put.patch.add(LargePiece{0, large, 900, 100});
  RunBuilder points;
  points.add("a", changed);
  points.add("b", patch);
  points.add("c", put);
  const auto run = points.take();
  expect_normal(*run);
  Buffer bytes;
  run->encode(bytes);
  const auto decoded = Run::decode(bytes, run->size_bytes()).value();
  EXPECT_EQ(*decoded, *run);
  EXPECT_EQ(decoded->values(), run->values());
  EXPECT_EQ(decoded->values().size(), 4U) << "each message counts its large values once";
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      Buffer broken = bytes;
      broken[at] ^= static_cast<std::uint8_t>(1U << bit);
      const auto read = Run::decode(broken, run->size_bytes());
      if (!read) continue;
      for (const Message& message : read.value()->boxed()) {
        for (const Edit& edit : message.patch.edits()) {
          const auto* piece = std::get_if<LargePiece>(&edit);
          if (piece == nullptr) continue;
          EXPECT_LE(piece->skip_bytes + piece->length_bytes, piece->large->length_bytes());
          EXPECT_LE(end_of(edit), kValueBytesMax);
        }
      }
    }
  }
}

// Many pieces of a value with many parts compress well. The block must stay within the longest one
// that a run of this size may have.
TEST(Run, PiecesOfALongValueArePackedAndReadBack) {
  ValuePlace place{512, 16 << 20, {}};
  while (place.sums.size() < kValuePartsMax) place.sums.push_back(77);
  const auto large = std::make_shared<const LargeValue>(place);
  RunBuilder points;
  for (int key = 0; key < 3; ++key) {
    Message message;
    for (std::uint64_t at = 0; at < 40; ++at) {
      message.patch.add(LargePiece{at * 1000, large, at * 1000, 900});
    }
    message.patch.add(Piece{50'000, "x"});
    points.add("key" + std::to_string(key), std::move(message));
  }
  const auto run = points.take();
  for (const int level : {0, 1}) {
    BlockPacker packer(level);
    Buffer stored;
    ASSERT_TRUE(pack_run(*run, 1 << 20, packer, stored));
    const auto read = Run::unpack(stored, run->size_bytes());
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read.value(), *run);
  }
}

// The error names the point that comes too late, whichever way it is decoded.
TEST(Run, KeysOutOfOrderAreToldWithTheirOffset) {
  for (const std::size_t value_bytes : {1U, 20000U}) {
    RunBuilder points;
    points.add_put("b", "v");
    points.add_put("a", std::string(value_bytes, 'v'));
    Buffer bytes;
    points.take()->encode(bytes);
    const auto decoded = Run::decode(bytes, SIZE_MAX);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code(), 7007);
    EXPECT_EQ(decoded.error().offset(), 8U);  // two counts, and six bytes of the first point
  }
}

// The owner of a run knows its size: decoding succeeds with this limit, and fails with one byte
// less.
TEST(Run, IsDecodedInWhatItTakes) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    BatchShape shape;
    Memtable table;
    for (auto left = 1 + random.below(100); left > 0; --left) {
      table.apply(random_batch(random, shape));
    }
    const auto run = table.freeze();
    if (run->empty()) continue;
    Buffer bytes;
    run->encode(bytes);
    const auto decoded = Run::decode(bytes, run->size_bytes());
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(decoded.value()->size_bytes(), run->size_bytes());
    const auto refused = Run::decode(bytes, run->size_bytes() - 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(refused.error().code(), 7010);
    EXPECT_TRUE(refused.error().offset());
  }
}

// A length that a varint can hold but that a key must not have.
TEST(Run, KeysThatAreTooLongAreRefused) {
  RunBuilder points;
  points.add_put(std::string(kKeyBytesMax, 'a'), "v");
  Buffer bytes;
  points.take()->encode(bytes);
  ASSERT_TRUE(Run::decode(bytes, SIZE_MAX));
  Buffer longer;
  RunBuilder too_long;
  too_long.add_put(std::string(kKeyBytesMax + 1, 'a'), "v");
  too_long.take()->encode(longer);
  EXPECT_FALSE(Run::decode(longer, SIZE_MAX));
}

TEST(Run, ARangeDeleteOfManyKeysIsOneTombstone) {
  Memtable table;
  for (int i = 0; i < 10000; ++i) {
    Batch batch;
    batch.put("key" + std::to_string(i), "value");
    table.apply(batch);
  }
  Batch batch;
  batch.remove_range({"key", "kez"});
  table.apply(batch);
  const auto run = table.freeze();
  EXPECT_EQ(run->size(), 0U);
  EXPECT_EQ(run->tombstones().size(), 1U);
}

}  // namespace
}  // namespace dgfs::test
