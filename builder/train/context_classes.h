// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Decides which contexts of the token codec share a prefix code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dgfs::builder {

/// Number of uses of each symbol, by context.
using ContextCounts = std::vector<std::vector<std::uint64_t>>;

struct ContextClasses {
  std::size_t count = 1;
  std::vector<std::uint8_t> of_context;
};

/// Groups the contexts into classes whose codes cost the fewest bits (k-means with code lengths as
/// distance). Uses as many classes, up to `classes_max`, as pay for their place in the model.
/// Calculates in integers only, so every machine chooses the same classes.
/// @param scale  uses in the tree for each counted use, in 256ths; at most 2^24
[[nodiscard]] ContextClasses choose_classes(const ContextCounts& contexts, std::uint64_t scale,
                                            std::size_t symbols, std::size_t classes_max);

}  // namespace dgfs::builder
