// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

/// Ends the test as skipped, with the reason; where the environment has DGFS_NO_SKIPS, as failed:
/// CI sets it, so that a machine that cannot mount cannot pass for one on which the mount works.
/// Must be called from the test's own function, or from SetUp().
#define DGFS_SKIP(reason)                                                     \
  do {                                                                        \
    if (std::getenv("DGFS_NO_SKIPS") == nullptr) GTEST_SKIP() << (reason);    \
    FAIL() << "must not be skipped where DGFS_NO_SKIPS is set: " << (reason); \
  } while (false)
