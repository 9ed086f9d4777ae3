// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Copies of a delta with layers: a layer is closed for good, but a copy may have begun before that.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "delta/store/copied_store.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/store/store_files.h"
#include "storage/posix/env.h"
#include "tests/support/sealed_delta.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

namespace fs = std::filesystem;
using namespace delta;

constexpr std::uint64_t kBorn = 1000;

StoreOptions small_options(StoreAccess access = StoreAccess::kReadWrite) {
  StoreOptions options;
  options.access = access;
  options.parameters.segment_bytes = std::uint64_t{1} << 20;
  options.in_background = false;
  return options;
}

// The files are copied as cp does, so they get other inode numbers.
class CopiedDelta : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(DeltaDirectory::create(*env_, delta_, {}, kBorn, small_options()));
    change("first", 100);
    if (superblock(delta_ + "/0001").identity == 0) DGFS_SKIP("files have no identity here");
  }
  static void put(Store& store, const std::string& key, std::size_t bytes) {
    Batch batch;
    batch.put(key, std::string(bytes, 'v'));
    ASSERT_TRUE(store.apply(batch));
    ASSERT_TRUE(store.sync());
  }
  void change(const std::string& key, std::size_t bytes) {
    const auto opened = DeltaDirectory::open(*env_, delta_, small_options());
    ASSERT_TRUE(opened) << opened.error().message();
    put(opened.value()->newest(), key, bytes);
    ASSERT_TRUE(opened.value()->close());
  }
  void seal(const std::string& name = {}) {
    const auto opened = DeltaDirectory::open(*env_, delta_, small_options());
    ASSERT_TRUE(opened) << opened.error().message();
    const auto sealed = opened.value()->seal({name, {}}, kBorn);
    ASSERT_TRUE(sealed && !sealed.value().unclosed);
    ASSERT_TRUE(opened.value()->close());
  }
  void copy(const std::string& name) {
    const fs::path from = delta_ + "/" + name;
    const fs::path to = copy_ + "/" + name;
    fs::create_directories(to.parent_path());
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
    fs::last_write_time(to, fs::last_write_time(from));
  }
  // All that is there and was not copied before.
  void copy_rest() {
    for (const auto& entry : fs::recursive_directory_iterator(delta_)) {
      const auto name = fs::relative(entry.path(), delta_).string();
      if (entry.is_regular_file() && !fs::exists(copy_ + "/" + name)) copy(name);
    }
  }
  [[nodiscard]] Superblock superblock(const std::string& store) {
    return read_store_superblock(*env_, store).value();
  }
  [[nodiscard]] Origin origin(const std::string& store) {
    return read_origin(*env_, store, superblock(store)).value();
  }
  [[nodiscard]] Result<std::unique_ptr<DeltaDirectory>> open_copy(
      StoreAccess access = StoreAccess::kReadWrite) {
    return DeltaDirectory::open(*env_, copy_, small_options(access));
  }
  void expect_refused() {
    for (const auto access : {StoreAccess::kReadOnly, StoreAccess::kReadWrite}) {
      const auto opened = open_copy(access);
      ASSERT_FALSE(opened);
      EXPECT_EQ(opened.error().kind(), ErrorKind::kChanged) << opened.error().message();
      EXPECT_NE(opened.error().message().find("dgfs delta repair"), std::string::npos);
    }
  }

  TempDir place_;
  const std::string delta_ = place_ / "d";
  const std::string copy_ = place_ / "c";
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
};

TEST_F(CopiedDelta, OfClosedStoresIsWhole) {
  seal();
  change("second", 100'000);
  copy_rest();
  EXPECT_EQ(origin(delta_ + "/0001"), Origin::kOwn);
  EXPECT_EQ(origin(copy_ + "/0001"), Origin::kWhole);
  EXPECT_EQ(origin(copy_ + "/0002"), Origin::kWhole);
  const auto opened = open_copy();
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_TRUE(opened.value()->stores()[0]->get("first").value());
  EXPECT_TRUE(opened.value()->newest().get("second").value());
}

TEST_F(CopiedDelta, WithALayerFromBeforeItsSealIsRefused) {
  seal();
  for (const std::string old : {"blocks", "extents"}) {
    const auto layer = "000" + std::to_string(old == "blocks" ? 2 : 3);
    fs::remove_all(copy_);
    change("small " + old, 1000);
    change("large " + old, 100'000);
    copy(layer + "/" + old);
    for (int i = 0; i < 200; ++i) change(old + std::to_string(i), i % 20 == 0 ? 50'000 : 500);
    seal();
    copy_rest();
    ASSERT_TRUE(superblock(copy_ + "/" + layer).sealed);
    SCOPED_TRACE(old);
    expect_refused();
  }
}

TEST_F(CopiedDelta, WithAManifestOfAnotherMomentIsRefused) {
  copy("MANIFEST");
  seal("one");
  copy_rest();
  expect_refused();
  // The other way round: the manifest names a store that was not there yet.
  copy("MANIFEST");
  fs::remove_all(copy_ + "/0002");
  expect_refused();
}

TEST_F(CopiedDelta, WithALayerThatWasNotClosedIsRefusedAndTheDeltaItselfIsNot) {
  {
    const auto opened = DeltaDirectory::open(*env_, delta_, small_options()).value();
    put(opened->newest(), "second", 100);
    const auto last = opened->newest().sequence();
    const auto plan = opened->prepare_seal({"cut-off", {}}, kBorn, last).value();
    ASSERT_TRUE(opened->commit_seal(plan, last));
  }
  copy_rest();
  expect_refused();
  const auto opened = DeltaDirectory::open(*env_, delta_, small_options());
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_TRUE(opened.value()->stores()[0]->get("second").value());
  EXPECT_EQ(origin(delta_ + "/0001"), Origin::kOwn);
}

TEST_F(CopiedDelta, WithoutTimesIsReadCompletelyUntilItWasOpenedForWriting) {
  seal();
  copy_rest();
  for (const char* name : {"/0001/blocks", "/0001/extents"}) {
    fs::last_write_time(copy_ + name, fs::file_time_type::clock::now());
  }
  ASSERT_TRUE(open_copy(StoreAccess::kReadOnly));
  EXPECT_EQ(origin(copy_ + "/0001"), Origin::kUnproven);
  ASSERT_TRUE(open_copy());
  EXPECT_EQ(origin(copy_ + "/0001"), Origin::kWhole);
}

TEST_F(CopiedDelta, OfAnOpenDeltaCanBeAcceptedWithItsLayers) {
  seal();
  {
    const auto opened = DeltaDirectory::open(*env_, delta_, small_options()).value();
    put(opened->newest(), "second", 100);
    copy_rest();
  }
  expect_refused();
  auto accepting = small_options();
  accepting.accepts_torn_copy = true;
  {
    const auto opened = DeltaDirectory::open(*env_, copy_, accepting);
    ASSERT_TRUE(opened) << opened.error().message();
    EXPECT_TRUE(opened.value()->newest().get("second").value());
    ASSERT_TRUE(opened.value()->close());
  }
  EXPECT_TRUE(open_copy());
}

}  // namespace
}  // namespace dgfs::test
