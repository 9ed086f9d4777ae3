// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Facts about an entry that several commands print.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "reader/image.h"

namespace dgfs::tools {

inline constexpr std::uint64_t kBlockBytes = 512;      ///< unit of stat's block count
inline constexpr std::uint64_t kIoBlockBytes = 65536;  ///< one frame, as the mount reports it

/// Bytes that the contents take without holes, in whole blocks; the mount reports the same number.
[[nodiscard]] std::uint64_t allocated_bytes(const reader::Node& node);

/// The members that all commands print: path, type, mode, size, owner, times, target of a link.
/// A target that cannot be read is left out.
[[nodiscard]] JsonObject node_json(const reader::Image& image, std::string_view path,
                                   const reader::Node& node);

}  // namespace dgfs::tools
