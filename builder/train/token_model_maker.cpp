// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/token_model_maker.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "builder/train/context_classes.h"
#include "format/token/model.h"
#include "format/token/parser.h"

namespace dgfs::builder {
namespace {

using Counts = TokenCounts::Counts;

// The tree may use symbols that the sample lacks. So each symbol begins with a weight of 1 and gets
// a code, if only a long one. Each use in the sample adds this weight.
constexpr std::uint64_t kSeenWeight = 64;
constexpr int kRefinements = 3;
// A reader uses these codes for each entry, so their tables (8 KiB a class) must fit into the
// nearest caches.
constexpr std::size_t kRowClasses = 8;
// Classes for the first tokens of keys, and as many for all other tokens. Classes that serve both
// cost 0.08 bytes more an entry, with 16 classes in all as well as with 32.
constexpr std::size_t kTokenClasses = 16;

Buffer lengths_of(const Counts& counts) {
  Counts smoothed(counts);
  for (auto& count : smoothed) count = count * kSeenWeight + 1;
  return format::code_lengths(smoothed);
}

// Groups of the last shared byte. Only its kind counts: 0x00 (the name begins), a letter, a digit,
// or a separator.
constexpr std::size_t kByteGroups = 4;
std::size_t group_of(std::size_t byte) {
  if (byte == 0) return 0;
  const auto lower = byte | 0x20;
  if ((lower >= 'a' && lower <= 'z') || byte >= 0x80) return 1;
  return byte >= '0' && byte <= '9' ? 2 : 3;
}
/// The number of the context of a key's first token. The numbers below kTokenContexts are the
/// contexts of all other tokens.
std::size_t start_context(const format::TextStart& start) {
  return format::kTokenContexts + group_of(start.shared) * format::kPassedContexts + start.passed;
}
constexpr std::size_t kAllContexts = format::kTokenContexts + kByteGroups * format::kPassedContexts;

/// Parses all texts with `model`. Returns how often each symbol is used in each context; empty for
/// contexts that do not occur.
ContextCounts parse_all(const CountedTexts& counted, const format::TokenModel& model,
                        const StopFlag& stop) {
  std::vector<std::string_view> tokens;
  for (auto i = format::kByteTokens; i < model.token_count(); ++i) tokens.push_back(model.token(i));
  const format::TokenTrie trie(tokens);
  format::TokenParser parser(model, trie);
  ContextCounts used(kAllContexts);
  for (const auto& [place, texts] : counted) {
    const auto first_class = place.is_target ? model.token_class(format::kContextTarget)
                                             : model.start_class(place.start);
    for (const auto& [text, count] : texts) {
      if (stop.is_set()) return used;
      auto context = place.is_target ? format::kContextTarget : start_context(place.start);
      for (const auto symbol : parser.parse(text, first_class, place.endings)) {
        if (used[context].empty()) used[context].resize(model.symbol_count());
        used[context][symbol] += count;
        context = static_cast<unsigned char>(model.token(symbol).back());
      }
    }
  }
  return used;
}

Counts sum_of(const ContextCounts& contexts, std::size_t symbols) {
  Counts sum(symbols);
  for (const auto& counts : contexts) {
    for (std::size_t i = 0; i < counts.size(); ++i) sum[i] += counts[i];
  }
  return sum;
}

/// Drops tokens that do not pay from a vocabulary, and makes a model of the others.
class ModelMaker {
 public:
  ModelMaker(const TokenCounts& counts, const CountedTexts& texts, std::vector<std::string> common,
             std::uint64_t scale, const StopFlag& stop)
      : texts_(texts), common_(std::move(common)), scale_(scale), stop_(stop) {
    auto& contexts = parts_.contexts.emplace();
    for (std::size_t byte = 0; byte < contexts.group_of_byte.size(); ++byte) {
      contexts.group_of_byte[byte] = static_cast<std::uint8_t>(group_of(byte));
    }
    contexts.start_classes.resize(kByteGroups);
    set_codes(counts.rows, format::kRowSymbols, contexts.class_of_row, parts_.row_lengths);
    set_codes(counts.shares, format::kShareSymbols, contexts.class_of_share, parts_.share_lengths);
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
    set_one_class(Counts(symbol_count(), 1));
    ContextCounts used;
    for (int i = 0; i < kRefinements; ++i) {
      used = parse_all(texts_, *model(), stop_);
      const auto sum = sum_of(used, symbol_count());
      if (i + 1 < kRefinements) drop_rare_tokens(sum);
    }
    if (!stop_.is_set()) set_classes(used);
    used = parse_all(texts_, *model(), stop_);
    if (!stop_.is_set()) set_classes(used);
    return format::encode_token_model(parts_);
  }

