// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seals of a view that is in use: objects, names, contents and listings across a switch of the
// stack, and threads beside it.
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"
#include "delta/view/state_changes.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

view::AttributeChange permissions_of(std::uint32_t permissions) {
  view::AttributeChange change;
  change.permissions = permissions;
  return change;
}

view::AttributeChange size_bytes_of(std::uint64_t size_bytes) {
  view::AttributeChange change;
  change.size_bytes = size_bytes;
  return change;
}

class SealTest : public testing::Test {
 protected:
  SealTest() {
    tree_.tree().directory("a");
    tree_.tree().directory("b");
    tree_.tree().file("a/f", "of the image");
    tree_.tree().file("gone", "of the image");
  }
  [[nodiscard]] view::View& view() { return tree_.view(); }
  [[nodiscard]] ObjectNumber object(std::string_view name, ObjectNumber directory = kRoot) {
    return value_of(view().lookup(directory, name)).object;
  }
  [[nodiscard]] static std::string content(const view::View& of, ObjectNumber file) {
    std::string bytes(static_cast<std::size_t>(value_of(of.attributes(file)).size_bytes), '\0');
    EXPECT_EQ(value_of(of.read(file, 0, as_mutable_bytes(bytes))), bytes.size());
    return bytes;
  }
  [[nodiscard]] std::string content(ObjectNumber file) { return content(view(), file); }
  void write(ObjectNumber file, std::uint64_t offset, std::string_view bytes) {
    EXPECT_EQ(value_of(view().write(file, offset, as_bytes(bytes))), bytes.size());
  }
  [[nodiscard]] bool has(std::string_view name, ObjectNumber directory = kRoot) {
    return view().lookup(directory, name).has_value();
  }

  ViewedTree tree_;
};

// So their records need no look at the layers below.
TEST_F(SealTest, NewObjectsAreBornInTheNextStore) {
  tree_.open();
  for (int seal = 0; seal < 3; ++seal) {
    const auto before = value_of(view().create(kRoot, "b" + std::to_string(seal), {}, {})).object;
    static_cast<void>(tree_.seal_live());
    const auto born = tree_.delta().newest().parameters().born_object;
    EXPECT_LT(before, born);
    EXPECT_GE(value_of(view().create(kRoot, "a" + std::to_string(seal), {}, {})).object, born);
  }
}

// A reader then asks the newest store alone, however many layers have changed the object.
TEST_F(SealTest, TheFirstChangeAfterASealPutsTheWholeRecord) {
  tree_.open();
  const auto old = object("f", object("a"));
  const auto untouched = object("gone");
  const auto kind_of = [&](ObjectNumber file) {
    const auto live = tree_.delta().newest().snapshot("test");
    return value_of(live.find(key_of(view::RecordClass::kAttributes, file))).kind;
  };
  write(old, 0, "1");
  EXPECT_EQ(kind_of(old), delta::MessageKind::kPatch);  // over the image, whose record is at hand
  for (const char* bytes : {"2", "3", "4"}) {
    static_cast<void>(tree_.seal_live(""));
    write(old, 0, bytes);
    write(old, 1, bytes);
    EXPECT_EQ(kind_of(old), delta::MessageKind::kPut);
    EXPECT_EQ(content(old).substr(0, 2), std::string(2, *bytes));
  }
  value_of(view().set_attributes(untouched, permissions_of(0600)));
  EXPECT_EQ(kind_of(untouched), delta::MessageKind::kPatch);
  EXPECT_EQ(value_of(view().attributes(old)).size_bytes, 12U);
  tree_.reopen();
  EXPECT_EQ(value_of(view().attributes(old)).size_bytes, 12U);
  EXPECT_EQ(content(old), "44 the image");
}

