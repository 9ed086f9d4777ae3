// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/token_trainer.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <set>

#include "builder/train/context_classes.h"
#include "builder/train/vocabulary.h"
#include "format/token/parser.h"

namespace dgfs::builder {
namespace {

using format::NumberKind;
using Counts = CountSink::Counts;

// What is not in the sample may still be in the tree: its code must be there, if a long one.
constexpr std::uint64_t kSeenWeight = 64;
// Entries of the tree for each token of its model: fewer, and a token is not used often enough.
constexpr std::uint64_t kEntriesPerToken = 10;
constexpr std::size_t kTokensMin = 256;
constexpr std::size_t kTokensMax = 8192;
// Uses in the tree that pay for a token's place in the model.
constexpr std::uint64_t kUsesMin = 6;
constexpr int kRefinements = 3;
// Entries of the tree for each one counted from which on little of it was seen, in 256ths.
constexpr std::uint64_t kLittleSeenScale = 4 * 256;
// Tokens that have a code even if the sample never uses them: the commonest beginnings of others.
constexpr std::size_t kCommonTokens = 64;
// Odd, so that all places of a block have their turn, near ones not in a row.
constexpr std::size_t kPhaseStep = 23;
// Scales are in 256ths, and bounded so that products of counts with them fit.
constexpr std::uint64_t kScaleOne = 256;
constexpr std::uint64_t kScaleMax = std::uint64_t{1} << 24;

Buffer lengths_of(const Counts& counts) {
  Counts smoothed(counts);
  for (auto& count : smoothed) count = count * kSeenWeight + 1;
  return format::code_lengths(smoothed);
}

/// How often each symbol is used after each context, when all texts are parsed with `model`.
ContextCounts parse_all(const CountedTexts& counted, const format::TokenModel& model,
                        const StopFlag& stop) {
  std::vector<std::string_view> tokens;
  for (auto i = format::kByteTokens; i < model.token_count(); ++i) tokens.push_back(model.token(i));
  const format::TokenTrie trie(tokens);
  format::TokenParser parser(model, trie);
  ContextCounts used(format::kTokenContexts, Counts(model.token_count()));
  for (const auto& [start, texts] : counted) {
    for (const auto& [text, count] : texts) {
      if (stop.is_set()) return used;
      auto context = start;
      for (const auto symbol : parser.parse(text, context)) {
        used[context][symbol] += count;
        context = static_cast<unsigned char>(model.token(symbol).back());
      }
    }
  }
  return used;
}

Counts sum_of(const ContextCounts& contexts) {
  Counts sum(contexts.front().size());
  for (const auto& counts : contexts) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
  }
  return sum;
}

/// Improves a vocabulary until a model of it is ready.
class ModelMaker {
 public:
  /// @param texts  those that tokens are chosen by
  /// @param common  tokens that are kept even if they are not used there, rising
  ModelMaker(const CountSink& counts, const CountedTexts& texts, std::vector<std::string> common,
             std::uint64_t scale, const StopFlag& stop)
      : texts_(texts), common_(std::move(common)), scale_(scale), stop_(stop) {
    parts_.row_lengths = lengths_of(counts.rows);
    parts_.share_lengths = lengths_of(counts.shares);
    parts_.time_lengths = lengths_of(counts.times);
    parts_.attribute_lengths = lengths_of(counts.attributes);
    parts_.extra_lengths = lengths_of(counts.extra_masks);
    for (std::size_t i = 0; i < format::kNumberKinds; ++i) {
      parts_.width_lengths[i] = lengths_of(counts.widths[i]);
    }
  }

  Buffer make(std::vector<std::string> tokens) {
    std::sort(tokens.begin(), tokens.end());
    parts_.tokens = std::move(tokens);
    set_one_class(Counts(format::kByteTokens + parts_.tokens.size(), 1));
    ContextCounts used;
    for (int i = 0; i < kRefinements; ++i) {
      used = parse_all(texts_, *model(), stop_);
      const auto sum = sum_of(used);
      if (i + 1 < kRefinements) drop_rare_tokens(sum);
    }
    if (!stop_.is_set()) set_classes(used);
    used = parse_all(texts_, *model(), stop_);
    if (!stop_.is_set()) set_classes(used);
    return format::encode_token_model(parts_);
  }

