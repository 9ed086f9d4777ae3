// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Seeds of the targets "store": a run, a node, a group and a superblock of some sorts; and
// "manifest": both slots; and "filter": tables and their stages.
#pragma once

#include <filesystem>

namespace dgfs::test {

void add_store_seeds(const std::filesystem::path& folder);
void add_manifest_seeds(const std::filesystem::path& folder);
void add_filter_seeds(const std::filesystem::path& folder);

}  // namespace dgfs::test
