// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The sum of the changes decides what is a large value, not the calls that made them.
#include "delta/store/run/late_binding.h"

#include <algorithm>
#include <vector>

#include "tests/delta/store/counted_store.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

std::string random_text(Random& random, std::size_t length) {
  const auto bytes = random.bytes(length);
  return {bytes.begin(), bytes.end()};
}

class LateBinding : public CountedStore {
 protected:
  explicit LateBinding(const StoreParameters& parameters = {.segment_bytes = 4U << 20})
      : CountedStore(parameters) {}

  /// Writes bytes of a file of chunks, as a write call does.
  void write(std::uint64_t offset, std::string_view bytes) {
    Batch batch;
    while (!bytes.empty()) {
      const auto within = offset % kChunkBytes;
      const auto length = std::min(bytes.size(), static_cast<std::size_t>(kChunkBytes - within));
      batch.patch(numbered_key(static_cast<int>(offset / kChunkBytes)), within,
                  std::string(bytes.substr(0, length)));
      offset += length;
      bytes.remove_prefix(length);
    }
    ASSERT_TRUE(store_->apply(batch));
  }
  void expect_file(const std::string& expected) {
    for (std::size_t begin = 0; begin < expected.size(); begin += kChunkBytes) {
      const auto found = store_->get(numbered_key(static_cast<int>(begin / kChunkBytes)));
      ASSERT_TRUE(found) << found.error().message();
      ASSERT_TRUE(found.value());
      ASSERT_TRUE(*found.value() == expected.substr(begin, kChunkBytes)) << begin;
    }
  }
  [[nodiscard]] storage::IoCounts extents() const { return counts("extents"); }
  [[nodiscard]] double written_bytes() const {
    std::uint64_t bytes = 0;
    for (const char* name : {"store", "log.0", "log.1", "blocks", "extents"}) {
      bytes += counts(name).written_bytes;
    }
    return static_cast<double>(bytes);
  }
};

TEST_F(LateBinding, WhatIsWrittenInOrderIsWrittenOnceByCallsOfAnyLength) {
  constexpr std::size_t kFileBytes = std::size_t{24} << 20;
  Random random(1);
  const auto file = random_text(random, kFileBytes);
  for (const std::size_t call_bytes : {4U << 10, 40U << 10, 1U << 20}) {
    SCOPED_TRACE(call_bytes);
    memory_ = storage::make_memory_env(1);
    env_ = storage::make_counting_env(*memory_);
    reopen();
    for (std::size_t at = 0; at < file.size(); at += call_bytes) {
      write(at, std::string_view(file).substr(at, call_bytes));
    }
    ASSERT_TRUE(store_->checkpoint());
    EXPECT_LE(written_bytes(), 1.05 * kFileBytes);
    expect_file(file);
    reopen();
    expect_file(file);
    expect_sound(*memory_);
  }
}

// Something may lie below each key.
class LateBindingOverALayer : public LateBinding {
 protected:
  LateBindingOverALayer() : LateBinding({.segment_bytes = 4U << 20, .born_object = UINT64_MAX}) {}
};

TEST_F(LateBindingOverALayer, PiecesAreWrittenOnceInNoOrder) {
  constexpr std::size_t kPieceBytes = 8192;
  constexpr int kPieces = 3000;
  Random random(2);
  std::map<std::uint64_t, std::string> pieces;  // by offset in the file
  for (int i = 0; i < kPieces; ++i) {
    const auto at = random.below(8000) * kPieceBytes;
    pieces[at] = random_text(random, kPieceBytes);
    write(at, pieces[at]);
  }
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LE(written_bytes(), 1.3 * kPieces * kPieceBytes);
  const auto expect_pieces = [&] {
    const auto snapshot = store_->snapshot("test");
    for (const auto& [at, bytes] : pieces) {
      const auto found = snapshot.find(numbered_key(static_cast<int>(at / kChunkBytes)));
      ASSERT_TRUE(found) << found.error().message();
      ASSERT_EQ(found.value().kind, MessageKind::kPatch);
      std::string value(kChunkBytes, '\0');
      found.value().patch.apply_to(value);
      ASSERT_TRUE(value.substr(at % kChunkBytes, kPieceBytes) == bytes) << at;
    }
  };
  expect_pieces();
  reopen();
  expect_pieces();
  expect_sound(*memory_);
}

