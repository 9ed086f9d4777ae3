// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Shows what a store consists of, for people and for programs.
#pragma once

#include <string>

#include "base/json.h"
#include "delta/store/store_check.h"

namespace dgfs::tools {

/// The paragraph for manuals on the words in store_text().
inline constexpr char kStoreHelp[] =
    "A change goes first to the log, whose two segments are used in turns, and to a table in "
    "memory. Tables move into a tree. The nodes of the tree cut the keys into slots; messages wait "
    "in runs for the data below them, and come to rest in basements. A checkpoint makes the tree "
    "durable, so that the log before it is no longer needed. Large values lie in a separate file, "
    "and the tree has their places. Replaced blocks are kept for a while before they become free. "
    "The filter knows for which objects of lower layers the store has changes.";

/// A line for each fact: "tree       height 1, 17 nodes, 210 basements, 13.1 MB".
/// @param has_read_runs  whether the numbers of points and range tombstones are known
[[nodiscard]] std::string store_text(const delta::StoreReport& report, bool has_read_runs);
/// Adds the same facts as members of an object.
void add_store(JsonObject& json, const delta::StoreReport& report, bool has_read_runs);

/// "no damage in 17 nodes, 210 basements, 40 waiting runs, 5 large values, 3 groups of the
/// log, 13.1 MB", or "2 places damaged".
[[nodiscard]] std::string check_summary(const delta::StoreReport& report);
/// A remark about superblocks that is no damage; empty if there is none.
[[nodiscard]] std::string check_remark(const delta::StoreReport& report);

}  // namespace dgfs::tools
