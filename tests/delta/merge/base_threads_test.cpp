// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Writers, readers, listings, syncs, seals and looks at states while layers are merged into bases
// or joined, one after another. For the thread sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "delta/merge/live/live_join.h"
#include "delta/store/directory/states.h"
#include "tests/delta/merge/based_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

constexpr int kWriters = 2;
constexpr int kMerges = 6;
constexpr int kJoins = 6;
constexpr int kOldFiles = 20;
constexpr int kKeptNames = 12;

// The file `name` of a writer has this text once it is whole; each byte of it may be older.
std::string text_of(int writer, int round) {
  return "writer " + std::to_string(writer) + ", round " + std::to_string(round % 10) +
         std::string(700, static_cast<char>('a' + round % 26));
}

// A merge has idle priority, and waits while writers do.
void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

class BaseThreads : public testing::Test {
 protected:
  BaseThreads() {
    for (int writer = 0; writer < kWriters; ++writer) {
      const auto directory = "w" + std::to_string(writer);
      based_.tree().directory(directory);
      for (int i = 0; i < kOldFiles; ++i) {
        based_.tree().file(directory + "/old " + std::to_string(i), text_of(writer, i));
      }
    }
    based_.tree().directory("kept");
    for (int i = 0; i < kKeptNames; ++i) {
      based_.tree().file("kept/" + std::to_string(i), std::to_string(i));
    }
    based_.open();
    kept_ = value_of(view().lookup(kRoot, "kept")).object;
  }

  [[nodiscard]] view::View& view() { return based_.view(); }

  // Changes its own directory, which it knows.
  void write(int writer) {
    Random random(static_cast<std::uint64_t>(writer) + 1);
    const auto directory = value_of(view().lookup(kRoot, "w" + std::to_string(writer))).object;
    auto& files = files_.at(static_cast<std::size_t>(writer));
    for (int i = 0; i < kOldFiles; ++i) files["old " + std::to_string(i)] = text_of(writer, i);
    std::map<ObjectNumber, std::string> open;  // without a name
    for (int round = 0; is_going_on(round); ++round) {
      const auto name = "new " + std::to_string(random.below(20));
      const auto text = text_of(writer, round);
      const auto found = files.find(name);
      if (found == files.end()) {
        const auto made = value_of(view().create(directory, name, {}, {})).object;
        EXPECT_EQ(value_of(view().write(made, 0, as_bytes(text))), text.size());
        files[name] = text;
      } else if (random.one_in(3)) {
        const auto gone = value_of(view().unlink(directory, name)).object;
        open[gone] = found->second;
        files.erase(found);
      } else if (random.one_in(2)) {
        const auto old = "old " + std::to_string(random.below(kOldFiles));
        static_cast<void>(view().rename(directory, name, directory, old));
        const auto moved = std::move(found->second);
        files.erase(name);
        files[old] = moved;
      } else {
        const auto object = value_of(view().lookup(directory, name)).object;
        EXPECT_EQ(value_of(view().write(object, 0, as_bytes(text))), text.size());
        found->second.replace(0, std::min(text.size(), found->second.size()), text);
        expect_ok(view().set_xattr(object, "user.round", as_bytes(text)));
      }
      if (open.size() > 4 || (!open.empty() && random.one_in(4))) end_one(open);
      ++rounds_;
      rest();
    }
    while (!open.empty()) end_one(open);
  }
  void end_one(std::map<ObjectNumber, std::string>& open) {
    EXPECT_EQ(content_of(open.begin()->first), open.begin()->second);
    expect_ok(view().release(open.begin()->first));
    open.erase(open.begin());
  }
  [[nodiscard]] std::string content_of(ObjectNumber file) {
    std::string text(static_cast<std::size_t>(value_of(view().attributes(file)).size_bytes), '\0');
    text.resize(value_of(view().read(file, 0, as_mutable_bytes(text))));
    return text;
  }

  // Of files that stay, and of others whatever they have.
  void read() {
    for (int round = 0; is_going_on(round); ++round) {
      const auto name = std::to_string(round % kKeptNames);
      const auto file = value_of(view().lookup(kept_, name));
      EXPECT_EQ(content_of(file.object), name);
      EXPECT_EQ(value_of(view().paths(file.object)).front(), "kept/" + name);
      const auto other = view().lookup(kRoot, "w" + std::to_string(round % kWriters));
      ASSERT_TRUE(other);
      EXPECT_TRUE(view().xattr_names(other.value().object));
      rest();
    }
  }

  // One stream goes on over all switches, and each name comes once.
  void list() {
    const auto listing = value_of(view().open_listing(kept_));
    for (int round = 0; is_going_on(round); ++round) {
      std::size_t names = 0;
      view::ListingCookie cookie = 0;
      for (bool is_end = false; !is_end;) {
        is_end = true;
        expect_ok(listing->read(cookie, false, [&](const view::ListingName& name) {
          if (!is_end) return false;
          is_end = false;
          cookie = name.cookie;
          ++names;
          return true;
        }));
      }
      EXPECT_EQ(names, kKeptNames + 2U);
      rest();
    }
  }

