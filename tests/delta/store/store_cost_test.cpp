// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Calls that a store promises not to make. The test counts calls at the storage.
#include <gtest/gtest.h>

#include "storage/forwarding_env.h"
#include "tests/delta/store/counted_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

class StoreCost : public CountedStore {
 protected:
  StoreCost() : CountedStore({4096, 8192, 8, 1 << 20}) {}

  void put_many(int count, std::size_t value_bytes) {
    for (int i = 0; i < count; ++i) put(i, std::string(value_bytes, 'v'));
    ASSERT_TRUE(store_->checkpoint());
  }
};

TEST_F(StoreCost, ChangesReadNothing) {
  put_many(2000, 100);
  reopen();
  for (int i = 0; i < 2000; i += 3) {
    Batch batch;
    batch.patch(numbered_key(i), 5, "four");
    batch.change_field(numbered_key(i + 1), {0, FieldOperation::kAdd, 1});
    batch.remove_range({numbered_key(i + 2), numbered_key(i + 3)});
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(counts("blocks").reads, 0U);
}

// Each look at this clock moves it on by one.
class TickingEnv : public storage::ForwardingEnv {
 public:
  using EnvForwarder::EnvForwarder;
  std::uint64_t monotonic_ns() const override { return ++ticks_; }

 private:
  mutable std::uint64_t ticks_ = 0;
};

TEST_F(StoreCost, WritersThatWaitAreTimed) {
  const auto memory = storage::make_memory_env(2);
  TickingEnv env(*memory);
  const auto store = open_store(env, options_);
  for (int i = 0; i < 4000; ++i) {
    if (i == 100) {
      EXPECT_EQ(store->counters().log_wait_ns, 0U) << "the first group still has room";
    }
    Batch batch;
    batch.put(numbered_key(i), std::string(1000, 'v'));
    ASSERT_TRUE(store->apply(batch));
  }
  EXPECT_GT(store->counters().log_wait_ns, 0U);
  EXPECT_GT(store->counters().tree_wait_ns, 0U);
  EXPECT_EQ(store->counters().space_wait_ns, 0U);
}

// Nodes hold the filters of basements.
TEST_F(StoreCost, KeysThatAreNotThereReadNodesAlone) {
  put_many(4000, 100);
  const auto tree = report();
  ASSERT_GT(tree.basements, 100U);
  reopen();
  for (int i = 0; i < 1000; ++i) {
    const auto found = store_->get(numbered_key(4 * i) + "x");
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_FALSE(found.value());
  }
  EXPECT_LE(counts("blocks").reads, 1000 * (tree.height + 1) + 50);
}

// A basement has sixteen pages, and its node knows their first keys. A lookup of a missing key
// reads only nodes.
TEST_F(StoreCost, AKeyReadsAPageOfItsBasement) {
  options_.level = 0;
  reopen();
  put_many(4000, 100);
  const auto tree = report();
  constexpr int kGets = 500;
  const auto read_bytes = [this](const std::string& ending) {
    reopen();
    for (int i = 0; i < kGets; ++i) {
      const auto found = store_->get(numbered_key(7 * i) + ending);
      EXPECT_TRUE(found && found.value().has_value() == ending.empty());
    }
    return counts("blocks").read_bytes;
  };
  const auto node_bytes = read_bytes("x");
  const auto page_bytes = (read_bytes("") - node_bytes) / kGets;
  EXPECT_GT(page_bytes, 100U);
  EXPECT_LT(page_bytes, tree.basement_bytes / tree.basements / 4);
}

// A lower layer may lie below, so patches stay patches.
struct StoreOfALayer : CountedStore {
  StoreOfALayer() : CountedStore({4096, 8192, 8, 1 << 20, 2048, UINT64_MAX}) {
    options_.level = 0;
    reopen();
  }

  struct Cost {
    std::uint64_t basements = 0;
    std::uint64_t written_bytes = 0;  ///< of the file of blocks
    std::uint64_t read_bytes = 0;     ///< by lookups, from the file of blocks
  };
  /// @param change  adds an operation on a key to a batch
  template <class Change>
  [[nodiscard]] Cost cost_of(int count, const Change& change) {
    for (int i = 0; i < count; ++i) {
      Batch batch;
      change(numbered_key(i * 7919 % count), batch);
      EXPECT_TRUE(store_->apply(batch));
    }
    EXPECT_TRUE(store_->checkpoint());
    Cost cost{report().basements, counts("blocks").written_bytes, 0};
    reopen();
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(store_->find(numbered_key(i * 31 % count)));
    cost.read_bytes = counts("blocks").read_bytes;
    return cost;
  }

 private:
  void TestBody() override {}
};

// Patches take about as many bytes as puts of the same length, in blocks, and in memory, where the
// size decides how runs are cut.
TEST(StoreCostOfEdits, IsThatOfPuts) {
  constexpr int kKeys = 10'000;
  const auto puts = StoreOfALayer().cost_of(
      kKeys, [](const std::string& key, Batch& batch) { batch.put(key, "12345678"); });
  const auto patches = StoreOfALayer().cost_of(
      kKeys, [](const std::string& key, Batch& batch) { batch.patch(key, 1000, "1234"); });
  EXPECT_GT(puts.basements, 50U);
  const auto expect_alike = [](std::uint64_t a, std::uint64_t b) {
    EXPECT_LT(a, b + b / 4);
    EXPECT_LT(b, a + a / 4);
  };
  expect_alike(patches.basements, puts.basements);
  expect_alike(patches.written_bytes, puts.written_bytes);
  expect_alike(patches.read_bytes, puts.read_bytes);
}

// The store reads the covered nodes to find their blocks, but no basements.
TEST_F(StoreCost, CoveredBasementsAreFreedUnread) {
  put_many(4000, 100);
  const auto before = report();
  ASSERT_GT(before.basements, 100U);
  reopen();
  Batch batch;
  batch.remove_range({numbered_key(100), numbered_key(3900)});
  ASSERT_TRUE(store_->apply(batch));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LE(counts("blocks").reads, before.nodes + 4);
  // Applied twice, because the first checkpoint keeps what the one before may need.
  ASSERT_TRUE(store_->apply(batch));
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_LT(report().used_bytes, before.used_bytes / 5);
  EXPECT_EQ(values_of(*store_).size(), 200U);
}

TEST_F(StoreCost, ASmallChangeTakesItsOwnBytesAndSixteenInTheLog) {
  constexpr int kChanges = 5000;
  std::uint64_t own_bytes = 0;
  for (int i = 0; i < kChanges; ++i) {
    Batch batch;
    batch.patch(numbered_key(i), 70000, "fourfour");
    own_bytes += numbered_key(i).size() + 8;
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->sync());
  EXPECT_LE(logged_bytes(), own_bytes + 16 * kChanges);
  EXPECT_GT(logged_bytes(), 8U * kChanges);
}

TEST_F(StoreCost, WhatDiesWithinAGroupIsNeverWritten) {
  for (int i = 0; i < 300; ++i) {
    Batch batch;
    batch.put("key", std::string(2000, static_cast<char>('a' + i % 26)));
    batch.put("other", std::string(2000, 'x'));
    batch.remove("other");
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(logged_bytes(), 4096U);
}

TEST_F(StoreCost, BlocksAreCompressed) {
  options_.level = 0;
  reopen();
  put_many(2000, 100);
  const auto plain = counts("blocks").written_bytes;
  EXPECT_GT(plain, 2000U * 100);
  options_.level = 1;
  reopen();
  put_many(2000, 100);
  EXPECT_LT(counts("blocks").written_bytes, plain / 4);
}

// A scan skips a range that a range delete covers, at no cost.
TEST_F(StoreCost, AScanSeeksPastWhatIsGone) {
  put_many(4000, 100);
  reopen();
  Batch batch;
  batch.remove_range({numbered_key(10), numbered_key(3990)});
  ASSERT_TRUE(store_->apply(batch));
  EXPECT_EQ(values_of(*store_).size(), 20U);
  EXPECT_LE(counts("blocks").reads, 20U);
}

// A range delete takes some hundreds of keys out of a table at most. For more, the rest waits in a
// separate table until runs are merged.
TEST_F(StoreCost, ARangeDeleteOfManyKeysLeavesTheTableAsItIs) {
  for (int i = 0; i < 1000; ++i) put(i, "value");
  const auto tables = [this] { return store_->counters().tables; };
  const auto remove = [this](int begin, int end) {
    Batch batch;
    batch.remove_range({numbered_key(begin), numbered_key(end)});
    ASSERT_TRUE(store_->apply(batch));
  };
  const auto before = tables();
  remove(0, 200);
  EXPECT_EQ(tables(), before);
  remove(100, 900);
  EXPECT_EQ(tables(), before + 1);
  EXPECT_EQ(store_->get(numbered_key(500)).value(), std::nullopt);
  EXPECT_EQ(*store_->get(numbered_key(900)).value(), "value");
  EXPECT_EQ(values_of(*store_).size(), 100U);
  ASSERT_TRUE(store_->sync());
  EXPECT_LE(logged_bytes(), 8192U);  // the covered keys are in no run any more
  reopen();
  EXPECT_EQ(values_of(*store_).size(), 100U);
}

// The same for many range tombstones, many times over.
TEST_F(StoreCost, ManyRangeDeletesOfManyKeysDoNotPileUp) {
  for (int round = 0; round < 100; ++round) {
    Batch batch;
    batch.remove_range({numbered_key(0), numbered_key(2000)});
    for (int i = 0; i < 300; ++i)
      batch.remove_range({numbered_key(3 * i), numbered_key(3 * i + 1)});
    for (int i = 0; i < 300; ++i) batch.put(numbered_key(3 * i + 1), std::to_string(round));
    ASSERT_TRUE(store_->apply(batch));
  }
  EXPECT_GE(store_->counters().tables, 99U);
  EXPECT_EQ(*store_->get(numbered_key(301)).value(), "99");
  EXPECT_EQ(values_of(*store_).size(), 300U);
  ASSERT_TRUE(store_->checkpoint());
  EXPECT_EQ(values_of(*store_).size(), 300U);
}

// A range delete before the new values tells the store so; without it, the store reads each
// basement that gets new values.
TEST_F(StoreCost, ARangeThatIsWrittenAnewIsNotRead) {
  put_many(4000, 100);
  const auto tree = report();
  const auto reads = [this](bool with_range_delete, char value) {
    reopen();
    Batch batch;
    if (with_range_delete) batch.remove_range({numbered_key(100), numbered_key(1100)});
    for (int i = 100; i < 600; ++i) batch.put(numbered_key(i), std::string(100, value));
    EXPECT_TRUE(store_->apply(batch));
    Batch rest;
    for (int i = 600; i < 1100; ++i) rest.put(numbered_key(i), std::string(100, value));
    EXPECT_TRUE(store_->apply(rest));
    EXPECT_TRUE(store_->checkpoint());
    return counts("blocks").reads;
  };
  EXPECT_GE(reads(false, 'w'), tree.basements / 5);
  EXPECT_LE(reads(true, 'x'), report().nodes + 8);
  const auto values = values_of(*store_);
  EXPECT_EQ(values.size(), 4000U);
  EXPECT_EQ(values.at(numbered_key(600)), std::string(100, 'x'));
}

TEST_F(StoreCost, CheckpointsReadNothingFromTheLog) {
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 300; ++i) put(i * 7 + round, std::string(100, 'v'));
    ASSERT_TRUE(store_->sync());
    for (int i = 0; i < 300; ++i) put(i * 11 + round, std::string(100, 'w'));
    ASSERT_TRUE(store_->checkpoint());
  }
  EXPECT_GT(counts("log.0").writes, 2U);
  EXPECT_GT(counts("log.1").writes, 2U);
  EXPECT_EQ(counts("log.0").reads + counts("log.1").reads, 0U);
}

