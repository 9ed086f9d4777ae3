// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/privacy.h"

#include <gtest/gtest.h>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/private_mode.h"
#include "storage/file_mode.h"
#include "storage/memory/env.h"
#include "tests/support/hook_env.h"
#include "tests/support/sealed_delta.h"

namespace dgfs::test {
namespace {

using namespace delta;

class PrivacyTest : public testing::Test {
 protected:
  PrivacyTest() {
    options_.parameters = {4096, 16384, 8, 1 << 18, 2048};
    EXPECT_TRUE(DeltaDirectory::create(*env_, "/d", format::Uuid{}, 1000, options_));
    EXPECT_TRUE(seal_delta(*env_, "/d", 2000, options_));
  }
  // Calls `act` with each directory of the delta, and each name in it; empty: the directory itself.
  template <class Act>
  void each(Act act) {
    for (const std::string path : {"/d", "/d/0001", "/d/0002"}) {
      const auto directory = env_->open_directory(path).value();
      act(*directory, std::string());
      const auto names = directory->list().value();
      for (const std::string& name : names) act(*directory, name);
    }
  }
  unsigned open_to_others() {
    unsigned count = 0;
    each([&](storage::Directory& directory, const std::string& name) {
      if ((directory.status(name).value().mode & kOthersMask) != 0) ++count;
    });
    return count;
  }
  // As a delta is that was made under the umask 022 before deltas were private.
  void open_all_to_others() {
    each([](storage::Directory& directory, const std::string& name) {
      const bool is_directory =
          storage::is_type(directory.status(name).value().mode, storage::kTypeDirectory);
      ASSERT_TRUE(directory.set_mode(name, is_directory ? 0755 : 0644));
    });
  }
  [[nodiscard]] std::unique_ptr<DeltaDirectory> open(StoreAccess access,
                                                     storage::Env* env = nullptr) {
    options_.access = access;
    auto opened = DeltaDirectory::open(env == nullptr ? *env_ : *env, "/d", options_);
    EXPECT_TRUE(opened) << opened.error().message();
    return opened ? std::move(opened).value() : nullptr;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_;
};

TEST_F(PrivacyTest, ADeltaIsMadeForItsOwnerAlone) {
  EXPECT_EQ(open_to_others(), 0U);
  const auto delta = open(StoreAccess::kReadWrite);
  EXPECT_EQ(delta->privacy().text("d"), "");
  ASSERT_TRUE(delta->close());
  EXPECT_EQ(open_to_others(), 0U);
}

TEST_F(PrivacyTest, AnOlderDeltaIsMadePrivateWhenItIsOpenedForWriting) {
  open_all_to_others();
  const auto before = open_to_others();
  EXPECT_GT(before, 14U);
  {
    const auto read = open(StoreAccess::kReadOnly);
    EXPECT_EQ(read->privacy().tightened, 0U);
    EXPECT_EQ(open_to_others(), before) << "reading changes nothing";
  }
  {
    const auto delta = open(StoreAccess::kReadWrite);
    // The directory of a store is seen twice by this test: from inside and as a name.
    EXPECT_EQ(delta->privacy().tightened + 2, before);
    EXPECT_NE(delta->privacy().text("d").find("d: other users had permissions"), std::string::npos);
    EXPECT_EQ(open_to_others(), 0U);
  }
  EXPECT_EQ(open(StoreAccess::kReadWrite)->privacy().tightened, 0U);
}

TEST_F(PrivacyTest, NamesThatAreNotOfTheDeltaAreLeftAlone) {
  ASSERT_TRUE(env_->open("/d/notes", {storage::OpenOptions::Mode::kCreateNew}));
  static_cast<void>(open(StoreAccess::kReadWrite));
  EXPECT_EQ(env_->status("/d/notes").value().mode & 0777, 0644U);
}

// A file system without modes, or files of another user: the delta is used, and its user is told.
TEST_F(PrivacyTest, WhatCannotBeMadePrivateIsTold) {
  open_all_to_others();
  int calls = 0;
  HookEnv env(*env_, [&](storage::CallKind kind, const std::string& path) -> Status {
    // The second call after the status sets the mode.
    if (kind == storage::CallKind::kOther && path == "/d/0001/extents" && ++calls == 2) {
      return Error(ErrorKind::kPermission, 1133, "not allowed").in_file(path);
    }
    return ok();
  });
  const auto delta = open(StoreAccess::kReadWrite, &env);
  ASSERT_TRUE(delta->privacy().refused);
  EXPECT_NE(delta->privacy().text("d").find("/d/0001/extents: not allowed"), std::string::npos)
      << delta->privacy().text("d");
  EXPECT_EQ(open_to_others(), 1U);
}

}  // namespace
}  // namespace dgfs::test
