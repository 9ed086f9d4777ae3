// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Vocabulary: finds strings that make up most of many short texts, by joining the most common pair
// of neighbours again and again (byte pair encoding: P. Gage, "A new algorithm for data
// compression", 1994).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "builder/stop.h"

namespace dgfs::builder {

/// A text and its number of occurrences.
struct CountedText {
  std::string text;
  std::uint32_t count = 0;
};

/// Finds at most `tokens_max` tokens of 2 to `token_bytes_max` bytes that occur at least
/// `count_min` times, most common pairs first. Deterministic: the order of `texts` matters only if
/// counts are equal. Memory: about 40 bytes for each byte of the texts. Ends soon after `stop` is
/// set, with the tokens found so far.
[[nodiscard]] std::vector<std::string> find_tokens(const std::vector<CountedText>& texts,
                                                   std::size_t tokens_max,
                                                   std::size_t token_bytes_max,
                                                   std::uint32_t count_min,
                                                   const StopFlag& stop = StopFlag());

}  // namespace dgfs::builder
