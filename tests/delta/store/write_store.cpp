// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// write_store DIR SEED [--hold]: makes a store in a directory, by seed, for tests of the program.
// Its log has groups that the tree lacks. With --hold it prints a line and keeps the store open
// until its input ends.
#include <cstdio>
#include <string>
#include <vector>

#include "storage/posix/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

constexpr int kBatches = 400;
constexpr int kBatchesBetweenCheckpoints = 130;
constexpr int kBatchesOfAGroup = 7;

delta::StoreOptions options() {
  delta::StoreOptions options;
  options.create = true;
  options.parameters = {512, 1024, 4, 1 << 16, 12};
  options.table_bytes = 2048;
  return options;
}

Status write(delta::Store& store, Random& random) {
  BatchShape shape;
  shape.keys = 1000;
  for (int i = 1; i <= kBatches; ++i) {
    DGFS_CHECK(store.apply(random_batch(random, shape)));
    if (i % kBatchesBetweenCheckpoints == 0) {
      DGFS_CHECK(store.checkpoint());
    } else if (i % kBatchesOfAGroup == 0) {
      DGFS_CHECK(store.sync());
    }
  }
  return store.sync();
}

int run(const std::vector<std::string>& arguments) {
  const auto env = storage::make_posix_env();
  auto opened = delta::Store::open(*env, arguments[0], options());
  if (!opened) {
    std::fprintf(stderr, "%s\n", opened.error().message().c_str());
    return 1;
  }
  const auto store = std::move(opened).value();
  Random random(std::stoull(arguments[1]));
  if (const auto written = write(*store, random); !written) {
    std::fprintf(stderr, "%s\n", written.error().message().c_str());
    return 1;
  }
  if (arguments.size() > 2) {
    std::puts("open");
    std::fflush(stdout);
    while (std::getchar() != EOF) continue;
  }
  return 0;
}

}  // namespace
}  // namespace dgfs::test

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: write_store DIR SEED [--hold]\n");
    return 2;
  }
  return dgfs::test::run({argv + 1, argv + argc});
}
