// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which contexts of the token codec share a prefix code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dgfs::builder {

/// How often each symbol is used, by context.
using ContextCounts = std::vector<std::vector<std::uint64_t>>;

struct ContextClasses {
  std::size_t count = 1;
  std::vector<std::uint8_t> of_context;
};

/// As many classes as pay for their place in the model, and the contexts grouped so that they cost
/// the fewest bits (k-means with code lengths as distance). Counts in integers alone, so that it
/// chooses the same on every machine.
/// @param scale  uses in the tree for each one counted, in 256ths; below 2^24
[[nodiscard]] ContextClasses choose_classes(const ContextCounts& contexts, std::uint64_t scale,
                                            std::size_t symbols, std::size_t classes_max);

}  // namespace dgfs::builder
