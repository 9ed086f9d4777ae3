// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Token models made by hand, from a seed.
#pragma once

#include <set>

#include "format/token/model.h"
#include "tests/support/entry_generator.h"

namespace dgfs::test {

/// Code lengths for `symbols` symbols of different frequency; some symbols from `certain` on have
/// no code.
inline Buffer some_lengths(EntryGenerator& generator, std::size_t symbols, std::size_t certain) {
  std::vector<std::uint64_t> counts(symbols);
  for (std::size_t i = 0; i < symbols; ++i) {
    const bool occurs = i < certain || generator.chance(70);
    counts[i] = occurs ? 1 + (generator.below(1000) >> generator.below(10)) : 0;
  }
  return format::code_lengths(counts);
}

/// Contexts of all sorts, with `classes` classes of tokens.
inline format::TokenContextParts some_contexts(EntryGenerator& generator, std::size_t classes,
                                               std::size_t row_classes) {
  const auto draw = [&](auto& numbers, std::size_t count) {
    for (auto& number : numbers) number = static_cast<std::uint8_t>(generator.below(count));
  };
  format::TokenContextParts contexts;
  contexts.start_classes.resize(1 + generator.below(4));
  draw(contexts.group_of_byte, contexts.start_classes.size());
  for (auto& of_group : contexts.start_classes) draw(of_group, classes);
  draw(contexts.class_of_row, row_classes);
  draw(contexts.class_of_share, row_classes);
  return contexts;
}

/// A sound model of a few hundred tokens and `classes` classes.
inline format::TokenModelParts some_token_model(std::uint64_t seed, std::size_t classes,
                                                bool has_contexts = false) {
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
    const auto endings = has_contexts ? format::kEndings : 0;
    parts.token_lengths.push_back(some_lengths(
        generator, format::kByteTokens + parts.tokens.size() + endings, format::kByteTokens));
  }
  const auto full = [&](std::size_t symbols) { return some_lengths(generator, symbols, symbols); };
  const std::size_t row_classes = has_contexts ? 3 : 1;
  for (std::size_t i = 0; i < row_classes; ++i) {
    parts.row_lengths.push_back(full(format::kRowSymbols));
    parts.share_lengths.push_back(full(format::kShareSymbols));
  }
  parts.time_lengths = full(format::kTimeSymbols);
  parts.attribute_lengths = full(format::kAttributeSymbols);
  parts.extra_lengths = full(format::kExtraSymbols);
  for (auto& lengths : parts.width_lengths) lengths = full(format::kWidthSymbols);
  if (has_contexts) parts.contexts = some_contexts(generator, classes, row_classes);
  return parts;
}

}  // namespace dgfs::test
