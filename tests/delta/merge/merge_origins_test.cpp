// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Merges of merges: the volumes that a new image needs, and those that it takes over.
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <utility>

#include "tests/delta/merge/merge_volumes.h"

namespace dgfs::test {
namespace {

class MergeOrigins : public MergeVolumes {
 protected:
  /// Merges a change, and goes on over an image whose own volume the next merge would fold.
  void merge_first() {
    changed_.change([](view::View& view) { make_file(view, "d/first", kFirst); });
    changed_.merge();
    changed_.go_on();
    changed_.change(
        [](view::View& view) { make_file(view, "d/larger", std::string(20'000, 'l')); });
  }
  builder::BuildReport merge_again() {
    auto plan = plan_of();
    plan.build.image_path = kNewer;
    return changed_.merge(plan);
  }
  static constexpr const char* kFirst = "packed by the first merge";
};

TEST_F(MergeOrigins, OriginsOfOriginsAreCopied) {
  pack({"/out/t.1"});
  const auto first = changed_.open_image(kImage)->superblock().uuid;
  change_file(3);
  changed_.change([](view::View& view) {
    make_file(view, "d/large", std::string(200'000, 'l'));  // so that no merge folds its volume
  });
  changed_.merge();
  const auto second = changed_.open_image()->superblock().uuid;
  changed_.go_on();
  change_file(4);
  auto plan = plan_of();
  plan.build.image_path = kNewer;
  plan.build.volume_paths = {"/out/newer.1"};
  changed_.merge(plan);
  const auto image = changed_.merged(kNewer);
  std::set<std::pair<format::Uuid, int>> seen;
  std::set<int> numbers;
  for (const auto& origin : image->volume_origins()) {
    seen.emplace(origin.image, origin.own_number);
    numbers.insert(origin.number);
  }
  const std::set<std::pair<format::Uuid, int>> expected{{first, 0}, {first, 1}, {second, 0}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(numbers, (std::set<int>{2, 3, 4})) << "0 and 1 are its own";
  // The image between is not needed for its index.
  expect_ok(memory().remove(std::string(kNew) + ".idx"));
  EXPECT_EQ(content_at(*changed_.open_image(kNewer), name_of(4)), changed_content(4));
  EXPECT_EQ(content_at(*changed_.open_image(kNewer), name_of(3)), changed_content(3));
}

// A merge takes over the volumes of earlier ones that are not larger than what it packs.
TEST_F(MergeOrigins, ManyMergesNeedFewVolumes) {
  pack();
  std::size_t folded = 0;
  for (int i = 1; i <= 15; ++i) {
    SCOPED_TRACE("merge " + std::to_string(i));
    changed_.change([&](view::View& view) {
      make_file(view, "d/new " + std::to_string(i), std::string(5000, static_cast<char>('A' + i)));
    });
    auto plan = plan_of();
    plan.build.image_path = "/out/merge-" + std::to_string(i) + ".dgfs";
    const auto report = changed_.merge(plan);
    folded += report.packed_files - 1;
    const auto image = changed_.merged(plan.build.image_path);
    // The first image, and one for each power of two, as in a binary counter.
    EXPECT_LE(image->volume_origins().size(),
              static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(i))));
    changed_.go_on(plan.build.image_path);
  }
  EXPECT_LE(folded, 15U * 3) << "a file is packed again once for each doubling";
}

TEST_F(MergeOrigins, AVolumeWithoutAUsedByteIsNotNeeded) {
  pack({"/out/t.1", "/out/t.2"});
  const auto old = changed_.open_image(kImage);
  changed_.change([&](view::View& view) {
    for (int i = 0; i < kFiles; ++i) {
      if (value_of(old->lookup(name_of(i))).data.volume == 1) remove_name(view, name_of(i));
    }
  });
  changed_.merge();
  for (const auto& origin : changed_.merged()->volume_origins()) EXPECT_NE(origin.own_number, 1);
  expect_ok(memory().remove("/out/t.1"));
  static_cast<void>(changed_.open_image());
}

TEST_F(MergeOrigins, AllThatIsPackedAnewNeedsNoOtherImage) {
  pack({"/out/t.1"});
  change_file(3);
  const auto report = changed_.merge(plan_of(MergeKind::kRepacks));
  EXPECT_EQ(report.kept_files, 0U);
  const auto image = changed_.merged();
  EXPECT_TRUE(image->volume_origins().empty());
  EXPECT_EQ(image->superblock().incompat & format::feature::kIncompatForeignVolumes, 0U);
  expect_ok(memory().remove(kImage));
  expect_ok(memory().remove("/out/t.1"));
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_EQ(content_at(*changed_.open_image(), name_of(i)),
              i == 3 ? changed_content(i) : content_of(i));
  }
}

TEST_F(MergeOrigins, ASmallVolumeOfAMergeIsTakenOver) {
  pack();
  merge_first();
  EXPECT_EQ(merge_again().packed_files, 2U);
  const auto image = changed_.merged(kNewer);
  EXPECT_EQ(image->volume_origins().size(), 1U);
  expect_ok(memory().remove(kNew));
  EXPECT_EQ(content_at(*changed_.open_image(kNewer), "d/first"), kFirst);
}

// What need not be read must not fail a merge.
TEST_F(MergeOrigins, ADamagedVolumeIsKeptInstead) {
  pack();
  merge_first();
  damage("d/first", kNew, 3);
  EXPECT_EQ(merge_again().packed_files, 1U);
  const auto image = changed_.open_image(kNewer);
  EXPECT_EQ(image->volume_origins().size(), 2U);
  const auto error = contents(*image, value_of(image->lookup("d/first")));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(content_at(*image, "d/larger"), std::string(20'000, 'l'));
  EXPECT_EQ(content_at(*image, name_of(3)), content_of(3));
}

TEST_F(MergeOrigins, AMissingVolumeIsKeptInstead) {
  pack();
  changed_.change([](view::View& view) { make_file(view, "d/first", kFirst); });
  auto plan = plan_of();
  plan.build.volume_paths = {"/out/new.1", "/out/new.2"};
  plan.build.volume_groups = builder::GroupLimits{1, 1 << 20};
  changed_.change([](view::View& view) { make_file(view, "d/second", "in another volume"); });
  changed_.merge(plan);
  const auto volume = [&](const std::string& path) {
    const auto image = changed_.open_image();
    return value_of(image->volume_path(value_of(image->lookup(path)).data.volume));
  };
  const auto missing = volume("d/second");
  ASSERT_NE(missing, kNew);
  changed_.go_on();
  changed_.change([](view::View& view) { make_file(view, "d/larger", std::string(20'000, 'l')); });
  const auto away = std::string(kAway) + "/volume";
  expect_ok(memory().rename(missing, away));
  merge_again();
  EXPECT_FALSE(contents(*changed_.open_image(kNewer),
                        value_of(changed_.open_image(kNewer)->lookup("d/second"))));
  expect_ok(memory().rename(away, missing));
  EXPECT_EQ(content_at(*changed_.merged(kNewer), "d/second"), "in another volume");
}

}  // namespace
}  // namespace dgfs::test
