// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/store/crash/crash_workload.h"

#include <utility>

namespace dgfs::test {

using delta::Store;

void CrashWorkload::run(StoppingEnv& env, std::size_t batches,
                        const std::function<void(Store&)>& when_failed) {
  Random random(seed_ + 1);
  history_ = CrashHistory();
  env.begin(Step::kOpen);
  auto opened = Store::open(env.env(), "/s", options_);
  if (!opened) return;
  const auto store = std::move(opened).value();
  for (std::size_t i = 0; i < batches; ++i) {
    if (!run_batch(env, *store, random)) return when_failed(*store);
  }
}

bool CrashWorkload::run_batch(StoppingEnv& env, Store& store, Random& random) {
  const auto acknowledge = [&](const Status& status) {
    const bool is_told = status && !env.has_stopped();
    if (is_told) history_.note_durable();
    return is_told;
  };
  const auto batch = random_batch(random, shape_);
  // A batch whose call fails may be in the store: the failure may be that of a sync around it.
  history_.add(batch);
  env.begin(Step::kOther);
  if (!store.apply(batch)) return false;
  const bool is_durable = options_.commit_interval.count() == 0;
  if (is_durable && !acknowledge(Status(ok()))) return false;
  env.begin(Step::kOther);
  if (random.one_in(4) && !acknowledge(store.sync())) return false;
  env.begin(Step::kOther);
  if (random.one_in(12) && !store.maintain()) return false;
  env.begin(Step::kOther);
  return !random.one_in(20) || acknowledge(store.checkpoint());
}

void CrashWorkload::run_on(storage::Env& env, std::size_t batches,
                           const std::function<void(std::size_t)>& before_batch) {
  Random random(seed_ + 1);
  history_ = CrashHistory();
  auto opened = Store::open(env, "/s", options_);
  if (!opened) return;
  const auto store = std::move(opened).value();
  for (std::size_t i = 0; i < batches; ++i) {
    before_batch(i);
    auto batch = random_batch(random, shape_);
    batch.set_class(static_cast<delta::BatchClass>(random.below(3)));
    if (const auto applied = store->apply(batch)) {
      history_.add(batch);
    } else if (applied.error().kind() == ErrorKind::kNoSpace && random.one_in(4)) {
      static_cast<void>(store->make_space());
    }
    if (random.one_in(4) && store->sync()) history_.note_durable();
    if (random.one_in(12)) static_cast<void>(store->maintain());
    if (random.one_in(20) && store->checkpoint()) history_.note_durable();
    expect_answer(*store, random_key(random, shape_));
    if (testing::Test::HasFailure()) return;
  }
}

void CrashWorkload::expect_answer(const Store& store, const std::string& key) const {
  const auto found = store.get(key);
  if (!found) {
    ASSERT_NE(found.error().message().find("/s/"), std::string::npos) << found.error().message();
    return;
  }
  const auto at = history_.values().find(key);
  ASSERT_EQ(found.value().has_value(), at != history_.values().end()) << key;
  if (found.value()) {
    ASSERT_EQ(*found.value(), at->second) << key;
  }
}

}  // namespace dgfs::test
