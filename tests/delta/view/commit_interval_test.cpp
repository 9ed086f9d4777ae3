// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <chrono>

#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::kRoot;

class CommitInterval : public testing::Test {
 protected:
  void open(std::chrono::milliseconds interval) {
    viewed_.tree().file("file", "contents");
    viewed_.options().commit_interval = interval;
    viewed_.open();
  }
  [[nodiscard]] view::View& view() { return viewed_.view(); }
  [[nodiscard]] std::uint64_t syncs() {
    std::uint64_t syncs = 0;
    for (const auto& [path, counts] : viewed_.delta_calls()) {
      if (path.starts_with(ViewedTree::kDelta)) syncs += counts.syncs;
    }
    return syncs;
  }
  // The number of ten changes that were synced before they returned.
  [[nodiscard]] int synced_changes() {
    const auto file = view().lookup(kRoot, "file").value().object;
    int synced = 0;
    const auto expect_change = [&](const auto& done) {
      EXPECT_TRUE(done);
      return done.has_value();
    };
    auto before = syncs();
    const auto count = [&](bool is_done) {
      const auto now = syncs();
      if (is_done && now > before) ++synced;
      before = now;
    };
    count(expect_change(view().make_directory(kRoot, "d", 0755, {})));
    count(expect_change(view().create(kRoot, "new", {}, {})));
    count(expect_change(view().write(file, 3, as_bytes("abc"))));
    count(expect_change(view().append(file, as_bytes("abc"))));
    view::AttributeChange change;
    change.permissions = 0600;
    count(expect_change(view().set_attributes(file, change)));
    count(expect_change(view().set_xattr(file, "user.a", as_bytes("value"))));
    count(expect_change(view().link(file, kRoot, "other")));
    count(expect_change(view().rename(kRoot, "new", kRoot, "newer")));
    count(expect_change(view().unlink(kRoot, "newer")));
    count(expect_change(view().remove_directory(kRoot, "d")));
    return synced;
  }

  ViewedTree viewed_;
};

TEST_F(CommitInterval, OfZeroMakesEachChangeDurableBeforeItReturns) {
  open(std::chrono::milliseconds(0));
  EXPECT_EQ(synced_changes(), 10);
}

TEST_F(CommitInterval, OfASecondSyncsNoChangeByItself) {
  open(std::chrono::milliseconds(1000));
  EXPECT_LE(synced_changes(), 1) << "only the reservation of object numbers may sync";
}

}  // namespace
}  // namespace dgfs::test