// Without a sync, the store writes a group once it has a quarter of a segment.
TEST_F(StoreCost, AGroupHasAQuarterOfASegmentAtMost) {
  const auto group_bytes = options_.parameters.segment_bytes / 4;
  std::uint64_t written = 0;
  for (int i = 0; logged_bytes() == 0; ++i) {
    ASSERT_LT(written, group_bytes + 1000);
    put(i, std::string(1000, 'v'));
    written += 1000;
  }
  EXPECT_GT(written, group_bytes * 3 / 4);
  EXPECT_LE(logged_bytes(), group_bytes);
}

/// Messages wait above the basements, hundreds in a run.
class WaitingMessages : public CountedStore {
 protected:
  WaitingMessages() : CountedStore({4096, 1 << 20, 8, 1 << 20}) {}
};

// Nodes know which pages have range tombstones. For keys that the run's filter denies, the other
// pages are not read.
TEST_F(WaitingMessages, ARangeDeleteElsewhereIsNotRead) {
  for (int i = 0; i < 4000; ++i) put(i, std::string(100, 'v'));
  ASSERT_TRUE(store_->checkpoint());
  for (int i = 0; i < 4000; i += 8) put(i, std::string(50, 'w'));
  for (int i = 1; i < 4000; i += 400) {
    Batch batch;
    batch.remove_range({numbered_key(i), numbered_key(i + 1)});
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->checkpoint());
  const auto tree = report();
  ASSERT_GE(tree.waiting_tombstones, 10U);
  ASSERT_GT(tree.waiting_points / tree.waiting_runs, 20U);
  const auto reads = [this](int offset) {
    reopen();
    for (int i = offset; i < 4000; i += 400) {
      const auto found = store_->get(numbered_key(i) + "x");
      EXPECT_TRUE(found && !found.value());
    }
    return counts("blocks").reads;
  };
  // Lookups beside a range tombstone read more than those far from all tombstones.
  EXPECT_GE(reads(2), reads(200) + 8);
}

