// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Operations of several threads on the same objects.
#include <atomic>
#include <barrier>
#include <functional>
#include <thread>

#include "tests/delta/view/view_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::Entry;
using view::kRoot;
using view::ObjectNumber;

class ViewThreads : public testing::Test {
 protected:
  ViewThreads() {
    tree_.tree().directory("a");
    tree_.tree().directory("b");
    for (int i = 0; i < 20; ++i) tree_.tree().file("a/" + std::to_string(i), "x");
    tree_.options().in_background = true;
    tree_.options().table_bytes = 65536;
    tree_.open();
    expect_ok(tree_.delta().newest().start());
  }

  [[nodiscard]] view::View& view() { return tree_.view(); }
  [[nodiscard]] ObjectNumber object(std::string_view name, ObjectNumber directory = kRoot) {
    return value_of(view().lookup(directory, name)).object;
  }
  // Starts all calls as nearly at the same time as possible.
  static void together(const std::vector<std::function<void()>>& calls) {
    std::barrier begin(static_cast<std::ptrdiff_t>(calls.size()));
    std::vector<std::thread> threads;
    for (const auto& call : calls) {
      threads.emplace_back([&] {
        begin.arrive_and_wait();
        call();
      });
    }
    for (auto& thread : threads) thread.join();
  }
  // Expects counts to match the listings. Returns the number of objects.
  std::size_t expect_counts(ObjectNumber directory = kRoot) {
    std::vector<ObjectNumber> below;
    std::uint64_t children = 0;
    expect_ok(view().list(directory, "", [&](const view::View::ListedName& name) {
      ++children;
      if (name.type == format::kTypeDirectory) below.push_back(name.object);
      return true;
    }));
    const auto attributes = value_of(view().attributes(directory));
    EXPECT_EQ(attributes.children, children) << directory;
    EXPECT_EQ(attributes.link_count, 2 + below.size()) << directory;
    std::size_t objects = 1 + children - below.size();
    for (const ObjectNumber each : below) {
      EXPECT_EQ(value_of(view().lookup(each, "..")).object, directory);
      objects += expect_counts(each);
    }
    return objects;
  }

  ViewedTree tree_;
};

TEST_F(ViewThreads, TwoDirectoriesThatGoIntoEachOtherMakeNoLoop) {
  for (int round = 0; round < 50; ++round) {
    const auto a = object("a");
    const auto b = object("b");
    bool is_a_moved = false;
    bool is_b_moved = false;
    together({[&] { is_a_moved = static_cast<bool>(view().rename(kRoot, "a", b, "in")); },
              [&] { is_b_moved = static_cast<bool>(view().rename(kRoot, "b", a, "in")); }});
    EXPECT_NE(is_a_moved, is_b_moved);
    expect_counts();
    if (is_a_moved) value_of(view().rename(b, "in", kRoot, "a"));
    if (is_b_moved) value_of(view().rename(a, "in", kRoot, "b"));
  }
}

TEST_F(ViewThreads, ALinkAndTheLastUnlinkAgree) {
  for (int round = 0; round < 50; ++round) {
    const auto file = value_of(view().create(kRoot, "f", {}, {})).object;
    std::optional<Result<Entry>> linked;
    std::optional<Result<Entry>> unlinked;
    together({[&] { linked = view().link(file, kRoot, "g"); },
              [&] { unlinked = view().unlink(kRoot, "f"); }});
    ASSERT_TRUE(*unlinked);
    const auto links = unlinked->value().attributes.link_count;
    EXPECT_EQ(links, linked->has_value() ? 1U : 0U);
    if (!*linked) {
      EXPECT_EQ(linked->error().kind(), ErrorKind::kNotFound);
    } else {
      EXPECT_EQ(value_of(view().unlink(kRoot, "g")).attributes.link_count, 0U);
    }
    expect_ok(view().release(file));
  }
}

TEST_F(ViewThreads, OneOfTwoLastUnlinksSeesThatItIsTheLast) {
  for (int round = 0; round < 50; ++round) {
    const auto file = value_of(view().create(kRoot, "f", {}, {})).object;
    value_of(view().link(file, object("b"), "g"));
    std::atomic<std::uint64_t> links = 0;
    together(
        {[&] { links += value_of(view().unlink(kRoot, "f")).attributes.link_count; },
         [&, b = object("b")] { links += value_of(view().unlink(b, "g")).attributes.link_count; }});
    EXPECT_EQ(links, 1U);
    expect_ok(view().release(file));
    EXPECT_EQ(view().attributes(file).error().kind(), ErrorKind::kNotFound);
  }
}

