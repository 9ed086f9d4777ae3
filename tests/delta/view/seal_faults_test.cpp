// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each storage call of a seal of a view fails in turn.
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/delta/view/view_fixture.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CallKind;
using view::kRoot;

// A failure before the switch changes nothing; after it, the view refuses changes until it is
// opened again, and then has all that was durable.
class SealWithAFault {
 public:
  explicit SealWithAFault(ErrorKind kind) : kind_(kind) {
    tree_.file("f", "x");
    tree_.pack();
    image_ = tree_.open();
    options_.create = true;
    options_.parameters = {1024, 4096, 4, 1 << 16, 256};
    options_.table_bytes = 8192;
    expect_ok(delta::DeltaDirectory::create(tree_.memory(), "/delta", image_->superblock().uuid,
                                            image_->superblock().next_inode, options_, 512));
  }

  enum class Outcome : std::uint8_t { kNoFault, kSealed, kRefused, kPoisoned };

  // Seals a view; the storage call with this number fails, counted from the begin of the seal.
  Outcome seal(std::uint64_t call) {
    std::atomic<std::uint64_t> left = 0;
    std::atomic<bool> has_failed = false;
    HookEnv env(tree_.memory(), [&](CallKind, const std::string& path) -> Status {
      if (left == 0 || --left != 0) return ok();
      has_failed = true;
      return Error(kind_, 1133, "a fault").in_file(path);
    });
    const auto delta = value_of(delta::DeltaDirectory::open(env, "/delta", options_));
    const auto view = value_of(view::View::open(env, *image_, *delta, {4, 64}));
    value_of(view->create(kRoot, "durable", {}, {}));
    expect_ok(view->sync());
    left = call;
    const auto made = view->seal({"one", {}});
    while (!view->closing_state()) std::this_thread::yield();
    left = 0;
    const auto later = view->create(kRoot, "later", {}, {});
    has_later_ = later && view->sync();
    EXPECT_EQ(later.has_value(), has_later_);
    EXPECT_TRUE(view->lookup(kRoot, "durable"));
    if (made) {
      EXPECT_TRUE(later) << later.error().message();
    }
    if (!has_failed) return Outcome::kNoFault;
    if (made) return Outcome::kSealed;
    return later ? Outcome::kRefused : Outcome::kPoisoned;
  }

  void expect_whole_tree() {
    const auto delta = value_of(delta::DeltaDirectory::open(tree_.memory(), "/delta", options_));
    const auto view = value_of(view::View::open(tree_.memory(), *image_, *delta, {4, 64}));
    std::vector<std::string> names{"durable", "f"};
    if (has_later_) names.emplace_back("later");
    std::vector<std::string> seen;
    expect_ok(view->list(kRoot, "", [&](const view::View::ListedName& listed) {
      seen.emplace_back(listed.name);
      return true;
    }));
    EXPECT_EQ(seen, names);
    value_of(view->create(kRoot, "again", {}, {}));
    EXPECT_TRUE(value_of(view->seal({"again", {}})).outcome);
    expect_ok(view->close());
  }

 private:
  const ErrorKind kind_;
  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  delta::StoreOptions options_;
  bool has_later_ = false;
};

class SealFaults : public testing::TestWithParam<ErrorKind> {};

TEST_P(SealFaults, EachFailedCallLeavesAWholeTree) {
  using Outcome = SealWithAFault::Outcome;
  std::map<Outcome, int> outcomes;
  for (std::uint64_t call = 1; !outcomes.contains(Outcome::kNoFault); ++call) {
    SCOPED_TRACE(call);
    SealWithAFault run(GetParam());
    ++outcomes[run.seal(call)];
    run.expect_whole_tree();
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(outcomes[Outcome::kRefused], 10);
  EXPECT_GT(outcomes[Outcome::kPoisoned], 3);
  EXPECT_GT(outcomes[Outcome::kSealed], 10);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SealFaults, testing::Values(ErrorKind::kIo, ErrorKind::kNoSpace),
                         [](const auto& kind) {
                           return kind.param == ErrorKind::kIo ? "Io" : "NoSpace";
                         });

}  // namespace
}  // namespace dgfs::test