/// Range tombstones wait above the basements, and stay.
class ManyRangeTombstones : public CountedStore {
 protected:
  static constexpr int kKeys = 4000;
  static constexpr int kStep = 40;  ///< between two keys of lookups

  ManyRangeTombstones() : CountedStore({std::uint64_t{64} << 10, 1 << 30, 4, 64 << 20}) {
    options_.level = 0;  // uncompressed, so that the bytes read do not depend on how alike keys are
    // So one push takes all tombstones.
    options_.table_bytes = options_.dirty_bytes = std::size_t{64} << 20;
  }

  struct Reads {
    storage::IoCounts gets;
    storage::IoCounts seeks;
    std::uint64_t node_bytes = 0;  ///< the nodes of the tree; each lookup reads some of them
  };
  /// Reads of a store with keys, and with range deletes over them that touch none of these keys.
  [[nodiscard]] Reads reads(int per_key, int key_step, bool are_in_tree) {
    store_.reset();
    memory_ = storage::make_memory_env(1);
    env_ = storage::make_counting_env(*memory_);
    reopen();
    for (int i = 0; i < kKeys; ++i) put(i, std::string(100, 'v'));
    EXPECT_TRUE(store_->checkpoint());
    for (int i = 0; i < kKeys; i += key_step) {
      Batch batch;
      for (int j = 0; j < per_key; ++j) {
        const auto begin = numbered_key(i) + "-" + std::to_string(10 + j);
        batch.remove_range({begin, begin + "x"});
      }
      EXPECT_TRUE(store_->apply(batch));
    }
    EXPECT_EQ(store_->counters().checkpoints, 1U);
    if (are_in_tree) {
      EXPECT_TRUE(store_->checkpoint());
    }
    return {gets(), seeks(), report().node_bytes};
  }

