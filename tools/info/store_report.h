// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a store is made of, for people and for programs.
#pragma once

#include <string>

#include "base/json.h"
#include "delta/store/store_check.h"

namespace dgfs::tools {

/// What a manual says about the words that the text uses.
inline constexpr char kStoreHelp[] =
    "What is written goes to the log first, whose two segments are used in turns, and to a table "
    "in memory. Tables move into a tree. Its nodes cut the keys into slots; messages wait in runs "
    "for what is below, and come to rest in basements. A checkpoint makes the tree durable, and "
    "the log before it superfluous. Large values lie in a file of their own, and the tree has "
    "their "
    "places. Blocks that are replaced stay for a while, and are free then. The filter knows which "
    "objects of lower layers the store says something of.";

/// A line for each fact: "tree       height 1, 17 nodes, 210 basements, 13.1 MB".
/// @param has_read_runs  whether points and range tombstones are known
[[nodiscard]] std::string store_text(const delta::StoreReport& report, bool has_read_runs);
/// The same as members of an object.
void add_store(JsonObject& json, const delta::StoreReport& report, bool has_read_runs);

/// "no damage in 17 nodes, 210 basements, 40 waiting runs, 5 large values, 3 groups of the
/// log, 13.1 MB", or "2 places damaged".
[[nodiscard]] std::string check_summary(const delta::StoreReport& report);
/// What is no damage and worth a word about superblocks. Empty where there is none.
[[nodiscard]] std::string check_remark(const delta::StoreReport& report);

}  // namespace dgfs::tools
