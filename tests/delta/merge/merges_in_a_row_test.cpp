// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Many bases of one delta, one after the other: numbers of objects, volumes, and files on the disk.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "tests/delta/merge/offline_fixture.h"

namespace dgfs::test {
namespace {

using view::ObjectNumber;

class MergesInARow : public OfflineMergeTest {
 protected:
  MergesInARow() {
    tree().directory("d");
    for (const char* name : {"d/a", "d/z"}) tree().file(name, std::string(2000, 'x'));
    changed_.pack();
    for (const char* name : {"", "d", "d/a", "d/z"}) {
      given_.insert(value_of(changed_.open_image(kImage)->lookup(name)).inode);
    }
  }
  // Makes files that stay and files that go, all with fresh numbers.
  void make_some(view::View& view) {
    for (int i = 0; i < 5; ++i) {
      expect_fresh(make_file(view, "gone", "x"));
      remove_name(view, "gone");
      expect_fresh(make_next(view));
    }
  }
  // Its content is its number.
  ObjectNumber make_next(view::View& view) {
    const auto number = std::to_string(++files_);
    return make_file(view, "file " + number, number);
  }
  void expect_fresh(ObjectNumber number) {
    EXPECT_TRUE(given_.insert(number).second) << "object " << number << " is given again";
  }
  void expect_all_there() {
    const auto opened = value_of(open_sources(memory(), changed_.sources()));
    std::set<ObjectNumber> objects;
    for (int i = 1; i <= files_; ++i) {
      const auto file = object_at(*opened.view, "file " + std::to_string(i));
      EXPECT_TRUE(objects.insert(file).second);
      std::string bytes(std::to_string(i).size(), '\0');
      value_of(opened.view->read(file, 0, as_mutable_bytes(bytes)));
      EXPECT_EQ(bytes, std::to_string(i));
    }
  }

  std::set<ObjectNumber> given_;
  int files_ = 0;
};

TEST_F(MergesInARow, GiveNoNumberAgain) {
  for (int round = 0; round < 8 && !HasFailure(); ++round) {
    changed_.change([&](view::View& view) { make_some(view); });
    merge();
    EXPECT_GT(manifest().base->end_of_numbers, *given_.rbegin());
  }
  expect_all_there();
}

// The numbers that the merged layers had reserved go with them: all of their objects are gone.
TEST_F(MergesInARow, GiveNoNumberOfARemovedObjectAgain) {
  changed_.change([&](view::View& view) {
    expect_fresh(make_file(view, "gone", "x"));
    remove_name(view, "gone");
    remove_name(view, "d/z");  // had the highest number of the image
  });
  merge();
  merge(request_to_repack());
  changed_.change([&](view::View& view) { make_some(view); });
  expect_all_there();
}

// A seal under a mount reserves numbers of the next store in the layer.
TEST_F(MergesInARow, GiveNoNumberAgainAfterSealsUnderAMount) {
  for (int round = 0; round < 6 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    std::string state;
    changed_.change([&](view::View& view) {
      make_some(view);
      const auto sealed = value_of(view.seal({}));
      state = delta::state_text(sealed.manifest.stores[sealed.outcome->layers - 1].layer.state);
      make_some(view);
    });
    auto request = request_of();
    if (round % 2 == 0) request.to = state;
    merge(request);
    if (round % 3 == 0) changed_.change([&](view::View& view) { make_some(view); });
    expect_all_there();
  }
}

// The live store has objects whose numbers only a layer has reserved, which is in the base by now.
TEST_F(MergesInARow, ALayerHasItsNumbersWhoeverReservedThem) {
  changed_.change([&](view::View& view) {
    make_some(view);
    value_of(view.seal({}));
    make_some(view);
  });
  auto request = request_of();
  request.to = delta::state_text(manifest().stores[0].layer.state);
  merge(request);
  ASSERT_EQ(manifest().stores.size(), 1U);
  merge();
  EXPECT_GT(manifest().stores.front().born_object, *given_.rbegin());
  changed_.change([&](view::View& view) { make_some(view); });
  expect_all_there();
}

// A new image of a delta with a base, too, has its end of numbers above all objects.
TEST_F(MergesInARow, ANewImageOfThemHasAllNumbersBelowItsEnd) {
  changed_.change([&](view::View& view) {
    make_some(view);
    value_of(view.seal({}));
    make_some(view);
  });
  auto request = request_of();
  request.to = delta::state_text(manifest().stores[0].layer.state);
  merge(request);
  ASSERT_TRUE(changed_.try_merge(plan_of()));
  EXPECT_GT(changed_.merged()->superblock().next_inode, *given_.rbegin());
}

TEST_F(MergesInARow, LeaveFewVolumes) {
  constexpr unsigned kMerges = 64;
  std::size_t volumes_max = 0;
  for (unsigned i = 0; i < kMerges; ++i) {
    changed_.change([&](view::View& view) { make_next(view); });
    value_of(try_merge());
    const auto opened = value_of(open_sources(memory(), changed_.sources()));
    volumes_max = std::max(volumes_max, opened.image->volumes().size());
  }
  EXPECT_LE(volumes_max, 2U + std::bit_width(kMerges));
  expect_all_there();
  const auto bases = std::ranges::count_if(names_in_delta(), [](const std::string& name) {
    return name.starts_with("base.") && name.ends_with(".dgfs");
  });
  EXPECT_EQ(static_cast<std::size_t>(bases), manifest().base->kept.size() + 1);
  EXPECT_LE(bases, 1 + std::bit_width(kMerges));
  const auto stores = std::ranges::count_if(
      names_in_delta(), [](const std::string& name) { return name.starts_with("0"); });
  EXPECT_EQ(stores, 1) << "all layers are gone";
}

}  // namespace
}  // namespace dgfs::test
