// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mode words: type and permission bits with Linux's values, which are also the stored ones.
#pragma once

#include <cstdint>

namespace dgfs::format {

inline constexpr std::uint32_t kTypeMask = 0170000;
inline constexpr std::uint32_t kTypeFifo = 0010000;
inline constexpr std::uint32_t kTypeCharacterDevice = 0020000;
inline constexpr std::uint32_t kTypeDirectory = 0040000;
inline constexpr std::uint32_t kTypeBlockDevice = 0060000;
inline constexpr std::uint32_t kTypeRegular = 0100000;
inline constexpr std::uint32_t kTypeSymlink = 0120000;
inline constexpr std::uint32_t kTypeSocket = 0140000;
inline constexpr std::uint32_t kPermissionMask = 07777;
inline constexpr std::uint32_t kSetUserId = 04000;
inline constexpr std::uint32_t kSetGroupId = 02000;
inline constexpr std::uint32_t kGroupExecute = 0010;

constexpr std::uint32_t type_of(std::uint32_t mode) { return mode & kTypeMask; }
constexpr bool is_directory(std::uint32_t mode) { return type_of(mode) == kTypeDirectory; }
constexpr bool is_regular(std::uint32_t mode) { return type_of(mode) == kTypeRegular; }
constexpr bool is_symlink(std::uint32_t mode) { return type_of(mode) == kTypeSymlink; }
constexpr bool is_device(std::uint32_t mode) {
  return type_of(mode) == kTypeCharacterDevice || type_of(mode) == kTypeBlockDevice;
}
/// Whether the type bits are one of the seven types and no bit is outside type and permissions.
constexpr bool is_valid_mode(std::uint32_t mode) {
  switch (type_of(mode)) {
    case kTypeFifo:
    case kTypeCharacterDevice:
    case kTypeDirectory:
    case kTypeBlockDevice:
    case kTypeRegular:
    case kTypeSymlink:
    case kTypeSocket:
      return (mode & ~(kTypeMask | kPermissionMask)) == 0;
    default:
      return false;
  }
}

}  // namespace dgfs::format