TEST_F(LateBinding, WhatDiesInItsGroupIsNeverWritten) {
  Random random(3);
  std::string file;
  for (int round = 0; round < 10; ++round) {
    file = random_text(random, kChunkBytes);
    for (std::size_t at = 0; at < kChunkBytes; at += 4096) {
      write(at, std::string_view(file).substr(at, 4096));
    }
  }
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(extents().written_bytes, kChunkBytes);
  EXPECT_EQ(logged_bytes(), 4096U) << "the log has only the value's place";
  expect_file(file);
  reopen();  // recovers from the log
  expect_file(file);
}

TEST_F(LateBinding, PiecesOfSeveralGroupsAreOneValue) {
  Random random(4);
  const auto file = random_text(random, kChunkBytes);
  for (std::size_t at = 0; at < kChunkBytes; at += 16384) {
    write(at, std::string_view(file).substr(at, 16384));
    ASSERT_TRUE(store_->sync());
  }
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_EQ(extents().written_bytes, kChunkBytes);
  expect_file(file);
  // Writes small pieces over the large ones, at last so many that the value is written anew.
  auto changed = file;
  for (std::size_t at = 100; at < kChunkBytes; at += 4000) {
    changed.replace(at, 3000, random_text(random, 3000));
    write(at, std::string_view(changed).substr(at, 3000));
    if (at % 3 == 0) {
      ASSERT_TRUE(store_->checkpoint());
    }
    expect_file(changed);
  }
  changed.resize(std::max(changed.size(), std::size_t{100} + 16 * 4000 + 3000));
  ASSERT_TRUE(store_->checkpoint());
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LE(store_->counters().used_bytes, 4 * kChunkBytes);
  expect_sound(*memory_);
}

TEST_F(LateBinding, WhatOthersHaveCoveredGivesItsSpaceBack) {
  Random random(5);
  std::string file(kChunkBytes, '\0');
  for (int round = 0; round < 200; ++round) {
    const auto at = random.below(7) * 8192 + random.below(100);
    const auto piece = random_text(random, 8192);
    file.replace(at, piece.size(), piece);
    write(at, piece);
    ASSERT_TRUE(store_->checkpoint());
  }
  write(kChunkBytes - 1, std::string_view(file).substr(kChunkBytes - 1));
  ASSERT_TRUE(store_->checkpoint());
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LE(store_->counters().used_bytes, 4 * kChunkBytes);
  expect_file(file);
  expect_sound(*memory_);
}

