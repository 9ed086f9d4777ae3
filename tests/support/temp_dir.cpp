// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/temp_dir.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace dgfs::test {

TempDir::TempDir() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base == nullptr ? "/tmp" : base) + "/dgfs-test-XXXXXX";
  if (::mkdtemp(path_.data()) != nullptr) return;
  std::perror(path_.c_str());
  std::abort();
}

TempDir::~TempDir() {
  // Works with descriptors on Linux, so that it also removes trees deeper than PATH_MAX.
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace dgfs::test