 private:
  [[nodiscard]] std::size_t symbol_count() const {
    return format::kByteTokens + parts_.tokens.size() + format::kEndings;
  }
  /// Groups the contexts of an alphabet into classes, and makes a code for each class.
  void set_codes(const ContextCounts& counts, std::size_t symbols, std::span<std::uint8_t> class_of,
                 std::vector<Buffer>& lengths) {
    const auto classes = choose_classes(counts, scale_, symbols, kRowClasses);
    std::copy(classes.of_context.begin(), classes.of_context.end(), class_of.begin());
    lengths.clear();
    for (const auto& sum : class_sums(counts, classes, symbols)) lengths.push_back(lengths_of(sum));
  }
  [[nodiscard]] static std::vector<Counts> class_sums(const ContextCounts& counts,
                                                      const ContextClasses& classes,
                                                      std::size_t symbols) {
    std::vector<Counts> sums(classes.count, Counts(symbols));
    for (std::size_t context = 0; context < counts.size(); ++context) {
      auto& sum = sums[classes.of_context[context]];
      for (std::size_t i = 0; i < counts[context].size(); ++i) sum[i] += counts[context][i];
    }
    return sums;
  }
  [[nodiscard]] std::unique_ptr<const format::TokenModel> model() const {
    auto model = format::TokenModel::decode(format::encode_token_model(parts_), true);
    return std::move(model).value();
  }
  [[nodiscard]] bool is_common(const std::string& token) const {
    return std::binary_search(common_.begin(), common_.end(), token);
  }
  /// Code lengths of bytes, tokens and endings. Each byte and ending has a code; a token has one
  /// only if it is used or common.
  [[nodiscard]] Buffer token_lengths_of(const Counts& counts) const {
    Counts smoothed(counts);
    for (std::size_t i = 0; i < smoothed.size(); ++i) {
      const bool is_ending = i >= format::kByteTokens + parts_.tokens.size();
      const bool is_kept =
          i < format::kByteTokens || is_ending || is_common(parts_.tokens[i - format::kByteTokens]);
      smoothed[i] = smoothed[i] * kSeenWeight + (is_kept ? 1 : 0);
    }
    return format::code_lengths(smoothed);
  }
  void set_one_class(const Counts& counts) {
    parts_.class_of_context.fill(0);
    for (auto& classes : parts_.contexts->start_classes) classes.fill(0);
    parts_.token_lengths = {token_lengths_of(counts)};
  }
  /// Drops the tokens that do not pay, and makes the codes of the others from their counts.
  void drop_rare_tokens(const Counts& sum) {
    std::vector<std::string> kept;
    Counts kept_counts(sum.begin(), sum.begin() + format::kByteTokens);
    for (std::size_t i = 0; i < parts_.tokens.size(); ++i) {
      const auto count = sum[format::kByteTokens + i];
      const bool is_rare = count * scale_ < kTokenUsesMin * TokenModelSource::kScaleOne;
      if (is_rare && !is_common(parts_.tokens[i])) continue;
      kept.push_back(std::move(parts_.tokens[i]));
      kept_counts.push_back(count);
    }
    kept_counts.insert(kept_counts.end(), sum.end() - format::kEndings, sum.end());
    parts_.tokens = std::move(kept);
    set_one_class(kept_counts);
  }
  void set_classes(const ContextCounts& used) {
    const auto first_start = used.begin() + format::kTokenContexts;
    auto classes =
        choose_classes({used.begin(), first_start}, scale_, symbol_count(), kTokenClasses);
    const auto of_starts =
        choose_classes({first_start, used.end()}, scale_, symbol_count(), kTokenClasses);
    for (const auto number : of_starts.of_context) {
      classes.of_context.push_back(static_cast<std::uint8_t>(classes.count + number));
    }
    classes.count += of_starts.count;
    parts_.token_lengths.clear();
    for (const auto& sum : class_sums(used, classes, symbol_count())) {
      parts_.token_lengths.push_back(token_lengths_of(sum));
    }
    auto at = classes.of_context.begin();
    std::copy_n(at, format::kTokenContexts, parts_.class_of_context.begin());
    at += format::kTokenContexts;
    for (auto& of_group : parts_.contexts->start_classes) {
      std::copy_n(at, format::kPassedContexts, of_group.begin());
      at += format::kPassedContexts;
    }
  }

  const CountedTexts& texts_;
  std::vector<std::string> common_;
  std::uint64_t scale_;  ///< entries of the tree for each counted one, in 256ths
  StopFlag stop_;
  format::TokenModelParts parts_;
};

}  // namespace

Buffer make_context_model(TokenModelSource source, const StopFlag& stop) {
  return ModelMaker(source.counts, source.texts, std::move(source.common), source.scale, stop)
      .make(std::move(source.tokens));
}

}  // namespace dgfs::builder
