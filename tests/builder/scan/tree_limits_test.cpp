// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The limits of a tree: the longest path that fits a key, and directories on other file systems.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>

#include "builder/build.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "storage/memory/env.h"
#include "storage/posix/env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

/// A tmpfs on `path` that only this process sees; unmounted at the end.
class ScratchMount {
 public:
  explicit ScratchMount(const std::string& path) : path_(path) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=1m,mode=0710") != 0) {
      failure_ = std::strerror(errno);
    }
  }
  ~ScratchMount() {
    if (failure_.empty()) ::umount2(path_.c_str(), MNT_DETACH);
  }
  ScratchMount(const ScratchMount&) = delete;
  ScratchMount& operator=(const ScratchMount&) = delete;

  /// Why the mount failed; empty if it succeeded.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  std::string path_;
  std::string failure_;
};

TEST(TreeLimits, APathBeyondTheLongestKeyIsALoss) {
  const auto env = storage::make_memory_env(1);
  SourceTree tree(*env, "/src");
  // F-100: each directory takes its name and one byte of the key; the last name takes one byte
  // more.
  constexpr std::size_t kLevels = format::kKeyBytesMax / (format::kNameBytesMax + 1);
  constexpr std::size_t kLastNameBytes =
      format::kKeyBytesMax - kLevels * (format::kNameBytesMax + 1) - 1;
  static_assert(kLastNameBytes > 0 && kLastNameBytes < format::kNameBytesMax);
  std::string path;
  for (std::size_t level = 0; level < kLevels; ++level) {
    path += std::string(format::kNameBytesMax, 'd');
    tree.directory(path);
    path += '/';
  }
  const std::string longest = path + std::string(kLastNameBytes, 'f');
  tree.file(longest, "fits");
  auto options = options_for(tree, "/i");
  ASSERT_TRUE(builder::build(*env, options));

  const std::string too_long = longest + "f";
  tree.file(too_long, "does not");
  const auto refused = builder::build(*env, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(refused.error().file(), "/src/" + too_long);

  options.keep_going = true;
  const auto report = builder::build(*env, options);
  ASSERT_TRUE(report);
  ASSERT_EQ(report.value().loss_count, 1);
  EXPECT_EQ(report.value().losses[0].path, too_long);
  const auto image = dump_image(*env, "/i");
  ASSERT_TRUE(image);
  EXPECT_EQ(image.value().nodes.at(longest).content, "fits");
  EXPECT_FALSE(image.value().nodes.contains(too_long));
}

TEST(TreeLimits, OneFileSystemKeepsMountPointsEmpty) {
  const auto env = storage::make_posix_env();
  const TempDir directory;
  SourceTree tree(*env, directory / "src");
  tree.file("f", "outside");
  tree.directory("mnt");
  const ScratchMount mount(directory / "src/mnt");
  if (!mount.failure().empty()) DGFS_SKIP("cannot mount a tmpfs: " + mount.failure());
  tree.file("mnt/g", "inside");
  tree.directory("mnt/below");
  for (const bool one : {true, false}) {
    auto options = options_for(tree, directory / "i");
    options.one_file_system = one;
    ASSERT_TRUE(builder::build(*env, options));
    const auto image = dump_image(*env, directory / "i");
    ASSERT_TRUE(image);
    const auto& nodes = image.value().nodes;
    EXPECT_EQ(nodes.contains("mnt/g"), !one);
    EXPECT_EQ(nodes.contains("mnt/below"), !one);
    EXPECT_EQ(nodes.at("mnt").entry.mode, format::kTypeDirectory | 0710);
    EXPECT_EQ(nodes.at("f").content, "outside");
  }
}

}  // namespace
}  // namespace dgfs::test
