// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/feature.h"

#include <span>

namespace dgfs::format {
namespace {

std::vector<std::string> bit_names(std::uint64_t bits, std::span<const char* const> names) {
  std::vector<std::string> out;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((bits >> bit & 1) == 0) continue;
    out.push_back(bit < names.size() ? names[bit] : "bit " + std::to_string(bit));
  }
  return out;
}

}  // namespace

std::vector<std::string> compat_names(std::uint64_t bits) {
  static constexpr const char* kNames[] = {"xattrs", "acls", "incomplete", "link-names"};
  static_assert(feature::kCompatKnown == (1 << std::size(kNames)) - 1);
  return bit_names(bits, kNames);
}

std::vector<std::string> ro_compat_names(std::uint64_t bits) {
  static_assert(feature::kRoCompatKnown == 0);
  return bit_names(bits, {});
}

std::vector<std::string> incompat_names(std::uint64_t bits) {
  static constexpr const char* kNames[] = {"zstd-extents",   "volumes",         "fragment-frames",
                                           "context-models", "foreign-volumes", "gaps",
                                           "split-inodes",   "nameless-objects"};
  static_assert(feature::kIncompatKnown == (1 << std::size(kNames)) - 1);
  return bit_names(bits, kNames);
}

}  // namespace dgfs::format
