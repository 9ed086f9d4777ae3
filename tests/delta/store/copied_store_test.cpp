// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/copied_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "delta/store/store.h"
#include "delta/store/store_check.h"
#include "delta/store/store_files.h"
#include "storage/posix/env.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

namespace dgfs::delta {
namespace {

namespace fs = std::filesystem;

// The files of the store are copied as cp does, so they get other inode numbers.
class CopiedStore : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Store> open(const std::string& directory, bool accepts = false) {
    StoreOptions options;
    options.create = directory == store_;
    options.accepts_torn_copy = accepts;
    options.parameters.segment_bytes = std::uint64_t{1} << 20;
    auto opened = Store::open(*env_, directory, options);
    last_ = opened ? "" : opened.error().message();
    kind_ = opened ? ErrorKind::kIo : opened.error().kind();
    return opened ? std::move(opened).value() : nullptr;
  }
  static void put(Store& store, const std::string& key, std::size_t bytes) {
    Batch batch;
    batch.put(key, std::string(bytes, 'v'));
    ASSERT_TRUE(store.apply(batch));
    ASSERT_TRUE(store.sync());
  }
  void copy(const std::string& name) {
    fs::create_directories(copy_);
    fs::copy_file(store_ + "/" + name, copy_ + "/" + name, fs::copy_options::overwrite_existing);
    fs::last_write_time(copy_ + "/" + name, fs::last_write_time(store_ + "/" + name));
  }
  void copy_all() {
    for (const char* name : {"store", "log.0", "log.1", "blocks", "extents"}) copy(name);
  }
  [[nodiscard]] std::optional<Origin> origin(const std::string& directory) {
    const auto superblock = read_store_superblock(*env_, directory);
    if (!superblock) return std::nullopt;
    const auto found = read_origin(*env_, directory, superblock.value());
    EXPECT_TRUE(found) << found.error().message();
    return found ? std::optional(found.value()) : std::nullopt;
  }
  // Whether check_store() refuses the copy as torn, like Store::open().
  [[nodiscard]] bool is_refused() {
    const bool is_open = open(copy_) != nullptr;
    const auto checked = check_store(*env_, copy_);
    EXPECT_EQ(is_open, checked.has_value()) << last_;
    return !is_open && kind_ == ErrorKind::kChanged &&
           last_.find("dgfs delta repair") != std::string::npos;
  }
  void SetUp() override {
    const auto probe = open(store_);
    ASSERT_TRUE(probe) << last_;
    put(*probe, "first", 100);
    ASSERT_TRUE(probe->close());
    const auto superblock = read_store_superblock(*env_, store_).value();
    if (superblock.identity == 0) DGFS_SKIP("files have no identity here");
  }

  test::TempDir place_;
  const std::string store_ = place_ / "store";
  const std::string copy_ = place_ / "copy";
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  std::string last_;
  ErrorKind kind_ = ErrorKind::kIo;
};

TEST_F(CopiedStore, OfAClosedStoreIsWhole) {
  copy_all();
  const auto superblock = read_store_superblock(*env_, copy_).value();
  EXPECT_TRUE(is_copy(superblock, read_store_identity(*env_, copy_, superblock).value()));
  EXPECT_EQ(origin(copy_), Origin::kWhole);
  EXPECT_FALSE(is_refused());
}

TEST_F(CopiedStore, OfAnOpenStoreIsRefusedAndCanBeAccepted) {
  {
    const auto store = open(store_);
    put(*store, "second", 100);
    copy_all();
  }
  EXPECT_TRUE(is_refused()) << last_;
  {
    const auto accepted = open(copy_, true);
    ASSERT_TRUE(accepted) << last_;
    EXPECT_TRUE(accepted->get("second").value());
    ASSERT_TRUE(accepted->close());
  }
  EXPECT_TRUE(open(copy_)) << last_;
}

TEST_F(CopiedStore, AStoreThatWasNotClosedIsItsOwn) {
  {
    const auto store = open(store_);
    put(*store, "second", 100);
  }
  {
    const auto again = open(store_);
    ASSERT_TRUE(again) << last_;
    EXPECT_EQ(again->counters().recovered, 1u);
    ASSERT_TRUE(again->close());
  }
  fs::rename(store_, place_ / "elsewhere");
  EXPECT_TRUE(open(place_ / "elsewhere")) << last_;
}

// The superblock comes last: it says that the store was closed.
TEST_F(CopiedStore, WithOldFilesAndANewSuperblockIsRefused) {
  for (const std::string old : {"blocks", "extents"}) {
    const auto store = open(store_);
    put(*store, "small " + old, 1000);
    put(*store, "large " + old, 100'000);
    copy(old);
    put(*store, "later " + old, 200'000);
    for (int i = 0; i < 200; ++i) put(*store, old + std::to_string(i), 500);
    ASSERT_TRUE(store->close());
    for (const std::string name : {"store", "log.0", "log.1", "blocks", "extents"}) {
      if (name != old) copy(name);
    }
    EXPECT_TRUE(is_refused()) << old << " " << last_;
  }
}

TEST_F(CopiedStore, WithAnOldSuperblockAndANewLogIsRefused) {
  copy("store");
  const auto store = open(store_);
  put(*store, "second", 100);
  for (const char* name : {"log.0", "log.1", "blocks", "extents"}) copy(name);
  EXPECT_TRUE(is_refused()) << last_;
}

TEST_F(CopiedStore, WithoutTimesIsCheckedCompletely) {
  copy_all();
  for (const char* name : {"blocks", "extents"}) {
    fs::last_write_time(copy_ + "/" + name, fs::file_time_type::clock::now());
  }
  EXPECT_EQ(origin(copy_), Origin::kUnproven);
  EXPECT_FALSE(is_refused()) << last_;
}

// A program that reads a file and then copies its times must not get the time of a closed store.
TEST_F(CopiedStore, GetsNoTimeWhileAnotherProcessReadsIt) {
  const auto store = open(store_);
  put(*store, "second", 100);
  const auto reader = env_->open(store_ + "/blocks");
  ASSERT_TRUE(reader);
  ASSERT_TRUE(store->close());
  copy_all();
  EXPECT_EQ(origin(copy_), Origin::kUnproven);
}

TEST_F(CopiedStore, OfAStoreWithoutMarksIsOpenedAsBefore) {
  Superblock old;
  old.identity = 0;
  const auto origin = origin_of(*env_, store_, old, 4711);
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin.value(), Origin::kOwn);
}

}  // namespace
}  // namespace dgfs::delta
