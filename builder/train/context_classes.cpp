// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/context_classes.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace dgfs::builder {
namespace {

constexpr std::size_t kClassCounts[] = {1, 4, 8, 16};
constexpr int kRounds = 4;
// Size of a code length of a class in the compressed model, in 256ths of a bit: of a used token,
// and of an unused one.
constexpr std::uint64_t kUsedLengthCost = 640;
constexpr std::uint64_t kUnusedLengthCost = 64;

/// log2 of `value`, at least 1, in 256ths. Squaring gives the bits of the fraction.
std::uint64_t log2_of(std::uint64_t value) {
  const auto whole = static_cast<unsigned>(std::bit_width(value)) - 1;
  std::uint64_t result = std::uint64_t{whole} << 8;
  constexpr unsigned kPointBits = 31;
  auto mantissa = whole <= kPointBits ? value << (kPointBits - whole)
                                      : value >> (whole - kPointBits);  // from 1 to below 2
  for (std::uint64_t bit = 128; bit != 0; bit /= 2) {
    mantissa = (mantissa * mantissa) >> kPointBits;
    if (mantissa >> (kPointBits + 1) == 0) continue;
    mantissa /= 2;
    result += bit;
  }
  return result;
}

/// The symbols that a context uses, with their counts.
struct Usage {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counts;
  std::uint64_t total = 0;
};

class Clustering {
 public:
  Clustering(const ContextCounts& contexts, std::uint64_t scale, std::size_t symbols)
      : symbols_(symbols), scale_(scale), usages_(contexts.size()) {
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      auto& usage = usages_[i];
      for (std::uint32_t symbol = 0; symbol < contexts[i].size(); ++symbol) {
        if (contexts[i][symbol] == 0) continue;
        usage.counts.emplace_back(symbol, contexts[i][symbol]);
        usage.total += usage.counts.back().second;
      }
    }
    by_use_.resize(usages_.size());
    std::iota(by_use_.begin(), by_use_.end(), std::size_t{0});
    std::stable_sort(by_use_.begin(), by_use_.end(),
                     [this](auto a, auto b) { return usages_[a].total > usages_[b].total; });
  }

  /// Groups the contexts into `count` classes. Returns the size of names and model, in 256ths of a
  /// bit.
  std::uint64_t group(std::size_t count, ContextClasses& classes) {
    classes.count = count;
    classes.of_context.assign(usages_.size(), 0);
    // Each of the most used contexts begins a class.
    for (std::size_t i = 0; i < count; ++i) {
      classes.of_context[by_use_[i]] = static_cast<std::uint8_t>(i);
    }
    for (int round = 0; round < kRounds; ++round) {
      // In the first round only these contexts count: the others would make all classes alike.
      sum_up(classes, round == 0 ? count : usages_.size());
      for (const auto context : by_use_) classes.of_context[context] = nearest(usages_[context]);
    }
    sum_up(classes, usages_.size());
    return cost();
  }

 private:
  void sum_up(const ContextClasses& classes, std::size_t contexts) {
    sums_.assign(classes.count, std::vector<std::uint64_t>(symbols_));
    for (std::size_t i = 0; i < contexts; ++i) {
      auto& sum = sums_[classes.of_context[by_use_[i]]];
      for (const auto& [symbol, count] : usages_[by_use_[i]].counts) sum[symbol] += count;
    }
    costs_.assign(classes.count, std::vector<std::uint32_t>(symbols_));
    for (std::size_t number = 0; number < classes.count; ++number) {
      const auto total = total_of(sums_[number]) + kUnseen;
      const auto of_total = log2_of(total * symbols_);
      const auto unseen = static_cast<std::uint32_t>(of_total - log2_of(kUnseen));
      for (std::size_t symbol = 0; symbol < symbols_; ++symbol) {
        const auto share = sums_[number][symbol] * symbols_ + kUnseen;
        costs_[number][symbol] =
            share == kUnseen ? unseen : static_cast<std::uint32_t>(of_total - log2_of(share));
      }
    }
  }

  static std::uint64_t total_of(const std::vector<std::uint64_t>& sum) {
    return std::accumulate(sum.begin(), sum.end(), std::uint64_t{0});
  }

  std::uint8_t nearest(const Usage& usage) const {
    std::uint8_t best = 0;
    auto best_cost = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t number = 0; number < costs_.size(); ++number) {
      std::uint64_t cost = 0;
      for (const auto& [symbol, count] : usage.counts) cost += count * costs_[number][symbol];
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = static_cast<std::uint8_t>(number);
    }
    return best;
  }

  std::uint64_t cost() const {
    std::uint64_t names = 0;
    std::uint64_t model = 0;
    for (const auto& sum : sums_) {
      const auto total = total_of(sum);
      for (const auto count : sum) {
        if (count > 0) names += count * (log2_of(total) - log2_of(count));
        model += count > 0 ? kUsedLengthCost : kUnusedLengthCost;
      }
    }
    return names / 256 * scale_ + model;
  }

  static constexpr std::uint64_t kUnseen = 16;  ///< weight of symbols that a class has not seen

  std::size_t symbols_;
  std::uint64_t scale_;
  std::vector<Usage> usages_;
  std::vector<std::size_t> by_use_;
  std::vector<std::vector<std::uint64_t>> sums_;   ///< by class
  std::vector<std::vector<std::uint32_t>> costs_;  ///< by class and symbol, in 256ths of a bit
};

}  // namespace

ContextClasses choose_classes(const ContextCounts& contexts, std::uint64_t scale,
                              std::size_t symbols, std::size_t classes_max) {
  Clustering clustering(contexts, scale, symbols);
  ContextClasses best;
  auto best_cost = std::numeric_limits<std::uint64_t>::max();
  for (const auto count : kClassCounts) {
    if (count > std::min(contexts.size(), classes_max)) break;
    ContextClasses classes;
    const auto cost = clustering.group(count, classes);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = std::move(classes);
  }
  return best;
}

}  // namespace dgfs::builder
