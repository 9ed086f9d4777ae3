// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/content/read_many_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "format/entry/key.h"

namespace dgfs::reader {
namespace {

// Files in a round. Their lookup takes some milliseconds, for which the device is idle only before
// the first round. Starting a thread for each round costs a hundredth of that.
constexpr std::size_t kRoundFiles = 256;
// Files that are sorted together: bounds the keys in memory.
constexpr std::size_t kSortedFiles = std::size_t{1} << 16;
// Bound of index pages announced before they are needed.
constexpr std::size_t kPagesAhead = 256;

// Sorts by the place of the contents; failed lookups come first.
void sort_by_place(std::vector<PlannedFile>& files) {
  const auto place = [](const PlannedFile& file) {
    const auto& data = file.node.data;
    return std::tuple(!file.error.has_value(), data.volume, data.offset_bytes);
  };
  std::stable_sort(files.begin(), files.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

class PathPlan final : public ReadManyPlan {
 public:
  PathPlan(const IndexTables& tables, const PageStore& pages, const Namespace& names,
           std::span<const std::string> paths)
      : tables_(tables), pages_(pages), names_(names), paths_(paths) {}

  std::vector<PlannedFile> next() override {
    std::vector<PlannedFile> round;
    if (at_ == keys_.size()) round = sort_next();
    for (; at_ < keys_.size() && round.size() < kRoundFiles; ++at_) {
      announce();
      round.push_back(look_up(keys_[at_]));
    }
    sort_by_place(round);
    return round;
  }

 private:
  struct Key {
    std::string key;
    std::size_t index = 0;
    std::size_t page = 0;
  };

  // Makes and sorts the keys of the next paths. Returns the invalid paths with their errors.
  std::vector<PlannedFile> sort_next() {
    std::vector<PlannedFile> bad;
    keys_.clear();
    at_ = announced_ = 0;
    for (; taken_ < paths_.size() && keys_.size() < kSortedFiles && bad.size() < kRoundFiles;
         ++taken_) {
      auto key = format::key_of_path(paths_[taken_]);
      if (!key) {
        bad.push_back({taken_, {}, std::move(key).assume_error()});
        continue;
      }
      const auto page = tables_.pages.find(tables_.zone, key.assume_value());
      keys_.push_back({std::move(key).assume_value(), taken_, page.value_or(0)});
    }
    std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.key < b.key; });
    return bad;
  }

  // Announces the pages of the next keys, so that the device reads them in parallel.
  void announce() {
    if (announced_ > at_) return;
    std::size_t pages = 0;
    while (announced_ < keys_.size() && pages < kPagesAhead) {
      const auto first = keys_[announced_].page;
      auto last = first;
      while (announced_ < keys_.size() && keys_[announced_].page <= last + 1 &&
             last - first < kPagesAhead) {
        last = keys_[announced_++].page;
      }
      pages_.announce(first, last - first + 1);
      pages += last - first + 1;
    }
  }

  [[nodiscard]] PlannedFile look_up(const Key& key) const {
    const auto found = names_.find_key(key.key);
    if (!found) return {key.index, {}, found.assume_error()};
    auto node = names_.resolve(found.assume_value());
    if (!node) return {key.index, {}, std::move(node).assume_error()};
    return {key.index, std::move(node).assume_value(), std::nullopt};
  }

  const IndexTables& tables_;
  const PageStore& pages_;
  const Namespace& names_;
  std::span<const std::string> paths_;
  std::size_t taken_ = 0;  // paths taken from paths_
  std::vector<Key> keys_;
  std::size_t at_ = 0;         // next key in keys_ to look up
  std::size_t announced_ = 0;  // next key in keys_ to announce
};

class NodePlan final : public ReadManyPlan {
 public:
  explicit NodePlan(std::span<const Node> nodes) : nodes_(nodes) {}

  std::vector<PlannedFile> next() override {
    std::vector<PlannedFile> round;
    if (at_ == order_.size()) sort_next();
    for (; at_ < order_.size() && round.size() < kRoundFiles; ++at_) {
      round.push_back({order_[at_], nodes_[order_[at_]], std::nullopt});
    }
    return round;
  }

 private:
  void sort_next() {
    order_.clear();
    at_ = 0;
    while (taken_ < nodes_.size() && order_.size() < kSortedFiles) order_.push_back(taken_++);
    const auto place = [&](std::size_t index) {
      return std::pair(nodes_[index].data.volume, nodes_[index].data.offset_bytes);
    };
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return place(a) < place(b); });
  }

  std::span<const Node> nodes_;
  std::size_t taken_ = 0;
  std::vector<std::size_t> order_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ReadManyPlan> plan_paths(const IndexTables& tables, const PageStore& pages,
                                         const Namespace& names,
                                         std::span<const std::string> paths) {
  return std::make_unique<PathPlan>(tables, pages, names, paths);
}

std::unique_ptr<ReadManyPlan> plan_nodes(std::span<const Node> nodes) {
  return std::make_unique<NodePlan>(nodes);
}

}  // namespace dgfs::reader