TEST_F(SealTest, AStateShowsWhatWasThereAndTheViewGoesOn) {
  tree_.open();
  const auto file = value_of(view().create(kRoot, "new", {}, {})).object;
  write(file, 0, "first");
  const auto outcome = tree_.seal_live("one");
  EXPECT_EQ(outcome.layers, 1U);
  EXPECT_GE(outcome.changes, 2U);
  write(file, 0, "FIRST and more");
  value_of(view().unlink(kRoot, "gone"));
  EXPECT_EQ(content(file), "FIRST and more");
  const auto past = tree_.look_back(1);
  EXPECT_EQ(content(*past.view, file), "first");
  EXPECT_TRUE(past.view->lookup(kRoot, "gone"));
  EXPECT_FALSE(has("gone"));
  EXPECT_EQ(past.view->create(kRoot, "x", {}, {}).error().kind(), ErrorKind::kPermission);
  tree_.reopen();
  EXPECT_EQ(content(file), "FIRST and more");
}

TEST_F(SealTest, WithoutChangesNoLayerIsMade) {
  tree_.open();
  EXPECT_FALSE(value_of(view().seal({})).outcome);
  value_of(view().create(kRoot, "new", {}, {}));
  tree_.seal_live("one");
  EXPECT_FALSE(value_of(view().seal({"two", {}})).outcome);
  EXPECT_EQ(delta::layers_of(tree_.delta().manifest()), 1U);
}

TEST_F(SealTest, ARefusedSealChangesNothing) {
  tree_.open();
  value_of(view().create(kRoot, "new", {}, {}));
  tree_.seal_live("one");
  value_of(view().create(kRoot, "newer", {}, {}));
  EXPECT_EQ(view().seal({"one", {}}).error().code(), 7518);
  EXPECT_EQ(view().seal({"base", {}}).error().code(), 7536);
  value_of(view().create(kRoot, "newest", {}, {}));
  tree_.seal_live("two");
  EXPECT_TRUE(has("newer") && has("newest"));
}

// The layer has no log, no reserve and no thread; all files of it together are small.
TEST_F(SealTest, ALayerIsClosedInTheBackground) {
  tree_.open();
  value_of(view().create(kRoot, "new", {}, {}));
  tree_.seal_live("one");
  tree_.wait_until_closed();
  auto& disk = tree_.tree().memory();
  const auto superblock = value_of(delta::read_store_superblock(disk, "/delta/0001"));
  EXPECT_TRUE(superblock.sealed);
  EXPECT_FALSE(disk.status("/delta/0001/log.0"));
  // 128 KiB of these are the first stage of its filter.
  EXPECT_LE(value_of(delta::bytes_on_disk(disk, "/delta/0001")), std::uint64_t{192} << 10);
}

TEST_F(SealTest, WithoutChangesTheNewestStateGetsTheName) {
  tree_.open();
  EXPECT_FALSE(value_of(view().seal({"none", {}})).outcome) << "the image alone has a name";
  value_of(view().create(kRoot, "new", {}, {}));
  tree_.seal_live();
  const auto named = value_of(view().seal({"one", {}}));
  EXPECT_FALSE(named.outcome);
  EXPECT_EQ(named.manifest.stores[0].layer.name, "one");
  const auto kept = value_of(view().seal({"two", {}}));
  EXPECT_FALSE(kept.outcome);
  EXPECT_EQ(kept.manifest.stores[0].layer.name, "one");
  EXPECT_FALSE(value_of(view().seal({"one", {}})).outcome);
  EXPECT_EQ(view().seal({"now", {}}).error().code(), 7536);
  tree_.wait_until_closed();
  tree_.reopen();
  EXPECT_EQ(tree_.delta().present_manifest().stores[0].layer.name, "one");
}

