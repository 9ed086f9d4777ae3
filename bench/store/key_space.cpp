// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/store/key_space.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "storage/mix.h"

namespace dgfs::bench {
namespace {

constexpr std::size_t kNoiseBytes = std::size_t{1} << 20;
constexpr unsigned kRounds = 4;  // of a Feistel network: enough to look random

std::string noise(std::size_t bytes, std::uint64_t seed) {
  std::string text(bytes, '\0');
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = storage::mix(seed, at);
    std::memcpy(text.data() + at, &word, sizeof(word));
  }
  return text;
}

}  // namespace

KeySpace::KeySpace(std::uint64_t count, std::size_t value_bytes, std::uint64_t seed)
    : count_(count),
      value_bytes_(value_bytes),
      seed_(seed),
      half_bits_((static_cast<unsigned>(std::bit_width(count)) + 1) / 2),
      noise_(noise(kNoiseBytes + value_bytes, seed)) {}

std::string KeySpace::key(std::uint64_t number) {
  return fmt::format("{:0{}}", number, kKeyDigits);
}

// Permutes a power of two not much larger than count(). A result that is too large is permuted
// again until it fits.
std::uint64_t KeySpace::shuffled(std::uint64_t index) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = index >> half_bits_;
    std::uint64_t right = index & mask;
    for (unsigned round = 0; round < kRounds; ++round) {
      const std::uint64_t next = left ^ (storage::mix(seed_ + round, right) & mask);
      left = right;
      right = next;
    }
    index = left << half_bits_ | right;
  } while (index >= count_);
  return index;
}

std::string KeySpace::value(std::uint64_t number, std::uint64_t round) const {
  std::string text = noise_.substr(storage::mix(number, round) % kNoiseBytes, value_bytes_);
  std::memcpy(text.data(), &number, kValueHeadBytes);
  return text;
}

bool KeySpace::is_of(std::string_view value, std::uint64_t number) const {
  return value.size() == value_bytes_ && std::memcmp(value.data(), &number, kValueHeadBytes) == 0;
}

}  // namespace dgfs::bench
