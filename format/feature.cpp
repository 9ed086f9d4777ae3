// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
// Names of feature bits, for messages and `dgfs info`.
#include <span>

#include "format/superblock.h"

namespace dgfs::format {
namespace {

std::string bits_text(std::uint64_t bits, std::span<const char* const> names) {
  std::string text;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((bits >> bit & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += bit < names.size() ? std::string(names[bit]) : "bit " + std::to_string(bit);
  }
  return text;
}

}  // namespace

std::string compat_text(std::uint64_t bits) {
  static constexpr const char* kNames[] = {"xattrs", "acls", "incomplete"};
  static_assert(feature::kCompatKnown == (1 << std::size(kNames)) - 1);
  return bits_text(bits, kNames);
}

std::string ro_compat_text(std::uint64_t bits) {
  static_assert(feature::kRoCompatKnown == 0);
  return bits_text(bits, {});
}

std::string incompat_text(std::uint64_t bits) {
  static constexpr const char* kNames[] = {"zstd-extents", "volumes", "joint-frames"};
  static_assert(feature::kIncompatKnown == (1 << std::size(kNames)) - 1);
  return bits_text(bits, kNames);
}

}  // namespace dgfs::format
