// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <span>
#include <string>

namespace dgfs::storage {

/// Runs another program with an empty environment, without input and output, and waits for its end.
/// Returns whether it succeeded: a program that is missing or that fails says nothing. Thread-safe.
/// @param path       from the root
/// @param arguments  without the name of the program
[[nodiscard]] bool run_silently(const std::string& path, std::span<const std::string> arguments);

}  // namespace dgfs::storage
