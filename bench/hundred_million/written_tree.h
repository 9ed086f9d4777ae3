// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A generated tree on disk: directories and files below a path.
#pragma once

#include <functional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "bench/hundred_million/generated_tree.h"
#include "storage/env.h"

namespace dgfs::bench {

/// Fills the contents of a file; the buffer has the file's size.
using FillContents = std::function<void(std::uint64_t file_number, MutableBytes contents)>;

/// Fills with zeros.
[[nodiscard]] FillContents zero_contents();

/// Fills with incompressible bytes that follow from the seed and are the same on every machine.
[[nodiscard]] FillContents noise_contents(std::uint64_t seed);

/// Makes the tree with its modes, owners and times at `path`, which must not exist (kExists). After
/// a failure, the part that was made stays. Errors: those of storage::Directory.
[[nodiscard]] Status write_tree(const GeneratedTree& tree, storage::Env& env,
                                const std::string& path, const FillContents& fill);

}  // namespace dgfs::bench
