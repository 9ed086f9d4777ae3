// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/links.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/reader/packed_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

class LinkTableTest : public testing::Test {
 protected:
  LinkTableTest() {
    expect_ok(env_->make_directory("/dest", 0755));
    root_ = value_of(env_->open_directory("/dest"));
  }
  static reader::Node object(reader::InodeNumber inode, std::uint64_t link_count) {
    reader::Node node;
    node.inode = inode;
    node.link_count = link_count;
    return node;
  }
  Status make(reader::LinkTable& table, const reader::Node& node, const std::string& name) {
    return table.make(node, *root_, name, name, [&]() -> Status {
      ++made_;
      DGFS_CHECK(root_->create_file(name, 0644));
      return ok();
    });
  }
  std::uint64_t inode_of(const std::string& name) { return value_of(root_->status(name)).inode; }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  reader::DirectoryPointer root_;
  std::atomic<int> made_{0};
};

TEST_F(LinkTableTest, ForgetsAnObjectWithItsLastName) {
  reader::LinkTable table(root_);
  for (reader::InodeNumber inode = 1; inode <= 100; ++inode) {
    const auto name = std::to_string(inode);
    expect_ok(make(table, object(inode, 3), name + "a"));
    expect_ok(make(table, object(inode, 3), name + "b"));
    EXPECT_EQ(table.size(), 1U);
    expect_ok(make(table, object(inode, 3), name + "c"));
    EXPECT_EQ(table.size(), 0U);
    EXPECT_EQ(inode_of(name + "a"), inode_of(name + "c"));
  }
  EXPECT_EQ(made_, 100);
}

TEST_F(LinkTableTest, MakesTheObjectAnewWhereAnImageHidNames) {
  reader::LinkTable table(root_);
  for (const auto* name : {"a", "b", "c", "d"}) expect_ok(make(table, object(7, 2), name));
  EXPECT_EQ(inode_of("a"), inode_of("b"));
  EXPECT_NE(inode_of("a"), inode_of("c"));
  EXPECT_EQ(table.size(), 0U);
}

