// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/token_counts.h"

#include <bit>
#include <utility>

namespace dgfs::builder {

TokenCounts::TokenCounts()
    : rows(format::kRowContexts),
      shares(format::kShareContexts),
      times(format::kTimeSymbols),
      attributes(format::kAttributeSymbols),
      extra_masks(format::kExtraSymbols),
      widths(format::kNumberKinds, Counts(format::kWidthSymbols)) {}

void TokenCounts::number(format::NumberKind kind, std::uint64_t value) {
  ++widths[static_cast<std::size_t>(kind)][static_cast<std::size_t>(std::bit_width(value))];
}

void TokenCounts::count(ContextCounts& counts, std::size_t symbol, std::size_t before) {
  auto& of_context = counts[before];
  // Each symbol is a context, and one more context stands for no symbol.
  if (of_context.empty()) of_context.resize(counts.size() - 1);
  ++of_context[symbol];
}

void TokenCounts::count_text(std::string_view text, const TextPlace& place) {
  std::string key(text);
  key += format::kTextEnd;
  ++texts[part_ % texts.size()][place][std::move(key)];
}

}  // namespace dgfs::builder
