// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Values of the options of a build.
#pragma once

#include <optional>
#include <string>

#include "builder/options.h"

namespace dgfs::tools {

// Errors of all: kInvalidArgument.

/// Of --compress: "none", "zstd", "zstd:LEVEL"; nullopt for "none".
[[nodiscard]] Result<std::optional<builder::Compression>> parse_compression(
    const std::string& text);

/// Of --fragment-frames: 0, or a size.
[[nodiscard]] Result<std::size_t> parse_fragment_frames(const std::string& text);
/// Of --digest: "none", "sha256"; nullopt for "none".
[[nodiscard]] Result<std::optional<format::DigestAlgorithm>> parse_digest(const std::string& text);
/// Of --memory.
[[nodiscard]] Result<std::size_t> parse_build_memory(const std::string& text);

/// Of --repack=PERCENT.
[[nodiscard]] Result<unsigned> parse_percent(const std::string& text);

}  // namespace dgfs::tools
