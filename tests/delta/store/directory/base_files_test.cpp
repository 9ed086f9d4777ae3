// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/base_files.h"

#include <gtest/gtest.h>

#include <string>

#include "delta/store/private_mode.h"
#include "tests/delta/store/directory/based_delta.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

TEST(BaseFiles, AreKnownByTheirNames) {
  EXPECT_EQ(base_file_name(3), "base.0003.dgfs");
  EXPECT_EQ(base_file_name(123456), "base.123456.dgfs");
  for (const std::string number : {"0001", "9999", "10000", "18446744073709551615"}) {
    EXPECT_TRUE(is_base_file("base." + number + ".dgfs")) << number;
    EXPECT_TRUE(is_base_file("base." + number + ".dgfs.idx")) << number;
  }
  for (const char* name : {"",
                           "base",
                           "base.",
                           "base.dgfs",
                           "base..dgfs",
                           "base.1.dgfs",
                           "base.001.dgfs",
                           "base.00001.dgfs",
                           "base.0001",
                           "base.0001.idx",
                           "base.0001.dgfs.idx.idx",
                           "base.0001.dgfs.bak",
                           "base.+001.dgfs",
                           "base.-001.dgfs",
                           "base.0x01.dgfs",
                           "base.18446744073709551616.dgfs",
                           "Base.0001.dgfs",
                           ".base.0001.dgfs",
                           "0001",
                           ".idx",
                           "base.0001 .dgfs"}) {
    EXPECT_FALSE(is_base_file(name)) << name;
  }
}

class BaseFilesTest : public BasedDelta {
 protected:
  BaseFilesTest() { seal("first", "one"); }
};

TEST_F(BaseFilesTest, OfADeltaWithoutABaseNothingIsHeld) {
  const auto held = HeldBase::hold(*disk_, "/d", manifest());
  ASSERT_TRUE(held);
  EXPECT_TRUE(held.value().empty());
}

// Without a base no number is needed: a merge was cut off before the manifest named it.
TEST_F(BaseFilesTest, OfAMergeThatWasCutOffGo) {
  for (const char* name : {"base.0003.dgfs", "base.0003.dgfs.idx", ".base.0003.dgfs.00ff00ff00.new",
                           ".base.0003.dgfs.idx.00ff00ff00.new", ".base.0003.dgfs.00ff00ff00.tmp",
                           ".base.0003.dgfs.lock", ".base.0003.dgfs.idx.lock"}) {
    make_file(name);
  }
  EXPECT_EQ(remove_unneeded_bases(*disk_, "/d", manifest()).value().removed, 7U);
  EXPECT_EQ(names(), (Names{"0001", "0002", "MANIFEST", "lock"}));
  EXPECT_EQ(remove_unneeded_bases(*disk_, "/d", manifest()).value().removed, 0U);
}

TEST_F(BaseFilesTest, ThatSomebodyHoldsStay) {
  merge(1);
  const auto named = manifest();
  auto unnamed = named;
  unnamed.base.reset();
  {
    const auto held = HeldBase::hold(*disk_, "/d", named).value();
    const auto twice = HeldBase::hold(*disk_, "/d", named);
    EXPECT_TRUE(twice) << "readers do not disturb each other";
    const auto left = remove_unneeded_bases(*disk_, "/d", unnamed).value();
    EXPECT_EQ(left.removed, 0U);
    EXPECT_EQ(left.held, 2U);
  }
  const auto removal = remove_unneeded_bases(*disk_, "/d", unnamed).value();
  EXPECT_EQ(removal.removed, 2U);
  EXPECT_EQ(removal.held, 0U);
  EXPECT_EQ(HeldBase::hold(*disk_, "/d", named).error().code(), 7615);
}

TEST_F(BaseFilesTest, ThatAreBeingRemovedAreNotHeld) {
  const auto number = merge(1);
  const auto file = disk_->open("/d/" + base_file_name(number)).value();
  ASSERT_TRUE(file->lock());
  EXPECT_EQ(HeldBase::hold(*disk_, "/d", manifest()).error().kind(), ErrorKind::kBusy);
}

TEST_F(BaseFilesTest, AFailureToRemoveIsTold) {
  make_file("base.0001.dgfs");
  HookEnv env(*disk_, [](storage::CallKind kind, const std::string& path) -> Status {
    if (kind != storage::CallKind::kOther || path != "/d/base.0001.dgfs") return ok();
    return Error(ErrorKind::kIo, 1, "the disk refuses");
  });
  EXPECT_EQ(remove_unneeded_bases(env, "/d", manifest()).error().kind(), ErrorKind::kIo);
  EXPECT_TRUE(has("base.0001.dgfs"));
}

TEST_F(BaseFilesTest, BelongToTheOwnerAlone) {
  const auto name = base_file_name(merge(1));
  make_file("base.txt");
  const auto directory = disk_->open_directory("/d").value();
  for (const auto& file : {name, name + ".idx", std::string("base.txt")}) {
    ASSERT_TRUE(directory->set_mode(file, 0644));
  }
  open(StoreAccess::kReadOnly);
  EXPECT_NE(disk_->status("/d/" + name).value().mode & kOthersMask, 0U);
  EXPECT_EQ(open()->privacy().tightened, 2U);
  for (const auto& file : {name, name + ".idx"}) {
    EXPECT_EQ(disk_->status("/d/" + file).value().mode & 0777, 0600U) << file;
  }
  EXPECT_EQ(disk_->status("/d/base.txt").value().mode & 0777, 0644U) << "of the user";
}

}  // namespace
}  // namespace dgfs::test