// Each layer changes another object. A call reads only layers that have something about its object.
TEST_F(SealTest, OnlyLayersWhoseFiltersSaySoAreRead) {
  tree_.options().cache_bytes = 0;
  tree_.open();
  write(object("f", object("a")), 0, "changed");
  tree_.seal_live();
  write(object("gone"), 0, "changed");
  tree_.seal_live();
  value_of(view().set_attributes(object("b"), permissions_of(0700)));
  tree_.seal_live();
  tree_.wait_until_closed();
  tree_.reopen();
  const auto layers_read = [&](const auto& call) {
    const auto before = tree_.delta_calls();
    call();
    auto after = tree_.delta_calls();
    std::vector<int> read;
    for (int layer = 1; layer <= 3; ++layer) {
      const auto path = "/delta/000" + std::to_string(layer) + "/blocks";
      if (after[path].reads != before.at(path).reads) read.push_back(layer);
    }
    return read;
  };
  EXPECT_EQ(layers_read([&] { EXPECT_EQ(content(object("f", object("a"))), "changedimage"); }),
            std::vector{1});
  EXPECT_EQ(layers_read([&] { EXPECT_EQ(content(object("gone")), "changedimage"); }),
            std::vector{2});
  EXPECT_EQ(layers_read([&] { value_of(view().attributes(object("b"))); }), std::vector{3});
  EXPECT_EQ(layers_read([&] { value_of(view().attributes(object("a"))); }), std::vector<int>());
}

// The filter of the first layer is so full that the filter of all layers leaves it out.
TEST_F(SealTest, AFullFilterIsAskedItself) {
  tree_.options().filter_prefixes = 32;
  constexpr int kFiles = 40;
  for (int i = 0; i < kFiles; ++i) tree_.tree().file("a/" + std::to_string(i), "of the image");
  tree_.open();
  for (int i = 0; i < kFiles; ++i) {
    const auto file = object(std::to_string(i), object("a"));
    value_of(view().set_attributes(file, permissions_of(0751)));
  }
  tree_.seal_live();
  for (const char* name : {"one", "two"}) {
    value_of(view().create(kRoot, name, {}, {}));
    tree_.seal_live();
  }
  tree_.wait_until_closed();
  tree_.reopen();
  for (int i = 0; i < kFiles; ++i) {
    const auto file = object(std::to_string(i), object("a"));
    EXPECT_EQ(value_of(view().attributes(file)).mode & 0777, 0751U) << i;
  }
}

// A diff of two states that differ in more objects than it can keep walks both trees.
TEST_F(SealTest, ChangesOfTooManyObjectsAreNotListed) {
  tree_.open();
  for (int i = 0; i < 4; ++i) value_of(view().create(kRoot, std::to_string(i), {}, {}));
  tree_.seal_live();
  tree_.wait_until_closed();
  const std::vector layers{tree_.delta().stores().front()};
  const view::NamesInState no_names = [](ObjectNumber) { return std::vector<view::NamePlace>(); };
  const auto changes = value_of(view::changes_between(layers, no_names, no_names, 9));
  ASSERT_TRUE(changes) << "the root, four files and their names";
  EXPECT_EQ(changes->names_in(kRoot)->size(), 4U);
  EXPECT_FALSE(value_of(view::changes_between(layers, no_names, no_names, 8)));
}

// The next seal waits until the layer before is closed.
TEST_F(SealTest, SixteenSealsFollowEachOtherAtOnce) {
  tree_.open();
  const auto file = value_of(view().create(kRoot, "new", {}, {})).object;
  for (int i = 0; i < 16; ++i) {
    write(file, 0, "version " + std::to_string(100 + i));
    EXPECT_EQ(tree_.seal_live().layers, static_cast<std::size_t>(i) + 1);
  }
  write(file, 0, "the newest.");
  EXPECT_EQ(view().seal({}).error().code(), 7519);
  for (std::size_t i = 0; i < 16; i += 5) {
    EXPECT_EQ(content(*tree_.look_back(i + 1).view, file), "version " + std::to_string(100 + i));
  }
  EXPECT_EQ(content(file), "the newest.");
  tree_.reopen();
  EXPECT_EQ(content(file), "the newest.");
}

TEST_F(SealTest, NoNumberIsGivenTwice) {
  tree_.open();
  std::set<ObjectNumber> numbers;
  for (int i = 0; i < 600; ++i) {
    const auto name = "new" + std::to_string(i);
    EXPECT_TRUE(numbers.insert(value_of(view().create(kRoot, name, {}, {})).object).second);
    if (i % 60 == 59) tree_.seal_live();
    if (i % 130 == 0) tree_.reopen();
  }
}

