// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A ModelTree as an image begins it; and its times, of which no kernel tells exactly.
#include <gtest/gtest.h>

namespace dgfs::test {
namespace {

}  // namespace
}  // namespace dgfs::test
