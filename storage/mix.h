// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include <cstdint>

namespace dgfs::storage {

/// A number that depends on every bit of `seed` and `number`. For decisions by seed that must not
/// depend on the order in which they are made. The finaliser of splitmix64 (Steele, Lea, Flood
/// 2014).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t bits = seed + (number + 1) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

}  // namespace dgfs::storage