 private:
  [[nodiscard]] storage::IoCounts gets() {
    env_->reset();
    for (int i = 0; i < kKeys; i += kStep) {
      EXPECT_TRUE(store_->get(numbered_key(i)).value());
    }
    return counts("blocks");
  }
  [[nodiscard]] storage::IoCounts seeks() {
    auto cursor = store_->cursor();
    env_->reset();
    for (int i = 0; i < kKeys; i += kStep) {
      EXPECT_TRUE(cursor.seek(numbered_key(i) + "-"));
      EXPECT_EQ(cursor.key(), numbered_key(i + 1));
    }
    return counts("blocks");
  }
};

TEST_F(ManyRangeTombstones, InTheTableCostNoReads) {
  const auto few = reads(1, 4, false);
  const auto many = reads(25, 1, false);
  EXPECT_EQ(many.gets.reads, few.gets.reads);
  EXPECT_EQ(many.seeks.reads, few.seeks.reads);
  EXPECT_GT(few.gets.reads, 0U);
}

// A run of range tombstones has pages, too. Only the page keys in the nodes grow.
TEST_F(ManyRangeTombstones, InTheTreeCostAsMuchAsFew) {
  const auto few = reads(1, 4, true);
  const auto many = reads(25, 1, true);
  EXPECT_GE(report().waiting_tombstones, 100000U);
  const auto known_bytes = kKeys / kStep * (many.node_bytes - few.node_bytes);
  EXPECT_LT(many.node_bytes, 100000U);
  EXPECT_EQ(many.gets.reads, few.gets.reads);
  EXPECT_LE(many.gets.read_bytes, few.gets.read_bytes + known_bytes);
  // 25 range tombstones lie between two keys, mostly on two pages. A seek enters the second page
  // where a range tombstone begins, and again where that one ends.
  EXPECT_LE(many.seeks.reads, 2 * few.seeks.reads);
  EXPECT_LE(many.seeks.read_bytes, 3 * (few.seeks.read_bytes + known_bytes));
}

}  // namespace
}  // namespace dgfs::test
