// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/fuse/fuse_channel.h"

#include <fuse_lowlevel.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

struct Destroy {
  void operator()(fuse_session* session) const {
    fuse_session_unmount(session);
    fuse_session_destroy(session);
  }
};

// A process that waits for the delta of a mount is told that the mount has ended, although the
// threads of the mount are still busy.
TEST(FuseChannel, KnowsThatItsMountHasEndedBeforeAnyoneReceives) {
  DGFS_NEEDS_FUSE();
  const ScratchTree place;
  std::array<char*, 1> name = {const_cast<char*>("channel")};
  fuse_args arguments = FUSE_ARGS_INIT(1, name.data());
  const fuse_lowlevel_ops operations{};
  const std::unique_ptr<fuse_session, Destroy> session(
      fuse_session_new(&arguments, &operations, sizeof operations, nullptr));
  fuse_opt_free_args(&arguments);  // libfuse has replaced them with a copy
  ASSERT_TRUE(session);
  ASSERT_EQ(fuse_session_mount(session.get(), place.path().c_str()), 0);
  const int device = fuse_session_fd(session.get());
  EXPECT_TRUE(storage::is_fuse_connected(device)) << "INIT waits there";
  ASSERT_EQ(std::system(("fusermount3 -u " + place.path()).c_str()), 0);
  EXPECT_FALSE(storage::is_fuse_connected(device));
}

}  // namespace
}  // namespace dgfs::test