 private:
  [[nodiscard]] std::unique_ptr<const format::TokenModel> model() const {
    auto model = format::TokenModel::decode(format::encode_token_model(parts_));
    return std::move(model).value();
  }
  [[nodiscard]] bool is_common(const std::string& token) const {
    return std::binary_search(common_.begin(), common_.end(), token);
  }
  /// Lengths for tokens: every byte has a code, but a token only where it is used, or common.
  [[nodiscard]] Buffer token_lengths_of(const Counts& counts) const {
    Counts smoothed(counts);
    for (std::size_t i = 0; i < smoothed.size(); ++i) {
      const bool is_kept =
          i < format::kByteTokens || is_common(parts_.tokens[i - format::kByteTokens]);
      smoothed[i] = smoothed[i] * kSeenWeight + (is_kept ? 1 : 0);
    }
    return format::code_lengths(smoothed);
  }
  void set_one_class(const Counts& counts) {
    parts_.class_of_context.fill(0);
    parts_.token_lengths = {token_lengths_of(counts)};
  }
  /// Tokens that pay no more go, and the others get codes by their use.
  void drop_rare_tokens(const Counts& sum) {
    std::vector<std::string> kept;
    Counts kept_counts(sum.begin(), sum.begin() + format::kByteTokens);
    for (std::size_t i = 0; i < parts_.tokens.size(); ++i) {
      const auto count = sum[format::kByteTokens + i];
      if (count * scale_ < kUsesMin * kScaleOne && !is_common(parts_.tokens[i])) continue;
      kept.push_back(std::move(parts_.tokens[i]));
      kept_counts.push_back(count);
    }
    parts_.tokens = std::move(kept);
    set_one_class(kept_counts);
  }
  void set_classes(const ContextCounts& used) {
    const auto classes = choose_classes(used, scale_);
    parts_.token_lengths.clear();
    for (std::size_t number = 0; number < classes.count; ++number) {
      Counts sum(used.front().size());
      for (std::size_t context = 0; context < used.size(); ++context) {
        if (classes.of_context[context] != number) continue;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += used[context][i];
      }
      parts_.token_lengths.push_back(token_lengths_of(sum));
    }
    std::copy(classes.of_context.begin(), classes.of_context.end(),
              parts_.class_of_context.begin());
  }

  const CountedTexts& texts_;
  std::vector<std::string> common_;
  std::uint64_t scale_;  ///< entries of the tree for each one counted, in 256ths
  StopFlag stop_;
  format::TokenModelParts parts_;
};

}  // namespace

CountSink::CountSink()
    : rows(format::kRowSymbols),
      shares(format::kShareSymbols),
      times(format::kTimeSymbols),
      attributes(format::kAttributeSymbols),
      extra_masks(format::kExtraSymbols),
      widths(format::kNumberKinds, Counts(format::kWidthSymbols)) {}

void CountSink::number(NumberKind kind, std::uint64_t value) {
  ++widths[static_cast<std::size_t>(kind)][static_cast<std::size_t>(std::bit_width(value))];
}

void CountSink::text(std::string_view text, std::size_t context) {
  std::string key(text);
  key += format::kTextEnd;
  ++texts[part_ % texts.size()][context][std::move(key)];
}

namespace {

void add_to(CountedTexts& sum, const CountedTexts& texts) {
  for (const auto& [context, of_context] : texts) {
    for (const auto& [text, count] : of_context) sum[context][text] += count;
  }
}

std::vector<CountedText> without_contexts(const CountedTexts& texts) {
  std::map<std::string, std::uint32_t> sums;
  for (const auto& [context, of_context] : texts) {
    for (const auto& [text, count] : of_context) sums[text] += count;
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
  // Parts of a tree may all begin with a directory, blocks begin anywhere: of numbered files, most
  // first keys would have numbers that were never seen.
  const auto phase = part_count_++ * kPhaseStep % format::kBlockEntries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::optional<std::string_view> before;
    if (i == 0 || i % format::kBlockEntries == phase) {
      rows.begin_block(head);
      if (i >= format::kBlockEntries) {
        format::write_next_key(entries[i - format::kBlockEntries].key, entries[i].key, counts_);
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
  // Of a tree that was seen for the most part, what occurs in one place pays for a token. Otherwise
  // only what parts have that it was not found in will be in the rest of the tree, too: without
  // that, numbered names were all learnt by heart, and those of other numbers spelt byte by byte.
  const auto& [found_in, chosen_by] = counts_.texts;
  const bool apart = scale >= kLittleSeenScale && !found_in.empty() && !chosen_by.empty();
  CountedTexts all;
  if (!apart) {
    add_to(all, found_in);
    add_to(all, chosen_by);
  }
  const auto tokens_max =
      std::clamp<std::uint64_t>(tree_entries / kEntriesPerToken, kTokensMin, kTokensMax);
  const auto count_min = std::max<std::uint64_t>(2, kUsesMin * kScaleOne / scale);
  auto tokens = find_tokens(without_contexts(apart ? found_in : all),
                            static_cast<std::size_t>(tokens_max) - format::kByteTokens / 2,
                            format::kTokenBytesMax, static_cast<std::uint32_t>(count_min), stop);
  std::vector<std::string> common;
  if (apart) {
    common.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(
                                                       std::min(tokens.size(), kCommonTokens)));
    std::sort(common.begin(), common.end());
  }
  return ModelMaker(counts_, apart ? chosen_by : all, std::move(common), scale, stop)
      .make(std::move(tokens));
}

}  // namespace dgfs::builder
