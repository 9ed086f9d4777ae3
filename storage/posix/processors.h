// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The processors of the machine, and where a thread runs.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace dgfs::storage {

/// The largest number of processors that the kernel can ever have, including those that are off: it
/// has a FUSE queue for each. nullopt if the system does not say.
[[nodiscard]] std::optional<unsigned> possible_processors();
/// Counts a list of processors in the kernel's form ("0-3,8\n" has 5). nullopt if it is malformed.
[[nodiscard]] std::optional<unsigned> count_processors(std::string_view list);
/// Numbers of the processors on which the calling thread may run.
[[nodiscard]] std::vector<unsigned> allowed_processors();
/// Makes the calling thread run only on these processors, as far as they are on and allowed. If
/// none is, the thread stays where it is.
void bind_to_processors(std::span<const unsigned> numbers);

}  // namespace dgfs::storage
