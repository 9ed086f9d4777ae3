// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Token models made by hand, from a seed.
#pragma once

#include <set>

#include "format/token/model.h"
#include "tests/support/entry_generator.h"

namespace dgfs::test {

/// Code lengths for `symbols` symbols that occur more or less often; of those from `certain` on
/// some have no code.
inline Buffer some_lengths(EntryGenerator& generator, std::size_t symbols, std::size_t certain) {
  std::vector<std::uint64_t> counts(symbols);
  for (std::size_t i = 0; i < symbols; ++i) {
    const bool occurs = i < certain || generator.chance(70);
    counts[i] = occurs ? 1 + (generator.below(1000) >> generator.below(10)) : 0;
  }
  return format::code_lengths(counts);
}

/// A sound model of a few hundred tokens and `classes` classes.
inline format::TokenModelParts some_token_model(std::uint64_t seed, std::size_t classes) {
  EntryGenerator generator(seed);
  std::set<std::string> tokens;
  while (tokens.size() < 300) {
    auto token = generator.name(generator.chance(10)).substr(0, 1 + generator.below(6));
    if (generator.chance(30)) token += format::kTextEnd;
    if (token.size() >= 2) tokens.insert(std::move(token));
  }
  format::TokenModelParts parts;
  parts.tokens.assign(tokens.begin(), tokens.end());
  for (auto& number : parts.class_of_context) {
    number = static_cast<std::uint8_t>(generator.below(classes));
  }
  for (std::size_t i = 0; i < classes; ++i) {
    parts.token_lengths.push_back(
        some_lengths(generator, format::kByteTokens + parts.tokens.size(), format::kByteTokens));
  }
  const auto full = [&](std::size_t symbols) { return some_lengths(generator, symbols, symbols); };
  parts.row_lengths = full(format::kRowSymbols);
  parts.share_lengths = full(format::kShareSymbols);
  parts.time_lengths = full(format::kTimeSymbols);
  parts.attribute_lengths = full(format::kAttributeSymbols);
  parts.extra_lengths = full(format::kExtraSymbols);
  for (auto& lengths : parts.width_lengths) lengths = full(format::kWidthSymbols);
  return parts;
}

}  // namespace dgfs::test
