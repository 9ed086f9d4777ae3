// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The mode bits of Linux, for code that must not include <sys/stat.h>.
#pragma once

#include <cstdint>

namespace dgfs::storage {

inline constexpr std::uint32_t kTypeMask = 0170000;
inline constexpr std::uint32_t kTypeFifo = 0010000;
inline constexpr std::uint32_t kTypeCharacter = 0020000;
inline constexpr std::uint32_t kTypeDirectory = 0040000;
inline constexpr std::uint32_t kTypeBlock = 0060000;
inline constexpr std::uint32_t kTypeRegular = 0100000;
inline constexpr std::uint32_t kTypeLink = 0120000;
inline constexpr std::uint32_t kTypeSocket = 0140000;
inline constexpr std::uint32_t kPermissionMask = 07777;

[[nodiscard]] constexpr bool is_type(std::uint32_t mode, std::uint32_t type) {
  return (mode & kTypeMask) == type;
}

/// FIFO, socket, character or block device: an object without content, entries or a target.
[[nodiscard]] constexpr bool is_node(std::uint32_t mode) {
  return is_type(mode, kTypeFifo) || is_type(mode, kTypeSocket) || is_type(mode, kTypeCharacter) ||
         is_type(mode, kTypeBlock);
}

}  // namespace dgfs::storage
