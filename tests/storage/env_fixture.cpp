// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/storage/env_fixture.h"

#include "storage/posix/env.h"
#include "storage/testing/counting_env.h"
#include "storage/testing/faulty_env.h"

namespace dgfs::test {

void EnvTest::SetUp() {
  if (is_real()) {
    inner_ = storage::make_posix_env();
    root_path_ = temp_dir_.path();
  } else {
    inner_ = storage::make_memory_env(1);
    root_path_ = "/root";
    ASSERT_OK(inner_->make_directory(root_path_, 0755));
  }
  if (GetParam() == EnvKind::kCounting) outer_ = storage::make_counting_env(*inner_);
  if (GetParam() == EnvKind::kFaulty) outer_ = storage::make_faulty_env(*inner_, 1);
}

std::unique_ptr<storage::Directory> EnvTest::root() {
  return std::move(env().open_directory(root_path_)).value();
}

std::string EnvTest::content(const std::string& path) {
  const auto file = env().open(path);
  if (!file) return "(" + file.error().message() + ")";
  Buffer bytes(file.value()->size().value());
  const auto status = read_exactly(*file.value(), 0, bytes);
  return status ? std::string(as_text(bytes)) : status.error().message();
}

void EnvTest::create(const std::string& path, std::string_view text) {
  const auto file = env().open(path, {storage::OpenOptions::Mode::kCreateNew});
  ASSERT_TRUE(file.has_value()) << file.error().message();
  ASSERT_OK(file.value()->write_at(0, as_bytes(text)));
}

std::string env_kind_name(const testing::TestParamInfo<EnvKind>& info) {
  switch (info.param) {
    case EnvKind::kPosix:
      return "Posix";
    case EnvKind::kMemory:
      return "Memory";
    case EnvKind::kCounting:
      return "Counting";
    case EnvKind::kFaulty:
      return "Faulty";
  }
  return "Unknown";
}

}  // namespace dgfs::test