// Threads link more names at once than the image counts: the last one finds the object forgotten,
// which does no harm.
TEST_F(LinkTableTest, MoreNamesAtOnceThanAnImageTellsOf) {
  for (int round = 0; round < 200; ++round) {
    reader::LinkTable table(root_);
    const auto name = [&](int thread) {
      return std::to_string(round) + "-" + std::to_string(thread);
    };
    expect_ok(make(table, object(7, 2), name(0)));
    std::vector<std::thread> threads;
    for (int thread = 1; thread < 5; ++thread) {
      threads.emplace_back([&, thread] { expect_ok(make(table, object(7, 2), name(thread))); });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_LE(table.size(), 1U);
  }
}

// A linked name counts for an object that another thread has begun to make again, although the name
// was a link to the older one: the object is made and found anyway.
TEST_F(LinkTableTest, ALinkThatEndsWhileTheObjectIsMadeAnew) {
  std::atomic<bool> linking = false;
  std::atomic<bool> is_in_making = false;
  std::atomic<bool> linked = false;
  const auto wait_for = [](const std::atomic<bool>& flag) {
    while (!flag) std::this_thread::yield();
  };
  HookEnv env(*env_, [&](storage::CallKind kind, const std::string& path) {
    if (kind == storage::CallKind::kLink && path == "/dest/b") {
      linking = true;
      wait_for(is_in_making);
    }
    return ok();
  });
  root_ = value_of(env.open_directory("/dest"));
  reader::LinkTable table(root_);
  expect_ok(make(table, object(7, 2), "a"));
  std::thread slow([&] {
    expect_ok(make(table, object(7, 2), "b"));
    linked = true;
  });
  wait_for(linking);
  expect_ok(make(table, object(7, 2), "c"));  // the last name, as far as the table knows
  expect_ok(table.make(object(7, 1), *root_, "d", "d", [&]() -> Status {
    is_in_making = true;
    wait_for(linked);
    DGFS_CHECK(root_->create_file("d", 0644));
    return ok();
  }));
  slow.join();
  EXPECT_EQ(inode_of("a"), inode_of("b"));
  EXPECT_EQ(inode_of("a"), inode_of("c"));
  EXPECT_NE(inode_of("a"), inode_of("d"));
  EXPECT_EQ(table.size(), 0U);
}

// A file system that allows `links_max` names of a file, and answers one more with `kind`.
class LinkLimitTest : public LinkTableTest {
 protected:
  void limit(std::uint64_t links_max, ErrorKind kind) {
    limited_ = std::make_unique<HookEnv>(
        *env_, [=, this](storage::CallKind call, const std::string& path) -> Status {
          if (call != storage::CallKind::kLink) return ok();
          const std::lock_guard lock(mutex_);  // as the system locks a directory
          if (++links_ % links_max != 0) return ok();
          return Error(kind, 1, "Too many links").in_file(path);
        });
    root_ = value_of(limited_->open_directory("/dest"));
  }
  reader::LinkTable table() {
    return reader::LinkTable(root_, [this](const std::string& path, const Error& why) {
      EXPECT_EQ(why.text(), "Too many links");
      const std::lock_guard lock(mutex_);
      copies_.push_back(path);
    });
  }

  std::unique_ptr<HookEnv> limited_;
  std::mutex mutex_;
  std::uint64_t links_ = 0;
  std::vector<std::string> copies_;
};

TEST_F(LinkLimitTest, MakesFurtherCopies) {
  for (const auto kind : {ErrorKind::kLimit, ErrorKind::kUnsupported, ErrorKind::kPermission}) {
    SCOPED_TRACE(static_cast<int>(kind));
    limit(3, kind);  // three names succeed, the fourth is refused
    copies_.clear();
    links_ = 0;
    made_ = 0;
    auto links = table();
    const auto prefix = std::to_string(static_cast<int>(kind));
    for (int i = 0; i < 8; ++i) expect_ok(make(links, object(7, 8), prefix + std::to_string(i)));
    EXPECT_EQ(made_, 3);
    EXPECT_EQ(copies_, (std::vector{prefix + "3", prefix + "6"}));
    EXPECT_EQ(links.size(), 0U);
    EXPECT_EQ(inode_of(prefix + "0"), inode_of(prefix + "2"));
    EXPECT_EQ(inode_of(prefix + "3"), inode_of(prefix + "5"));
    EXPECT_EQ(inode_of(prefix + "6"), inode_of(prefix + "7"));
    EXPECT_NE(inode_of(prefix + "0"), inode_of(prefix + "3"));
    EXPECT_NE(inode_of(prefix + "3"), inode_of(prefix + "6"));
  }
}

TEST_F(LinkLimitTest, WhereThereAreNoLinksAtAll) {
  limit(1, ErrorKind::kUnsupported);
  auto links = table();
  for (const auto* name : {"a", "b", "c"}) expect_ok(make(links, object(7, 3), name));
  EXPECT_EQ(made_, 3);
  EXPECT_EQ(copies_.size(), 2U);
  EXPECT_EQ(links.size(), 0U);
}

TEST_F(LinkLimitTest, ReachedByManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kNames = 50;
  for (const std::uint64_t links_max : {1U, 2U, 7U}) {
    limit(links_max, ErrorKind::kLimit);
    auto links = table();
    made_ = 0;
    copies_.clear();
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kNames; ++i) {
          const auto name = std::to_string(links_max) + "-" + std::to_string(thread * kNames + i);
          expect_ok(make(links, object(7, kThreads * kNames), name));
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(copies_.size() + 1, static_cast<std::size_t>(made_));
    EXPECT_GT(made_, 1);
    EXPECT_EQ(links.size(), 0U);
    for (int i = 0; i < kThreads * kNames; ++i) {
      EXPECT_TRUE(root_->status(std::to_string(links_max) + "-" + std::to_string(i))) << i;
    }
  }
}

TEST_F(LinkTableTest, FailedNamesCountAsSeen) {
  reader::LinkTable table(root_);
  expect_ok(root_->make_symlink("a", "in the way"));
  expect_ok(root_->make_symlink("c", "in the way"));
  EXPECT_FALSE(make(table, object(7, 4), "a"));
  expect_ok(make(table, object(7, 4), "b"));
  EXPECT_FALSE(make(table, object(7, 4), "c"));
  expect_ok(make(table, object(7, 4), "d"));
  EXPECT_EQ(inode_of("b"), inode_of("d"));
  EXPECT_EQ(table.size(), 0U);
}

TEST_F(LinkTableTest, ThreadsWaitForTheOneThatMakesTheObject) {
  constexpr int kThreads = 8;
  constexpr int kObjects = 50;
  reader::LinkTable table(root_);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 1; i <= kObjects; ++i) {
        const auto name = std::to_string(i) + "-" + std::to_string(thread);
        expect_ok(make(table, object(static_cast<reader::InodeNumber>(i), kThreads), name));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made_, kObjects);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(value_of(root_->status("1-0")).link_count, 8U);
}

}  // namespace
}  // namespace dgfs::test
