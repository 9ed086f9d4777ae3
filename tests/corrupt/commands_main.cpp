// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Runs the tests of damaged images, and every command on each image, too.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/corrupt/command_prober.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  dgfs::test::Prober::also(dgfs::test::run_commands);
  const int status = RUN_ALL_TESTS();
  std::printf("%zu distinct damaged images, each with every command\n",
              dgfs::test::Prober::cases());
  return status;
}