TEST_F(ViewThreads, NothingIsMadeInADirectoryThatGoes) {
  for (int round = 0; round < 50; ++round) {
    const auto directory = value_of(view().make_directory(kRoot, "d", 0755, {})).object;
    bool is_made = false;
    bool is_removed = false;
    together({[&] { is_made = static_cast<bool>(view().create(directory, "f", {}, {})); },
              [&] { is_removed = static_cast<bool>(view().remove_directory(kRoot, "d")); }});
    EXPECT_NE(is_made, is_removed);
    if (is_made) {
      expect_ok(view().release(value_of(view().unlink(directory, "f")).object));
      value_of(view().remove_directory(kRoot, "d"));
    }
    expect_ok(view().release(directory));
  }
}

TEST_F(ViewThreads, ANameIsMadeOnce) {
  for (int round = 0; round < 50; ++round) {
    const auto name = std::to_string(round);
    std::atomic<int> made = 0;
    const auto create = [&] { made += view().create(kRoot, name, {}, {}) ? 1 : 0; };
    together({create, create, create});
    EXPECT_EQ(made, 1);
  }
}

// A change of names writes the directory's whole record, so it must not bring back an old mode.
TEST_F(ViewThreads, AModeIsNotLostBesideChangesOfNames) {
  const auto directory = object("b");
  std::atomic<bool> is_over = false;
  const auto change_names = [&](const std::string& name) {
    while (!is_over) {
      value_of(view().create(directory, name, {}, {}));
      expect_ok(view().release(value_of(view().unlink(directory, name)).object));
    }
  };
  const auto change_mode = [&] {
    for (std::uint32_t round = 0; round < 300; ++round) {
      view::AttributeChange wish;
      wish.permissions = 0700 + round % 64;
      value_of(view().set_attributes(directory, wish));
      const auto mode = value_of(view().attributes(directory)).mode;
      EXPECT_EQ(mode & 07777, *wish.permissions);
    }
    is_over = true;
  };
  together({[&] { change_names("m"); }, [&] { change_names("n"); }, change_mode});
  expect_counts();
}

// A thread that lists, looks up and stats never sees a name without an object, and in the end the
// counts are right.
TEST_F(ViewThreads, ReadersSeeWholeOperations) {
  std::atomic<bool> is_over = false;
  const auto write = [&](std::uint64_t seed) {
    Random random(seed);
    const std::vector<ObjectNumber> directories{kRoot, object("a"), object("b")};
    const auto directory = [&] { return directories[random.below(3)]; };
    const auto name = [&] { return "n" + std::to_string(random.below(6)); };
    for (int i = 0; i < 400; ++i) {
      const auto kind = random.below(6);
      ObjectNumber gone = 0;
      if (kind == 0) static_cast<void>(view().create(directory(), name(), {}, {}));
      if (kind == 1) static_cast<void>(view().make_directory(directory(), name(), 0755, {}));
      if (kind == 2) {
        const auto renamed = view().rename(directory(), name(), directory(), name());
        if (renamed) gone = renamed.value().replaced.object;
      }
      if (kind == 3) {
        const auto entry = view().unlink(directory(), name());
        if (entry) gone = entry.value().object;
      }
      if (kind == 4) {
        const auto entry = view().remove_directory(directory(), name());
        if (entry) gone = entry.value().object;
      }
      if (kind == 5) {
        const auto entry = view().lookup(directory(), name());
        if (entry) static_cast<void>(view().link(entry.value().object, directory(), name()));
      }
      if (gone != 0) expect_ok(view().release(gone));
    }
  };
  const auto read = [&] {
    while (!is_over) {
      const auto listing = value_of(view().open_listing(kRoot));
      expect_ok(listing->read(0, true, [](const view::ListingName& name) {
        EXPECT_NE(name.attributes->link_count, 0U) << name.name;
        return true;
      }));
      for (int i = 0; i < 6; ++i) {
        const auto entry = view().lookup(kRoot, "n" + std::to_string(i));
        if (!entry) {
          EXPECT_EQ(entry.error().kind(), ErrorKind::kNotFound);
        }
      }
    }
  };
  std::thread reader(read);
  together({[&] { write(1); }, [&] { write(2); }, [&] { write(3); }});
  is_over = true;
  reader.join();
  const auto objects = expect_counts();
  tree_.reopen();
  EXPECT_EQ(expect_counts(), objects);
}

}  // namespace
}  // namespace dgfs::test
