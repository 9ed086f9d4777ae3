// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seeds of the target "store": a run, a node, a group and a superblock of some sorts.
#pragma once

#include <filesystem>

namespace dgfs::test {

void add_store_seeds(const std::filesystem::path& folder);

}  // namespace dgfs::test
