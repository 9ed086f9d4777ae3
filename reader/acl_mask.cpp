// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/acl_mask.h"

namespace dgfs::reader {
namespace {

// A version of 4 bytes, then entries of tag (2), permissions (2) and id (4), little-endian.
constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kEntryBytes = 8;
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kTagOwningGroup = 0x04;
constexpr std::uint32_t kTagMask = 0x10;
constexpr std::uint32_t kAllBits = 07;

}  // namespace

std::optional<std::uint32_t> group_bits_of_acl(Bytes acl) {
  const auto number = [&](std::size_t at) { return acl[at] | std::uint32_t{acl[at + 1]} << 8; };
  if (acl.size() < kHeaderBytes || number(0) != kVersion || number(2) != 0) return std::nullopt;
  std::optional<std::uint32_t> group;
  std::uint32_t mask = kAllBits;
  for (std::size_t at = kHeaderBytes; at + kEntryBytes <= acl.size(); at += kEntryBytes) {
    if (number(at) == kTagOwningGroup) group = number(at + 2) & kAllBits;
    if (number(at) == kTagMask) mask = number(at + 2) & kAllBits;
  }
  if (!group) return std::nullopt;
  return *group & mask;
}

}  // namespace dgfs::reader
