// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/context_classes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace dgfs::builder {
namespace {

constexpr std::size_t kClassCounts[] = {1, 2, 4, 8, 16};
constexpr int kRounds = 4;
// What a code length of a class takes in the model, compressed: those of used tokens, of others.
constexpr double kUsedLengthBits = 2.5;
constexpr double kUnusedLengthBits = 0.25;

/// The symbols that a context uses, and how often.
struct Usage {
  std::vector<std::pair<std::uint32_t, double>> counts;
  double total = 0;
};

class Clustering {
 public:
  Clustering(const ContextCounts& contexts, double scale)
      : symbols_(contexts.front().size()), scale_(scale), usages_(contexts.size()) {
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      auto& usage = usages_[i];
      for (std::uint32_t symbol = 0; symbol < symbols_; ++symbol) {
        if (contexts[i][symbol] == 0) continue;
        usage.counts.emplace_back(symbol, static_cast<double>(contexts[i][symbol]));
        usage.total += usage.counts.back().second;
      }
    }
    by_use_.resize(usages_.size());
    std::iota(by_use_.begin(), by_use_.end(), std::size_t{0});
    std::stable_sort(by_use_.begin(), by_use_.end(),
                     [this](auto a, auto b) { return usages_[a].total > usages_[b].total; });
  }

  /// The contexts in `count` classes. @return bits that names and model take so
  double group(std::size_t count, ContextClasses& classes) {
    classes.count = count;
    classes.of_context.assign(usages_.size(), 0);
    // The most used contexts begin a class each.
    for (std::size_t i = 0; i < count; ++i) {
      classes.of_context[by_use_[i]] = static_cast<std::uint8_t>(i);
    }
    for (int round = 0; round < kRounds; ++round) {
      // At first only the founders: the others would make all classes alike.
      sum_up(classes, round == 0 ? count : usages_.size());
      for (const auto context : by_use_) classes.of_context[context] = nearest(usages_[context]);
    }
    sum_up(classes, usages_.size());
    return cost();
  }

 private:
  void sum_up(const ContextClasses& classes, std::size_t contexts) {
    sums_.assign(classes.count, std::vector<double>(symbols_));
    for (std::size_t i = 0; i < contexts; ++i) {
      auto& sum = sums_[classes.of_context[by_use_[i]]];
      for (const auto& [symbol, count] : usages_[by_use_[i]].counts) sum[symbol] += count;
    }
    costs_.assign(classes.count, std::vector<float>(symbols_));
    for (std::size_t number = 0; number < classes.count; ++number) {
      const auto& sum = sums_[number];
      const auto total = std::accumulate(sum.begin(), sum.end(), 0.0) + kUnseen;
      for (std::size_t symbol = 0; symbol < symbols_; ++symbol) {
        const auto share = (sum[symbol] + kUnseen / static_cast<double>(symbols_)) / total;
        costs_[number][symbol] = static_cast<float>(-std::log2(share));
      }
    }
  }

  std::uint8_t nearest(const Usage& usage) const {
    std::uint8_t best = 0;
    double best_cost = std::numeric_limits<double>::max();
    for (std::size_t number = 0; number < costs_.size(); ++number) {
      double cost = 0;
      for (const auto& [symbol, count] : usage.counts) cost += count * costs_[number][symbol];
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = static_cast<std::uint8_t>(number);
    }
    return best;
  }

  double cost() const {
    double bits = 0;
    for (const auto& sum : sums_) {
      const auto total = std::accumulate(sum.begin(), sum.end(), 0.0);
      for (const auto count : sum) {
        if (count > 0) bits += count * scale_ * std::log2(total / count) + kUsedLengthBits;
        if (count <= 0) bits += kUnusedLengthBits;
      }
    }
    return bits;
  }

  static constexpr double kUnseen = 16;  ///< weight of what a class has not seen yet

  std::size_t symbols_;
  double scale_;
  std::vector<Usage> usages_;
  std::vector<std::size_t> by_use_;
  std::vector<std::vector<double>> sums_;  ///< by class
  std::vector<std::vector<float>> costs_;  ///< bits of a symbol, by class
};

}  // namespace

ContextClasses choose_classes(const ContextCounts& contexts, double scale) {
  Clustering clustering(contexts, scale);
  ContextClasses best;
  double best_cost = std::numeric_limits<double>::max();
  for (const auto count : kClassCounts) {
    ContextClasses classes;
    const auto cost = clustering.group(count, classes);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = std::move(classes);
  }
  return best;
}

}  // namespace dgfs::builder
