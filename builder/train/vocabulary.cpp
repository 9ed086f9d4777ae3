// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/vocabulary.h"

#include <queue>
#include <unordered_map>
#include <utility>

namespace dgfs::builder {
namespace {

using Symbol = std::uint32_t;
using Place = std::uint32_t;
constexpr Place kNone = ~Place{0};

/// The texts, as linked lists of symbols that are joined step by step.
class PairJoiner {
 public:
  PairJoiner(const std::vector<CountedText>& texts, std::size_t token_bytes_max,
             const StopFlag& stop);

  /// Joins the most common pair everywhere. Returns its text; empty if no pair occurs `count_min`
  /// times.
  std::string join_commonest(std::uint32_t count_min);

 private:
  struct Pair {
    std::int64_t count = 0;
    std::int64_t queued_count = 0;  ///< count of its highest candidate in the queue; 0: none
    std::vector<Place> places;      ///< places of its first symbol; some may be stale
  };
  struct Candidate {
    std::int64_t count;
    std::uint64_t key;
    // With equal counts the older symbols come first, independent of the hash table's order.
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : key > other.key;
    }
  };
  static std::uint64_t key_of(Symbol first, Symbol second) {
    return std::uint64_t{first} << 32 | second;
  }

  void change(Place place, std::int64_t sign);
  void add(Place place) { change(place, 1); }
  void remove(Place place) { change(place, -1); }
  void join(Place place, Symbol joined);
  /// Queues the pair if it has no candidate with its count or a higher one.
  void queue(std::uint64_t key, Pair& pair) {
    if (pair.count <= pair.queued_count) return;
    pair.queued_count = pair.count;
    queue_.push({pair.count, key});
  }

  std::size_t token_bytes_max_;
  std::vector<std::string> texts_of_;  ///< text of each symbol
  std::vector<Symbol> symbols_;        ///< symbol at each place
  std::vector<Place> next_;
  std::vector<Place> before_;
  std::vector<std::uint32_t> counts_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::priority_queue<Candidate> queue_;
  std::vector<std::uint64_t> touched_;
};

PairJoiner::PairJoiner(const std::vector<CountedText>& texts, std::size_t token_bytes_max,
                       const StopFlag& stop)
    : token_bytes_max_(token_bytes_max) {
  for (int byte = 0; byte < 256; ++byte) texts_of_.emplace_back(1, static_cast<char>(byte));
  std::size_t bytes = 0;
  for (const auto& text : texts) bytes += text.text.size();
  for (auto* const places : {&symbols_, &next_, &before_, &counts_}) places->reserve(bytes);
  for (const auto& text : texts) {
    for (std::size_t i = 0; i < text.text.size(); ++i) {
      const auto place = static_cast<Place>(symbols_.size());
      symbols_.push_back(static_cast<unsigned char>(text.text[i]));
      before_.push_back(i == 0 ? kNone : place - 1);
      next_.push_back(i + 1 == text.text.size() ? kNone : place + 1);
      counts_.push_back(text.count);
    }
  }
  for (Place place = 0; place < symbols_.size() && !stop.is_set(); ++place) add(place);
  for (auto& [key, pair] : pairs_) queue(key, pair);
  touched_.clear();
}

/// Adds or removes the pair that begins at `place`.
void PairJoiner::change(Place place, std::int64_t sign) {
  if (place == kNone || next_[place] == kNone) return;
  const auto key = key_of(symbols_[place], symbols_[next_[place]]);
  auto& pair = pairs_[key];
  pair.count += sign * counts_[place];
  if (sign < 0) return;
  pair.places.push_back(place);
  touched_.push_back(key);
}

void PairJoiner::join(Place place, Symbol joined) {
  const auto second = next_[place];
  remove(before_[place]);
  remove(second);
  symbols_[place] = joined;
  next_[place] = next_[second];
  if (next_[second] != kNone) before_[next_[second]] = place;
  symbols_[second] = ~Symbol{0};  // no pair has this place any more
  next_[second] = kNone;
  add(before_[place]);
  add(place);
}

std::string PairJoiner::join_commonest(std::uint32_t count_min) {
  while (!queue_.empty()) {
    const auto best = queue_.top();
    queue_.pop();
    const auto found = pairs_.find(best.key);
    if (found == pairs_.end() || found->second.queued_count != best.count) continue;
    if (found->second.count != best.count) {  // other pairs have taken places of it since
      found->second.queued_count = 0;
      queue(best.key, found->second);
      continue;
    }
    if (best.count < count_min) return {};
    const auto first = static_cast<Symbol>(best.key >> 32);
    const auto second = static_cast<Symbol>(best.key);
    auto text = texts_of_[first] + texts_of_[second];
    const auto places = std::move(found->second.places);
    pairs_.erase(found);
    if (text.size() > token_bytes_max_) continue;
    const auto joined = static_cast<Symbol>(texts_of_.size());
    texts_of_.push_back(text);
    for (const auto place : places) {
      const bool is_here =
          symbols_[place] == first && next_[place] != kNone && symbols_[next_[place]] == second;
      if (is_here) join(place, joined);
    }
    for (const auto key : touched_) {
      if (const auto pair = pairs_.find(key); pair != pairs_.end()) queue(key, pair->second);
    }
    touched_.clear();
    return text;
  }
  return {};
}

}  // namespace

std::vector<std::string> find_tokens(const std::vector<CountedText>& texts, std::size_t tokens_max,
                                     std::size_t token_bytes_max, std::uint32_t count_min,
                                     const StopFlag& stop) {
  PairJoiner joiner(texts, token_bytes_max, stop);
  std::vector<std::string> tokens;
  while (tokens.size() < tokens_max && !stop.is_set()) {
    auto token = joiner.join_commonest(count_min);
    if (token.empty()) break;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace dgfs::builder
