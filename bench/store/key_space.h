// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KeySpace: keys of 16 digits, numbered from 0, a pseudo-random order of them, and values that
// identify their key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs::bench {

inline constexpr std::size_t kKeyDigits = 16;

/// Depends only on the seed. Thread-safe.
class KeySpace {
 public:
  KeySpace(std::uint64_t count, std::size_t value_bytes, std::uint64_t seed);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::size_t value_bytes() const { return value_bytes_; }

  [[nodiscard]] static std::string key(std::uint64_t number);
  /// A missing key, between two existing ones.
  [[nodiscard]] static std::string missing_key(std::uint64_t number) { return key(number) + '+'; }
  /// A permutation: maps the indexes below count() to all numbers below count().
  [[nodiscard]] std::uint64_t shuffled(std::uint64_t index) const;

  /// The key's number, then incompressible bytes. @param round  gives a different value for each
  [[nodiscard]] std::string value(std::uint64_t number, std::uint64_t round) const;
  /// Whether `value` may belong to this key: patches change neither its length nor its head.
  [[nodiscard]] bool is_of(std::string_view value, std::uint64_t number) const;

 private:
  std::uint64_t count_;
  std::size_t value_bytes_;
  std::uint64_t seed_;
  unsigned half_bits_;  ///< half the width of the shuffled numbers
  std::string noise_;
};

/// Length of the head of a value, which patches do not change.
inline constexpr std::size_t kValueHeadBytes = 8;

}  // namespace dgfs::bench