  void sync_and_seal() {
    for (int round = 0; is_going_on(round); ++round) {
      expect_ok(view().sync());
      if (round % 5 == 4 && based_.layers() < delta::kLayersMax / 2) {
        const auto sealed = view().seal({});
        EXPECT_TRUE(sealed) << sealed.error().message();
      }
      static_cast<void>(view().space());
      static_cast<void>(view().orphans(1));
      rest();
    }
  }

  // At least once, so that a quick merge does not end everything.
  [[nodiscard]] bool is_going_on(int round) const { return round < 20 || !is_ending_; }

  void merge_all() {
    auto options = based_.live_options();
    options.tell = [](const std::string& text) { EXPECT_FALSE(text.empty()); };
    merge::LiveMerge merges(based_.clock(), view(), based_.delta(), options);
    for (int i = 0; i < kMerges; ++i) {
      const auto before = rounds_.load();
      while (rounds_ < before + 20) rest();
      merge::MergeRequest request;
      request.repack.all = i % 3 == 2;
      value_of(merges.start(request));
      if (i % 4 == 3) merges.cancel();
      while (merges.status().is_running) rest();
      const auto status = merges.status();
      if (status.outcome) ++merged_;
      if (status.error) {
        EXPECT_EQ(status.error->kind(), ErrorKind::kInterrupted) << status.error->message();
      }
    }
    is_ending_ = true;
  }

  // Also a merge between two joins, which has its turn only if no join is under way.
  void join_all() {
    merge::LiveSlot slot;
    merge::LiveJoinOptions options;
    options.directory = BasedTree::kDelta;
    options.unnamed_max = 3;
    options.slot = &slot;
    options.tell = [](const std::string& text) { EXPECT_FALSE(text.empty()); };
    merge::LiveJoin joins(based_.clock(), view(), based_.delta(), options);
    auto merges = based_.live_options();
    merges.slot = &slot;
    merge::LiveMerge merge(based_.clock(), view(), based_.delta(), merges);
    expect_ok(joins.start());
    bool has_merged = false;
    for (int i = 0; joined_ < kJoins; ++i) {
      while (based_.layers() < 3) rest();
      if (const auto begun = joins.join_all(); !begun) {
        // One began without a request, or has left a single layer.
        const auto kind = begun.error().kind();
        EXPECT_TRUE(kind == ErrorKind::kBusy || kind == ErrorKind::kInvalidArgument);
      } else if (i % 4 == 3) {
        rest();
        joins.cancel();
      }
      while (joins.status().is_running) rest();
      const auto status = joins.status();
      if (status.outcome) ++joined_;
      if (status.error) {
        EXPECT_EQ(status.error->kind(), ErrorKind::kInterrupted) << status.error->message();
      }
      if (joined_ < kJoins / 2 || std::exchange(has_merged, true)) continue;
      static_cast<void>(merge.start({}));
      while (merge.status().is_running) rest();
    }
    is_ending_ = true;
  }

  // Runs `work` beside all others, and looks at the tree afterwards.
  void run_beside(const std::function<void()>& work) {
    std::vector<std::thread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([this, writer] { write(writer); });
    }
    threads.emplace_back([this] { read(); });
    threads.emplace_back([this] { list(); });
    threads.emplace_back([this] { sync_and_seal(); });
    work();
    for (auto& thread : threads) thread.join();
    expect_all();
    based_.close();
    based_.open_again();
    expect_all();
    const auto left = leftovers_in(based_.clock(), BasedTree::kDelta, based_.delta().manifest());
    EXPECT_EQ(left, std::set<std::string>());
  }

  void expect_all() {
    for (std::size_t writer = 0; writer < files_.size(); ++writer) {
      const auto directory = value_of(view().lookup(kRoot, "w" + std::to_string(writer))).object;
      std::map<std::string, std::string> seen;
      expect_ok(view().list(directory, "", [&](const view::View::ListedName& name) {
        seen[std::string(name.name)] = content_of(name.object);
        return true;
      }));
      EXPECT_EQ(seen, files_.at(writer));
    }
  }

  BasedTree based_;
  ObjectNumber kept_ = 0;
  std::array<std::map<std::string, std::string>, kWriters> files_;
  std::atomic<bool> is_ending_ = false;
  std::atomic<std::uint64_t> rounds_ = 0;
  int merged_ = 0;
  int joined_ = 0;
};

TEST_F(BaseThreads, EverythingGoesOnBesideMerges) {
  run_beside([this] { merge_all(); });
  EXPECT_GE(merged_, kMerges / 2);
}

TEST_F(BaseThreads, EverythingGoesOnBesideJoins) {
  run_beside([this] { join_all(); });
  EXPECT_GE(joined_, kJoins);
}

}  // namespace
}  // namespace dgfs::test
