// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/testing/counting_env.h"

#include <array>

#include "tests/storage/env_fixture.h"

namespace dgfs::test {
namespace {

using storage::IoCounts;

TEST(CountingEnv, CountsByFile) {
  const auto memory = storage::make_memory_env(1);
  const auto env = storage::make_counting_env(*memory);
  const auto file = std::move(env->open("/f", {storage::OpenOptions::Mode::kCreateNew})).value();
  ASSERT_OK(file->write_at(0, Buffer(100)));
  ASSERT_OK(file->sync());
  Buffer one(60), two(60);
  const std::array<MutableBytes, 2> outs{one, two};
  ASSERT_OK(file->read_at(0, outs));  // 100 bytes, one operation
  ASSERT_OK(file->read_at(0, MutableBytes(one)));
  EXPECT_EQ(env->counts("/f"), (IoCounts{1, 2, 160, 1, 100, 1}));
  EXPECT_EQ(env->counts("/g"), IoCounts{});
  EXPECT_EQ(env->all().size(), 1U);
  env->reset();
  EXPECT_EQ(env->counts("/f"), IoCounts{});
}

TEST(CountingEnv, CountsFilesOfDirectories) {
  const auto memory = storage::make_memory_env(1);
  const auto env = storage::make_counting_env(*memory);
  const auto dir = std::move(env->open_directory("/")).value();
  ASSERT_OK(std::move(dir->create_file("f", 0644)).value()->write_at(0, Buffer(7)));
  ASSERT_OK(dir->open_file("f"));
  EXPECT_EQ(env->counts("/f"), (IoCounts{2, 0, 0, 1, 7, 0}));
}

TEST(CountingEnv, UnnamedFilesCountByTheirNameOncePublished) {
  const auto memory = storage::make_memory_env(1);
  const auto env = storage::make_counting_env(*memory);
  const auto file = std::move(env->create_unnamed("/")).value();
  ASSERT_OK(file->write_at(0, Buffer(5)));
  EXPECT_EQ(env->counts("(unnamed)").written_bytes, 5U);
  ASSERT_OK(env->publish(*file, "/f"));
  ASSERT_OK(file->write_at(0, Buffer(3)));
  EXPECT_EQ(env->counts("/f").written_bytes, 3U);
  EXPECT_EQ(env->counts("(unnamed)").written_bytes, 5U);
}

}  // namespace
}  // namespace dgfs::test
