// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A generated tree made for real: directories and files below a path.
#pragma once

#include <functional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "bench/hundred_million/generated_tree.h"
#include "storage/env.h"

namespace dgfs::bench {

/// Fills the contents of a file, of which the buffer has the size.
using FillContents = std::function<void(std::uint64_t file_number, MutableBytes contents)>;

/// Zeros.
[[nodiscard]] FillContents zero_contents();

/// Bytes that follow from the seed, the same on every machine, and cannot be compressed.
[[nodiscard]] FillContents noise_contents(std::uint64_t seed);

/// Makes the tree with its modes, owners and times at `path`, which must not exist (kExists). On
/// failure what was made stays. Errors: those of storage::Directory.
[[nodiscard]] Status write_tree(const GeneratedTree& tree, storage::Env& env,
                                const std::string& path, const FillContents& fill);

}  // namespace dgfs::bench
