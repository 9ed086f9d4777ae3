// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Writers and readers work between two storage calls of maintenance, all on one thread. A seed
// chooses the calls, so that each run can be repeated. The machine stops at every storage call.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "storage/memory/env.h"
#include "tests/delta/store/crash/crash_explorer.h"
#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CallKind;
using storage::CrashLoss;

// A cursor and the values that it must give.
struct Reader {
  Cursor cursor;
  Values expected;
};

class InterleavedWork {
 public:
  explicit InterleavedWork(std::uint64_t seed) : seed_(seed) {
    Random random(seed);
    options_ = tiny_options(random);
    // Writers do no maintenance; the schedule alone decides when it runs.
    options_.table_bytes = std::size_t{1} << 20;
    options_.parameters.segment_bytes = std::uint64_t{1} << 20;
    shape_.keys = 10 + random.below(60);
    // The store reserves space for large values, and may look for it by a checkpoint. That must not
    // happen inside a storage call, so nested work has no large values.
    nested_shape_ = shape_;
    nested_shape_.value_bytes_max = options_.parameters.inline_bytes;
  }

  [[nodiscard]] const StoreOptions& options() const { return options_; }
  [[nodiscard]] const CrashHistory& history() const { return history_; }
  [[nodiscard]] std::size_t nested() const { return nested_; }

  void run(StoppingEnv& stopping, int rounds) {
    random_.emplace(seed_ + 1);
    history_ = CrashHistory();
    stopping_ = &stopping;
    HookEnv env(stopping.env(), [this](CallKind kind, const std::string& path) {
      between(kind, storage::base_name(path));
      return Status(ok());
    });
    auto opened = Store::open(env, "/s", options_);
    if (!opened) return;
    store_ = std::move(opened).value();
    for (int i = 0; i < rounds && !stopping.has_stopped(); ++i) step();
    read_on();
    readers_.clear();
    store_.reset();
  }

 private:
  void step() {
    const auto what = random_->below(10);
    if (what < 6) {
      write(shape_);
    } else if (what == 6) {
      sync();
    } else if (what == 7) {
      is_maintaining_ = true;
      static_cast<void>(store_->maintain());
    } else {
      const auto before = history_.newest();
      is_maintaining_ = true;
      // The checkpoint need not contain batches that came while it ran.
      if (store_->checkpoint() && !stopping_->has_stopped()) history_.note_durable(before);
    }
    is_maintaining_ = false;
  }
  // The store holds the log's lock while it writes the log and binds values. Only during calls at
  // the other files can writers and readers work.
  void between(CallKind kind, const std::string& name) {
    const bool is_call =
        kind == CallKind::kRead || kind == CallKind::kWrite || kind == CallKind::kSync;
    if (!is_maintaining_ || !is_call || (name != "blocks" && name != "store")) return;
    is_maintaining_ = false;
    for (auto times = random_->below(3); times > 0 && !stopping_->has_stopped(); --times) {
      ++nested_;
      const auto what = random_->below(8);
      if (what < 4) {
        write(nested_shape_);
      } else if (what < 6) {
        sync();
      } else if (what == 6) {
        look_up();
      } else {
        readers_.push_back({store_->cursor(), history_.values()});
      }
    }
    is_maintaining_ = true;
  }

  void write(const BatchShape& shape) {
    const auto batch = random_batch(*random_, shape);
    history_.add(batch);
    const auto applied = store_->apply(batch);
    ASSERT_TRUE(applied || stopping_->has_stopped()) << applied.error().message();
  }
  void sync() {
    const auto synced = store_->sync();
    if (synced && !stopping_->has_stopped()) history_.note_durable(history_.newest());
  }
  void look_up() {
    const auto key = random_key(*random_, shape_);
    const auto found = store_->get(key);
    if (!found) return;  // the machine has stopped
    const auto at = history_.values().find(key);
    ASSERT_EQ(found.value().has_value(), at != history_.values().end()) << key;
    if (found.value()) {
      ASSERT_EQ(*found.value(), at->second) << key;
    }
  }
  // Cursors give the values of the time when they were made.
  void read_on() {
    for (auto& [cursor, expected] : readers_) {
      const auto seen = rest_of(cursor);
      if (stopping_->has_stopped()) return;
      ASSERT_TRUE(seen) << seen.error().message();
      ASSERT_EQ(seen.value(), expected);
    }
  }
  static Result<Values> rest_of(Cursor& cursor) {
    Values seen;
    DGFS_CHECK(cursor.seek(""));
    while (cursor.is_at_key()) {
      DGFS_TRY(value, cursor.value());
      seen.emplace(cursor.key(), value);
      DGFS_CHECK(cursor.next());
    }
    return seen;
  }

  std::uint64_t seed_;
  std::optional<Random> random_;
  StoreOptions options_;
  BatchShape shape_;
  BatchShape nested_shape_;
  CrashHistory history_;
  StoppingEnv* stopping_ = nullptr;
  std::unique_ptr<Store> store_;
  std::vector<Reader> readers_;
  bool is_maintaining_ = false;
  std::size_t nested_ = 0;
};

class InterleavingCrash : public testing::TestWithParam<std::uint64_t> {};

TEST_P(InterleavingCrash, OfWritersAndMaintenanceKeepsAPrefix) {
  constexpr int kRounds = 60;
  InterleavedWork work(GetParam());
  bool has_stopped = true;
  for (std::uint64_t call = 1; has_stopped; ++call) {
    const auto disk = storage::make_memory_env(1);
    StoppingEnv stopping(*disk, call);
    work.run(stopping, kRounds);
    has_stopped = stopping.has_stopped();
    ASSERT_FALSE(HasFailure()) << "call " << call;
    disk->crash(call % 2 == 0 ? CrashLoss::kRandomSubset : CrashLoss::kScattered, call);
    expect_recovered(*disk, work.options(), work.history());
    ASSERT_FALSE(HasFailure()) << "call " << call;
  }
  EXPECT_GT(work.nested(), 100U);
}

// The same schedules, longer and without stops.
TEST_P(InterleavingCrash, OfWritersAndMaintenanceAnswersRightly) {
  const auto disk = storage::make_memory_env(1);
  StoppingEnv stopping(*disk, 0);
  InterleavedWork work(GetParam());
  work.run(stopping, 600);
  expect_sound(*disk);
  const auto store = open_store(*disk, work.options());
  ASSERT_NE(store, nullptr);
  EXPECT_TRUE(work.history().find(values_of(*store)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, InterleavingCrash, testing::Range<std::uint64_t>(0, 6));

}  // namespace
}  // namespace dgfs::test
