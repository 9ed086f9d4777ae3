// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

/// Skips the test, with the reason. If the environment has DGFS_NO_SKIPS, as in CI, the test fails
/// instead: a machine that cannot mount says nothing about mounts. Must be called from the test's
/// own function, or from SetUp().
#define DGFS_SKIP(reason)                                                     \
  do {                                                                        \
    if (std::getenv("DGFS_NO_SKIPS") == nullptr) GTEST_SKIP() << (reason);    \
    FAIL() << "must not be skipped where DGFS_NO_SKIPS is set: " << (reason); \
  } while (false)
