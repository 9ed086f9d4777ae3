// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The stores of a delta's directory: their paths, how they are made, and how they are opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "delta/store/directory/manifest.h"
#include "delta/store/store_options.h"
#include "storage/env.h"

namespace dgfs::delta {

[[nodiscard]] std::string manifest_path(const std::string& directory);
[[nodiscard]] std::string store_path(const std::string& directory, const StackedStore& store);
/// Whether a manifest knows the states of its layers.
[[nodiscard]] bool has_states(const Manifest& manifest);

/// Makes a store at its place in the stack, and sets its UUID. Replaces what an interrupted attempt
/// has left. Errors: those of make_store().
[[nodiscard]] Status make_stacked(storage::Env& env, const std::string& directory,
                                  StackedStore& store, const StoreOptions& options);

/// Options for one of several stores. They share the memory: the newest gets half of it, or all if
/// it is alone. If the caches of sealed stores are in a pool, only the pool bounds them.
[[nodiscard]] StoreOptions options_to_open(StoreOptions options, std::size_t stores,
                                           bool is_newest);
/// The cap holds for all stores together; the others take so many bytes.
[[nodiscard]] StoreOptions options_beside(StoreOptions options, std::uint64_t sealed_bytes);

}  // namespace dgfs::delta
