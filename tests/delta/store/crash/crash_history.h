// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a store may hold after a stop: all batches up to some one, which is not before the last that
// it said to be durable.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/delta/store/random_batch.h"

namespace dgfs::test {

using Values = std::map<std::string, std::string>;

class CrashHistory {
 public:
  /// @param values  are there, and durable
  explicit CrashHistory(Values values = {}) : model_(values), states_{std::move(values)} {}

  /// A batch was applied, or is about to be: if its call fails, it may yet be there after a stop.
  /// One without operations makes no state, since no group of the log tells of it.
  void add(const delta::Batch& batch) {
    if (batch.operations().empty()) return;
    model_.apply(batch);
    states_.push_back(model_.values());
  }
  /// The newest of the states is durable.
  void note_durable() { durable_ = newest(); }
  /// Of the states this one is, and those before it.
  void note_durable(std::size_t state) { durable_ = std::max(durable_, state); }
  /// A store was opened again, and has these values: then they are durable, and all that there is.
  /// False if they are none that it may have.
  [[nodiscard]] bool settle(const Values& values) {
    if (!find(values)) return false;
    *this = CrashHistory(values);
    return true;
  }

  /// There is nothing but the newest state.
  [[nodiscard]] bool is_settled() const { return states_.size() == 1; }

  [[nodiscard]] const Values& values() const { return model_.values(); }
  [[nodiscard]] std::size_t newest() const { return states_.size() - 1; }
  [[nodiscard]] std::size_t durable() const { return durable_; }
  /// Which of the states, from a number on, these are.
  [[nodiscard]] std::optional<std::size_t> find(const Values& values, std::size_t from) const {
    for (auto at = from; at < states_.size(); ++at) {
      if (states_[at] == values) return at;
    }
    return std::nullopt;
  }
  /// The same from the last durable one on.
  [[nodiscard]] std::optional<std::size_t> find(const Values& values) const {
    return find(values, durable_);
  }

 private:
  StoreModel model_;
  std::vector<Values> states_;  ///< after each batch
  std::size_t durable_ = 0;
};

}  // namespace dgfs::test
