// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Vocabulary: strings that make up most of many short texts, found by joining what most often
// stands side by side, pair by pair (byte pair encoding: P. Gage, "A new algorithm for data
// compression", 1994).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "builder/stop.h"

namespace dgfs::builder {

/// A text and how often it occurs.
struct CountedText {
  std::string text;
  std::uint32_t count = 0;
};

/// Tokens of 2 to `token_bytes_max` bytes that occur at least `count_min` times, at most
/// `tokens_max` of them, the commonest pairs first. Deterministic: depends on the order of `texts`
/// only where counts are equal. Memory: about 40 bytes for each byte of the texts. Once `stop` is
/// set it ends soon, with some of them.
[[nodiscard]] std::vector<std::string> find_tokens(const std::vector<CountedText>& texts,
                                                   std::size_t tokens_max,
                                                   std::size_t token_bytes_max,
                                                   std::uint32_t count_min,
                                                   const StopFlag& stop = StopFlag());

}  // namespace dgfs::builder
