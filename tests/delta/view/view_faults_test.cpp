// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Storage calls of a view fail, at random moments of random operations. The view refuses the whole
// operation. After a failed sync it refuses all changes, and reads go on.
#include <algorithm>
#include <array>
#include <string>

#include "tests/delta/view/faulty_view.h"
#include "tests/delta/view/model/tree_dump.h"

namespace dgfs::test {
namespace {

using Step = ViewOperations::Step;
using storage::CrashLoss;
using storage::FaultKind;

constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                CrashLoss::kRandomSubset, CrashLoss::kScattered};

// How often each event occurred, over all runs. A value.
struct CallsSeen {
  int refused = 0;
  int failed_syncs = 0;
  int over = 0;
  int failed_openings = 0;
};

delta::StoreOptions tight_options() {
  auto options = FaultyView::small_options();
  options.cache_bytes = 0;  // so each read asks the storage, and may fail
  options.parameters.segment_bytes = 1 << 14;
  options.table_bytes = 2048;
  options.dirty_bytes = 4096;
  return options;
}

// Returns whether the view accepts no change any more, although the storage works again.
bool is_over(FaultyView& faulty) {
  const auto synced = faulty.view().sync();
  EXPECT_TRUE(synced || synced.error().kind() == ErrorKind::kIo) << synced.error().message();
  if (synced) faulty.note_synced();
  return !synced;
}

class CallsRun {
 public:
  CallsRun(std::uint64_t seed, CallsSeen& seen)
      : faulty_(seed, tight_options(), FaultyView::small_limits()), seen_(seen) {
    faulty_.faults().lose_with(
        [this](const std::string& path) { expect_ok(faulty_.memory().lose_unsynced(path)); });
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      const bool may_be_over = random().one_in(8) ? sync() : operate();
      if (may_be_over && is_over(faulty_)) come_back();
    }
    faulty_.expect_equal();
    faulty_.reopen();
  }

 private:
  Random& random() { return faulty_.random(); }

  void arm() {
    constexpr std::array kKinds = {FaultKind::kIoError, FaultKind::kTornWrite,
                                   FaultKind::kLostSync};
    faulty_.faults().arm(
        {kKinds.at(random().below(kKinds.size())), 1 + random().below(4), random().one_in(3)});
  }

  // Returns whether a call has failed.
  bool sync() {
    arm();
    const auto synced = faulty_.view().sync();
    const bool has_failed = faulty_.faults().fired() != 0;
    faulty_.disarm();
    if (synced) faulty_.note_synced();
    if (!synced) {
      EXPECT_TRUE(has_failed);
      EXPECT_EQ(synced.error().kind(), ErrorKind::kIo) << synced.error().message();
      ++seen_.failed_syncs;
      faulty_.expect_equal();
    }
    return has_failed;
  }

  bool operate() {
    const auto operation = faulty_.next_operation();
    SCOPED_TRACE(to_string(operation));
    faulty_.perform_with([&](const Operation& of_view, view::View& view) {
      arm();
      auto result = FaultyView::perform_plainly(of_view, view);
      has_failed_ = faulty_.faults().fired() != 0;
      faulty_.disarm();
      return result;
    });
    const auto step = faulty_.run(operation);
    faulty_.perform_with(FaultyView::perform_plainly);
    if (step != Step::kRefused) return has_failed_;
    ++seen_.refused;
    EXPECT_TRUE(has_failed_);
    EXPECT_EQ(faulty_.refusal(), ErrorKind::kIo);
    faulty_.expect_equal();
    if (is_over(faulty_)) return true;
    EXPECT_EQ(faulty_.run(operation), Step::kAgreed) << "without faults, operations succeed again";
    return true;
  }

  // The view accepts no change, but reads succeed; then it is opened again.
  void come_back() {
    ++seen_.over;
    for (int i = 0; i < 12; ++i) expect_unchanged(faulty_.next_operation());
    if (random().one_in(2)) {
      faulty_.crash(kLosses.at(random().below(kLosses.size())), random().below(1'000'000));
    } else {
      faulty_.drop();
    }
    faulty_.open_layers();
    faulty_.faults().arm({FaultKind::kIoError, 1 + random().below(8), random().one_in(2)});
    const auto opened = faulty_.open_view();
    faulty_.disarm();
    if (!opened) {
      ++seen_.failed_openings;
      EXPECT_EQ(opened.error().kind(), ErrorKind::kIo) << opened.error().message();
      faulty_.drop();
      faulty_.open_layers();
      expect_ok(faulty_.open_view());
    }
    faulty_.expect_state();
  }

  void expect_unchanged(const Operation& operation) {
    SCOPED_TRACE(to_string(operation));
    const auto before = dump(ModelFacts(faulty_.model()), ids_without_name(faulty_.model()));
    const auto step = faulty_.run(operation);
    if (step == Step::kRefused) {
      EXPECT_EQ(faulty_.refusal(), ErrorKind::kIo);
    } else if (operation.verb != Verb::kRelease) {  // an object without a record ends in memory
      EXPECT_TRUE(before == dump(ModelFacts(faulty_.model()), ids_without_name(faulty_.model())));
    }
    faulty_.expect_equal();
  }

  FaultyView faulty_;
  CallsSeen& seen_;
  bool has_failed_ = false;
};

TEST(ViewFaults, AnOperationHappensOrTheViewSaysThatItDidNot) {
  CallsSeen seen;
  for (std::uint64_t seed = 0; seed < 8 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CallsRun(seed, seen).run(200);
  }
  EXPECT_GT(seen.refused, 100);
  EXPECT_GT(seen.failed_syncs, 10);
  EXPECT_GT(seen.over, 30);
  EXPECT_GT(seen.failed_openings, 10);
}

// One failed call of the log is enough, even if later calls succeed.
TEST(ViewFaults, AFailedSyncIsTheLastChange) {
  FaultyView faulty(1, tight_options(), FaultyView::small_limits());
  ASSERT_TRUE(faulty.view().create(view::kRoot, "a file", {}, {}));
  faulty.faults().only_for(
      [](const std::string& path) { return path.find("/log.") != std::string::npos; });
  faulty.faults().arm({FaultKind::kIoError, 1, false});
  EXPECT_EQ(faulty.view().sync().error().kind(), ErrorKind::kIo);
  EXPECT_EQ(faulty.faults().fired(), 1U);
  faulty.disarm();
  EXPECT_EQ(faulty.view().sync().error().kind(), ErrorKind::kIo);
  EXPECT_EQ(faulty.view().create(view::kRoot, "another", {}, {}).error().kind(), ErrorKind::kIo);
  EXPECT_EQ(faulty.view().unlink(view::kRoot, "a file").error().kind(), ErrorKind::kIo);
  EXPECT_TRUE(faulty.view().lookup(view::kRoot, "a file"));
  EXPECT_EQ(faulty.view().close().error().kind(), ErrorKind::kIo);
}

}  // namespace
}  // namespace dgfs::test
