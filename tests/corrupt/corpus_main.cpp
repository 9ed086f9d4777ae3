// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Runs the tests, then prints how many images they tried, and the memory and time of the worst.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/corrupt/prober.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  using dgfs::test::Prober;
  std::printf("%zu distinct damaged images; at most %.1f MiB of heap and %.2f s for one\n",
              Prober::cases(), static_cast<double>(Prober::peak_bytes()) / (1 << 20),
              Prober::longest_s());
  return status;
}
