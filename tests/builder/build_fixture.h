// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree in memory, builds of it, and the images that result.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "storage/memory/env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"

namespace dgfs::test {

/// Base of test fixtures. A failed build or dump ends the test program with its message.
class BuildFixture : public ::testing::Test {
 protected:
  builder::BuildReport build(const builder::BuildOptions& options) {
    return must(builder::build(*env_, options));
  }
  ImageDump dump(const std::string& image, const std::string& index = {}) {
    return must(dump_image(*env_, image, index));
  }

  /// Builds with one thread, then with more threads and with much and little memory.
  /// @return the report of the build with one thread
  builder::BuildReport build_with_any_threads(builder::BuildOptions options) {
    const auto image_path = options.image_path;
    options.jobs = 1;
    auto report = build(options);
    const auto image = must(read_whole(*env_, image_path));
    options.image_path += ".threads";
    for (const unsigned jobs : {2U, 8U}) {
      options.jobs = jobs;
      options.memory_bytes = jobs == 8 ? builder::kMemoryBytesMin : std::size_t{1} << 28;
      build(options);
      EXPECT_TRUE(must(read_whole(*env_, options.image_path)) == image) << jobs;
    }
    return report;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};

 private:
  template <class T>
  static T must(Result<T> result) {
    if (!result) {
      ADD_FAILURE() << result.error().message();
      std::abort();
    }
    return std::move(result).value();
  }
};

}  // namespace dgfs::test
