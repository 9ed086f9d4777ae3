// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a view costs: reads of the index for untouched objects, and bytes that an operation writes.
// The test counts them at the files.
#include <functional>

#include "tests/delta/view/view_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

class ViewCost : public testing::Test {
 protected:
  static constexpr int kDirectories = 60;
  static constexpr int kFiles = 100;
  static constexpr int kLargeFiles = 4000;

  ViewCost() {
    for (int d = 0; d < kDirectories; ++d) {
      tree().directory(name_of(d));
      for (int f = 0; f < kFiles; ++f) {
        tree().file(name_of(d) + "/" + name_of(f), "content of " + std::to_string(d * f));
      }
    }
    tree().directory("large");
    for (int f = 0; f < kLargeFiles; ++f) tree().file("large/" + name_of(f), "");
    viewed_.open();
  }

  [[nodiscard]] PackedTree& tree() { return viewed_.tree(); }
  [[nodiscard]] view::View& view() { return viewed_.view(); }
  [[nodiscard]] static std::string name_of(int i) { return "a-name-" + std::to_string(i); }
  [[nodiscard]] std::uint64_t image_reads() {
    return tree().index_counts().reads + tree().image_counts().reads;
  }
  [[nodiscard]] std::uint64_t delta_calls() {
    std::uint64_t calls = 0;
    for (const auto& [path, counts] : viewed_.delta_calls()) {
      if (path.starts_with(ViewedTree::kDelta)) {
        calls += counts.opens + counts.reads + counts.writes + counts.syncs;
      }
    }
    return calls;
  }
  [[nodiscard]] std::uint64_t delta_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& [path, counts] : viewed_.delta_calls()) {
      if (path.starts_with(ViewedTree::kDelta)) bytes += counts.written_bytes;
    }
    return bytes;
  }
  // Reads of a freshly opened image, calls at the files of the delta, and bytes written to them.
  struct Cost {
    std::uint64_t reads = 0;
    std::uint64_t delta_calls = 0;
    std::uint64_t delta_bytes = 0;
  };
  Cost cost_of(const std::function<void()>& work) {
    viewed_.reopen_image();
    const auto reads = image_reads();
    const auto calls = delta_calls();
    const auto bytes = delta_bytes();
    work();
    return {image_reads() - reads, delta_calls() - calls, delta_bytes() - bytes};
  }
  Cost cost_of_move(const std::string& name) {
    return cost_of([&] {
      value_of(view().rename(kRoot, name, kRoot, name + " moved"));
      expect_ok(view().sync());
    });
  }
  // Uses some hundreds of names all over the image.
  template <class Use>
  static void for_names(Use use) {
    Random random(7);
    for (int i = 0; i < 300; ++i) {
      use(name_of(static_cast<int>(random.below(kDirectories - 1))),
          name_of(static_cast<int>(random.below(2 * kFiles))));
    }
  }
  void look_up_in_image() {
    for_names([&](const std::string& directory, const std::string& name) {
      const auto found = value_of(viewed_.image().lookup(kRoot, directory));
      const auto child = viewed_.image().lookup(found.inode, name);
      if (child) value_of(viewed_.image().by_inode(child.value().inode));
    });
  }
  void look_up_in_view() {
    for_names([&](const std::string& directory, const std::string& name) {
      const auto found = value_of(view().lookup(kRoot, directory)).object;
      const auto child = view().lookup(found, name);
      if (child) value_of(view().attributes(child.value().object));
    });
  }
  // Fills the last directory, which the lookups do not touch.
  void fill_delta(const std::string& prefix) {
    const auto directory = value_of(view().lookup(kRoot, name_of(kDirectories - 1))).object;
    for (int i = 0; i < 2000; ++i) {
      value_of(view().create(directory, prefix + std::to_string(i), {}, {}));
    }
  }

  ViewedTree viewed_;
};

TEST_F(ViewCost, LookupsOfWhatNobodyTouchedReadNoMoreThanTheImageDoes) {
  const auto plain = cost_of([&] { look_up_in_image(); });
  EXPECT_GE(plain.reads, 3U);
  const auto empty = cost_of([&] { look_up_in_view(); });
  EXPECT_EQ(empty.reads, plain.reads);
  EXPECT_EQ(empty.delta_calls, 0U);
  fill_delta("new-");
  viewed_.seal();
  fill_delta("newer-");
  const auto full = cost_of([&] { look_up_in_view(); });
  EXPECT_EQ(full.reads, plain.reads);
  EXPECT_EQ(full.delta_calls, 0U);
}

// A rename writes a few records in one group of the log, however much lies below.
TEST_F(ViewCost, ARenameOfADirectoryIsTheSameForAnySize) {
  const auto small = cost_of_move(name_of(1));
  const auto large = cost_of_move("large");
  EXPECT_LE(small.delta_bytes, 4096U);
  EXPECT_EQ(large.delta_bytes, small.delta_bytes);
  EXPECT_LE(large.delta_calls, 3U);  // reads a block with the rename before
  EXPECT_LE(small.delta_calls, 2U);
  EXPECT_LE(large.reads, 2U);
  EXPECT_LE(small.reads, 2U);
}

}  // namespace
}  // namespace dgfs::test
