// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/token_trainer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "builder/train/token_model_maker.h"
#include "builder/train/vocabulary.h"
#include "format/token/row_writer.h"

namespace dgfs::builder {
namespace {

// A model gets one token for this many entries of the tree, within the bounds below. In a larger
// vocabulary, many tokens would not be used often enough.
constexpr std::uint64_t kEntriesPerToken = 10;
constexpr std::size_t kTokensMin = 256;
constexpr std::size_t kTokensMax = 8192;
// From this scale on (entries of the tree for each counted one, in 256ths), the sample is only a
// small part of the tree.
constexpr std::uint64_t kLittleSeenScale = 4 * 256;
// Tokens that get a code even if the sample never uses them: the first ones found, which are the
// most common parts of other tokens.
constexpr std::size_t kCommonTokens = 64;
// Odd, so that each place in a block has its turn. Not small, so that near places do not follow one
// another.
constexpr std::size_t kPhaseStep = 23;
// Scales are in 256ths, and bounded so that products of counts with them fit.
constexpr std::uint64_t kScaleOne = TokenModelSource::kScaleOne;
constexpr std::uint64_t kScaleMax = std::uint64_t{1} << 24;

void add_to(CountedTexts& sum, const CountedTexts& texts) {
  for (const auto& [place, of_place] : texts) {
    for (const auto& [text, count] : of_place) sum[place][text] += count;
  }
}

std::vector<CountedText> without_places(const CountedTexts& texts) {
  std::map<std::string, std::uint32_t> sums;
  for (const auto& [place, of_place] : texts) {
    const std::size_t ending = *std::max_element(place.endings.begin(), place.endings.end());
    for (const auto& [text, count] : of_place) {
      // An ending can encode the rest of the text, so the rest needs no token.
      if (ending < text.size()) sums[text.substr(0, text.size() - ending)] += count;
    }
  }
  std::vector<CountedText> counted;
  for (const auto& [text, count] : sums) counted.push_back({text, count});
  return counted;
}

}  // namespace

void TokenTrainer::add(std::span<const format::Entry> entries,
                       const format::AttributeTable& attributes) {
  counts_.begin_part();
  const auto head = format::choose_page_head(entries, attributes);
  format::write_page_head(head, (1u << format::kTypeCount) - 1, counts_);
  format::RowWriter rows(attributes);
  // Blocks of a page begin anywhere, but all parts of a tree may begin with a directory. So the
  // phase of the blocks changes from part to part: otherwise, for numbered files, most first keys
  // of blocks would have numbers that the training never saw.
  const auto phase = part_count_++ * kPhaseStep % format::kBlockEntries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::optional<std::string_view> before;
    if (i == 0 || i % format::kBlockEntries == phase) {
      rows.begin_block(head);
      if (i >= format::kBlockEntries) {
        format::write_next_key(entries[i - format::kBlockEntries].key, entries[i].key,
                               format::kShareNone, counts_);
      }
    } else {
      before = entries[i - 1].key;
    }
    rows.add(entries[i], before, counts_);
  }
  entry_count_ += entries.size();
}

Buffer TokenTrainer::train(std::uint64_t tree_entries, const StopFlag& stop) const {
  const auto counted_entries = std::max<std::uint64_t>(entry_count_, 1);
  const auto scale = std::clamp(tree_entries / counted_entries >= kScaleMax / kScaleOne
                                    ? kScaleMax
                                    : tree_entries * kScaleOne / counted_entries,
                                kScaleOne, kScaleMax);
  // If the sample is most of the tree, a string that occurs in one place pays for a token.
  // Otherwise a token must also occur in parts in which it was not found, to be likely in the rest
  // of the tree. Without this test, the model would learn whole numbered names, and spell names
  // with other numbers byte by byte.
  const auto& [found_in, chosen_by] = counts_.texts;
  const bool apart = scale >= kLittleSeenScale && !found_in.empty() && !chosen_by.empty();
  CountedTexts all;
  if (!apart) {
    add_to(all, found_in);
    add_to(all, chosen_by);
  }
  const auto tokens_max =
      std::clamp<std::uint64_t>(tree_entries / kEntriesPerToken, kTokensMin, kTokensMax);
  const auto count_min = std::max<std::uint64_t>(2, kTokenUsesMin * kScaleOne / scale);
  auto tokens = find_tokens(without_places(apart ? found_in : all),
                            static_cast<std::size_t>(tokens_max) - format::kByteTokens / 2,
                            format::kTokenBytesMax, static_cast<std::uint32_t>(count_min), stop);
  std::vector<std::string> common;
  if (apart) {
    common.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(
                                                       std::min(tokens.size(), kCommonTokens)));
    std::sort(common.begin(), common.end());
  }
  return make_context_model({.counts = counts_,
                             .texts = apart ? chosen_by : all,
                             .tokens = std::move(tokens),
                             .common = std::move(common),
                             .scale = scale},
                            stop);
}

}  // namespace dgfs::builder
