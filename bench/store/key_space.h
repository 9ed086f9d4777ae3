// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KeySpace: keys of 16 digits, numbered from 0 on, an order of them that looks random, and values
// of which it can be told whose they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dgfs::bench {

inline constexpr std::size_t kKeyDigits = 16;

/// Follows from the seed alone. Thread-safe.
class KeySpace {
 public:
  KeySpace(std::uint64_t count, std::size_t value_bytes, std::uint64_t seed);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::size_t value_bytes() const { return value_bytes_; }

  [[nodiscard]] static std::string key(std::uint64_t number);
  /// A key that is not there, between two that are.
  [[nodiscard]] static std::string missing_key(std::uint64_t number) { return key(number) + '+'; }
  /// Each number below count() once, for indexes below count().
  [[nodiscard]] std::uint64_t shuffled(std::uint64_t index) const;

  /// The key's number, then bytes that do not compress. @param round  another value for each
  [[nodiscard]] std::string value(std::uint64_t number, std::uint64_t round) const;
  /// Whether it may be a value of this key: patches change neither its length nor its head.
  [[nodiscard]] bool is_of(std::string_view value, std::uint64_t number) const;

 private:
  std::uint64_t count_;
  std::size_t value_bytes_;
  std::uint64_t seed_;
  unsigned half_bits_;  ///< of the numbers that are shuffled
  std::string noise_;
};

/// Bytes of a value that a patch leaves as they are.
inline constexpr std::size_t kValueHeadBytes = 8;

}  // namespace dgfs::bench