// A name of the image is dropped, made and dropped again in each of three layers.
TEST_F(SealTest, ANameIsDroppedInEachLayer) {
  tree_.open();
  for (int i = 0; i < 3; ++i) {
    value_of(view().unlink(kRoot, "gone"));
    EXPECT_FALSE(has("gone"));
    tree_.seal_live();
    EXPECT_FALSE(has("gone"));
    const auto file = value_of(view().create(kRoot, "gone", {}, {})).object;
    write(file, 0, std::to_string(i));
    tree_.seal_live();
    EXPECT_EQ(content(object("gone")), std::to_string(i));
  }
  value_of(view().unlink(kRoot, "gone"));
  tree_.reopen();
  EXPECT_FALSE(has("gone"));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(tree_.look_back(i + 1).view->lookup(kRoot, "gone").has_value(), i % 2 == 1);
  }
}

TEST_F(SealTest, ADirectoryLiesInThreeLayers) {
  tree_.open();
  const auto directory = value_of(view().make_directory(kRoot, "d", 0755, {})).object;
  tree_.seal_live();
  value_of(view().rename(kRoot, "d", object("a"), "moved"));
  tree_.seal_live();
  value_of(view().set_attributes(directory, permissions_of(0700)));
  tree_.seal_live();
  value_of(view().create(directory, "in", {}, {}));
  const auto expect = [&] {
    EXPECT_EQ(value_of(view().paths(directory)), std::vector<std::string>{"a/moved"});
    EXPECT_EQ(value_of(view().lookup(directory, "..")).object, object("a"));
    const auto attributes = value_of(view().attributes(directory));
    EXPECT_EQ(attributes.mode & 0777, 0700U);
    EXPECT_EQ(attributes.children, 1U);
  };
  expect();
  tree_.reopen();
  expect();
  const auto past = tree_.look_back(1);
  EXPECT_EQ(value_of(past.view->paths(directory)), std::vector<std::string>{"d"});
}

TEST_F(SealTest, OldBytesStayAwayAfterATruncationInAnotherLayer) {
  tree_.open();
  const auto file = value_of(view().create(kRoot, "new", {}, {})).object;
  write(file, 0, std::string(2000, 'o'));
  tree_.seal_live();
  value_of(view().set_attributes(file, size_bytes_of(100)));
  tree_.seal_live();
  value_of(view().set_attributes(file, size_bytes_of(1800)));
  tree_.seal_live();
  write(file, 1500, "patch");
  const auto expected =
      std::string(100, 'o') + std::string(1400, '\0') + "patch" + std::string(295, '\0');
  EXPECT_EQ(content(file), expected);
  tree_.reopen();
  EXPECT_EQ(content(file), expected);
}

TEST_F(SealTest, AnObjectWithoutANameGoesOnAcrossASeal) {
  tree_.open();
  const auto made = value_of(view().create(kRoot, "new", {}, {})).object;
  const auto old = object("gone");
  value_of(view().unlink(kRoot, "new"));
  value_of(view().unlink(kRoot, "gone"));
  tree_.seal_live();
  EXPECT_EQ(value_of(view().append(made, as_bytes(std::string_view("added")))).length_bytes, 5U);
  EXPECT_EQ(value_of(view().append(old, as_bytes(std::string_view(", added")))).offset_bytes, 12U);
  tree_.seal_live();
  EXPECT_EQ(content(made), "added");
  EXPECT_EQ(content(old), "of the image, added");
  EXPECT_EQ(value_of(view().attributes(old)).link_count, 0U);
  expect_ok(view().release(made));
  expect_ok(view().release(old));
  for (const auto ended : {made, old}) {
    EXPECT_EQ(view().attributes(ended).error().kind(), ErrorKind::kNotFound);
  }
  tree_.reopen();
  for (const auto ended : {made, old}) {
    EXPECT_EQ(view().attributes(ended).error().kind(), ErrorKind::kNotFound);
  }
}

