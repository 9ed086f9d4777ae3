// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The environments, which must behave alike, as parameters of one suite.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "storage/env.h"
#include "storage/memory/env.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {

enum class EnvKind : std::uint8_t { kPosix, kMemory, kCounting, kFaulty };

/// Options for a file that must not exist yet.
inline constexpr storage::OpenOptions kCreate{storage::OpenOptions::Mode::kCreateNew};

/// Gives each test an Env and an empty directory in it.
class EnvTest : public testing::TestWithParam<EnvKind> {
 protected:
  void SetUp() override;

  [[nodiscard]] storage::Env& env() { return outer_ ? *outer_ : *inner_; }
  [[nodiscard]] std::string at(const std::string& name) const { return root_path_ + "/" + name; }
  [[nodiscard]] const std::string& root_path() const { return root_path_; }
  [[nodiscard]] bool is_real() const { return GetParam() != EnvKind::kMemory; }
  /// The empty directory, open.
  [[nodiscard]] std::unique_ptr<storage::Directory> root();
  /// Whole content of a file.
  [[nodiscard]] std::string content(const std::string& path);
  void create(const std::string& path, std::string_view text);

 private:
  TempDir temp_dir_;
  std::unique_ptr<storage::Env> inner_;
  std::unique_ptr<storage::Env> outer_;
  std::string root_path_;
};

std::string env_kind_name(const testing::TestParamInfo<EnvKind>& info);

#define DGFS_INSTANTIATE_ENV_SUITE(suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(                                                                     \
      All, suite,                                                                               \
      testing::Values(EnvKind::kPosix, EnvKind::kMemory, EnvKind::kCounting, EnvKind::kFaulty), \
      env_kind_name)

/// Expects `expression` to fail with `error_kind`.
#define EXPECT_FAILS(error_kind, expression)                                                    \
  do {                                                                                          \
    const auto result_of_call = (expression);                                                   \
    ASSERT_FALSE(result_of_call.has_value());                                                   \
    EXPECT_EQ(result_of_call.error().kind(), (error_kind)) << result_of_call.error().message(); \
  } while (false)

/// Ends the test unless `expression` succeeds.
#define ASSERT_OK(expression)                                                    \
  do {                                                                           \
    const auto result_of_call = (expression);                                    \
    ASSERT_TRUE(result_of_call.has_value()) << result_of_call.error().message(); \
  } while (false)

}  // namespace dgfs::test
