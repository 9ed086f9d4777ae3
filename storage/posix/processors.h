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

/// How many processors the kernel can ever have, also those that are off: it has a queue of its own
/// for each. nullopt: it does not say.
[[nodiscard]] std::optional<unsigned> possible_processors();
/// The count of a list as the kernel writes it ("0-3,8\n" has 5). nullopt: it is none.
[[nodiscard]] std::optional<unsigned> count_processors(std::string_view list);
/// Those that the calling thread may run on, by number.
[[nodiscard]] std::vector<unsigned> allowed_processors();
/// Has the calling thread run on these alone, as far as they are on and not forbidden. Else it
/// stays where it is.
void bind_to_processors(std::span<const unsigned> numbers);

}  // namespace dgfs::storage