// The covered part of a long piece is not written, neither alone nor with the rest.
TEST_F(LateBinding, AShortRestOfALongPieceIsWrittenAlone) {
  Random random(7);
  constexpr std::size_t kLongBytes = std::size_t{1} << 20;
  std::string file = random_text(random, kLongBytes);
  Batch batch;
  batch.patch(numbered_key(0), 0, file);
  ASSERT_TRUE(store_->apply(batch));
  for (std::size_t at = 3000; at < kLongBytes; at += 30'000) {
    const auto piece = random_text(random, std::min<std::size_t>(30'000, kLongBytes - at));
    file.replace(at, piece.size(), piece);
    Batch other;
    other.patch(numbered_key(0), at, piece);
    ASSERT_TRUE(store_->apply(other));
  }
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LE(written_bytes(), 1.05 * kLongBytes);
  EXPECT_EQ(*store_->get(numbered_key(0)).value(), file);
  expect_sound(*memory_);
}

// Small nodes, so that removals take effect at once.
class LateBindingOfSmallNodes : public LateBinding {
 protected:
  LateBindingOfSmallNodes()
      : LateBinding({.basement_bytes = 1024, .buffer_bytes = 4096, .fanout = 8}) {}
};

TEST_F(LateBindingOfSmallNodes, CleaningMovesThem) {
  options_.spare_bytes = 4096;
  options_.punch_bytes = SIZE_MAX;
  reopen();
  constexpr std::size_t kChunks = 200;
  constexpr std::size_t kKept = 20;
  Random random(6);
  std::string file(kChunks * kChunkBytes, '\0');
  for (std::size_t i = kChunks; i-- > 0;) {  // backwards, so that the first ones lie at the end
    for (const std::size_t within : {std::size_t{0}, std::size_t{20000}, kChunkBytes - 9000}) {
      const auto at = i * kChunkBytes + within;
      file.replace(at, 9000, random_text(random, 9000));
      write(at, std::string_view(file).substr(at, 9000));
    }
    ASSERT_TRUE(store_->sync());
  }
  ASSERT_TRUE(store_->checkpoint());
  const auto before = size_bytes("extents");
  Batch batch;
  batch.remove_range({numbered_key(kKept), std::nullopt});
  ASSERT_TRUE(store_->apply(batch));
  for (int i = 0; i < 5; ++i) {
    Batch other;
    other.put("key", std::to_string(i));
    ASSERT_TRUE(store_->apply(other));
    ASSERT_TRUE(store_->checkpoint());
  }
  EXPECT_GT(store_->counters().moved_bytes, kKept * 3 * 9000 / 2);
  EXPECT_LT(size_bytes("extents"), before / 2);
  expect_file(file.substr(0, kKept * kChunkBytes));
  expect_sound(*memory_);
  reopen();
  expect_file(file.substr(0, kKept * kChunkBytes));
}

// A value that becomes large in tables is in no group. Batches must not wait until it is bound,
// which may never happen.
TEST(LateBindingThatFails, KeepsNoBatchWaiting) {
  const auto env = storage::make_memory_env(1);
  bool is_broken = false;
  HookEnv hooked(*env, [&](storage::CallKind kind, const std::string& path) -> Status {
    const bool is_hit = is_broken && kind == storage::CallKind::kWrite && path == "/s/extents";
    return is_hit ? Status(Error(ErrorKind::kIo, 1194, "broken").in_file(path)) : ok();
  });
  StoreOptions options;
  options.create = true;
  options.table_bytes = std::size_t{64} << 10;
  auto store = open_store(hooked, options);
  for (std::uint64_t i = 0; i < 15; ++i) {
    Batch batch;
    batch.patch("key", i * 4096, std::string(4096, 'b'));
    ASSERT_TRUE(store->apply(batch));
    ASSERT_TRUE(store->sync());
  }
  is_broken = true;
  EXPECT_FALSE(store->maintain());
  Batch batch;
  batch.put("other", "value");
  EXPECT_TRUE(store->apply(batch));
  is_broken = false;
  ASSERT_TRUE(store->checkpoint());
  EXPECT_EQ(store->get("key").value()->size(), 15U * 4096);
}

// The values stay in the tree.
TEST(LateBindingWithoutSpace, LosesNothing) {
  const auto env = storage::make_memory_env(1);
  bool is_full = false;
  HookEnv hooked(*env, [&](storage::CallKind kind, const std::string& path) -> Status {
    const bool is_hit = is_full && kind == storage::CallKind::kAllocate && path == "/s/extents";
    return is_hit ? Status(Error(ErrorKind::kNoSpace, 1193, "no space").in_file(path)) : ok();
  });
  StoreOptions options;
  options.create = true;
  auto store = open_store(hooked, options);
  is_full = true;
  const std::string bytes(3000, 'b');
  std::string expected;
  for (int i = 0; i < 10; ++i) {
    Batch batch;
    batch.patch("key", expected.size(), bytes);
    ASSERT_TRUE(store->apply(batch));
    expected += bytes;
  }
  ASSERT_TRUE(store->sync());
  EXPECT_EQ(values_of(*store), (std::map<std::string, std::string>{{"key", expected}}));
  store = nullptr;
  store = open_store(hooked, options);
  EXPECT_EQ(values_of(*store), (std::map<std::string, std::string>{{"key", expected}}));
}

}  // namespace
}  // namespace dgfs::test