TEST_F(SealTest, AListingGoesOnAcrossASeal) {
  tree_.open();
  std::set<std::string> stay;
  for (int i = 0; i < 40; ++i) {
    const auto name = "n" + std::to_string(100 + i);
    value_of(view().create(kRoot, name, {}, {}));
    stay.insert(name);
  }
  const auto listing = value_of(view().open_listing(kRoot));
  std::multiset<std::string> listed;
  view::ListingCookie cookie = 0;
  for (int reply = 0; reply < 20; ++reply) {
    int count = 0;
    expect_ok(listing->read(cookie, false, [&](const view::ListingName& name) {
      if (++count > 4) return false;
      listed.emplace(name.name);
      cookie = name.cookie;
      return true;
    }));
    if (reply % 3 != 0) continue;
    value_of(view().create(kRoot, "m" + std::to_string(reply), {}, {}));
    tree_.seal_live();
  }
  for (const auto& name : stay) EXPECT_EQ(listed.count(name), 1U) << name;
}

// Writers, readers, syncs and states beside seals, with small tables: so writers wait for room in
// stores that are sealed meanwhile.
TEST(SealThreads, WorkGoesOnBesideSeals) {
  ViewedTree tree;
  for (int i = 0; i < 20; ++i) tree.tree().file(std::to_string(i), std::string(1500, 'x'));
  tree.options().in_background = true;
  tree.options().parameters = {1024, 4096, 4, 1 << 18, 256};
  tree.options().table_bytes = 16384;
  tree.options().commit_interval = std::chrono::milliseconds(5);
  tree.open();
  expect_ok(tree.delta().start());
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  constexpr int kWriters = 3;
  std::array<std::atomic<std::uint64_t>, kWriters> counts{};
  std::array<ObjectNumber, kWriters> files{};
  for (int i = 0; i < kWriters; ++i) {
    files[static_cast<std::size_t>(i)] =
        value_of(tree.view().create(kRoot, "w" + std::to_string(i), {}, {})).object;
  }
  // Each writer counts in its file; what is read is never older than what was written before.
  for (std::size_t i = 0; i < kWriters; ++i) {
    threads.emplace_back([&, i] {
      std::uint64_t number = 0;
      while (!stop) {
        // A whole chunk, or a part of one, which reads have to compose.
        const auto text =
            std::to_string(1'000'000 + ++number) + std::string(i == 0 ? 600 : 60, 'y');
        value_of(tree.view().write(files[i], 0, as_bytes(text)));
        counts[i] = number;
        const auto name = "t" + std::to_string(i) + "-" + std::to_string(number % 50);
        if (number % 2 == 0) {
          static_cast<void>(tree.view().create(kRoot, name, {}, {}));
        } else if (const auto removed = tree.view().unlink(kRoot, name); removed) {
          expect_ok(tree.view().release(removed.value().object));
        }
        if (number % 7 == 0) expect_ok(tree.view().sync(files[i]));
      }
    });
  }
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([&] {
      std::string text(7, '\0');
      while (!stop) {
        for (std::size_t i = 0; i < kWriters; ++i) {
          const std::uint64_t before = counts[i];
          if (before == 0) continue;
          value_of(tree.view().read(files[i], 0, as_mutable_bytes(text)));
          EXPECT_GE(std::stoull(text), 1'000'000 + before);
        }
      }
    });
  }
  for (int seal = 0; seal < 12; ++seal) {
    std::array<std::uint64_t, kWriters> before{};
    for (std::size_t i = 0; i < kWriters; ++i) before[i] = counts[i];
    const auto sealed = value_of(tree.view().seal({}));
    if (!sealed.outcome) continue;
    const auto past = tree.look_back(sealed.outcome->layers);
    for (std::size_t i = 0; i < kWriters; ++i) {
      std::string text(7, '\0');
      if (before[i] == 0) continue;
      value_of(past.view->read(files[i], 0, as_mutable_bytes(text)));
      EXPECT_GE(std::stoull(text), 1'000'000 + before[i]) << "the state has what was done before";
    }
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  tree.reopen();
  for (std::size_t i = 0; i < kWriters; ++i) {
    std::string text(7, '\0');
    value_of(tree.view().read(files[i], 0, as_mutable_bytes(text)));
    EXPECT_EQ(std::stoull(text), 1'000'000 + counts[i]);
  }
}

}  // namespace
}  // namespace dgfs::test
