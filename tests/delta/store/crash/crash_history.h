// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The contents that a store may have after a stop: all batches up to one that is at least the last
// batch reported durable.
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
  /// @param values  are in the store, and durable
  explicit CrashHistory(Values values = {}) : model_(values), states_{std::move(values)} {}

  /// Notes a batch that was applied, or is about to be: if the call fails, the batch may still be
  /// there after a stop. A batch without operations makes no state, since it leaves no group in the
  /// log.
  void add(const delta::Batch& batch) {
    if (batch.operations().empty()) return;
    model_.apply(batch);
    states_.push_back(model_.values());
  }
  /// The newest of the states is durable.
  void note_durable() { durable_ = newest(); }
  /// This state is durable, and so are those before it.
  void note_durable(std::size_t state) { durable_ = std::max(durable_, state); }
  /// Notes that a store was opened again and has these values: they are durable, and earlier states
  /// are gone. Returns false if the store may not have them.
  [[nodiscard]] bool settle(const Values& values) {
    if (!find(values)) return false;
    *this = CrashHistory(values);
    return true;
  }

  /// Only the newest state is possible.
  [[nodiscard]] bool is_settled() const { return states_.size() == 1; }

  [[nodiscard]] const Values& values() const { return model_.values(); }
  [[nodiscard]] std::size_t newest() const { return states_.size() - 1; }
  [[nodiscard]] std::size_t durable() const { return durable_; }
  /// The first state, from number `from` on, that has these values.
  [[nodiscard]] std::optional<std::size_t> find(const Values& values, std::size_t from) const {
    for (auto at = from; at < states_.size(); ++at) {
      if (states_[at] == values) return at;
    }
    return std::nullopt;
  }
  /// The same, from the last durable state on.
  [[nodiscard]] std::optional<std::size_t> find(const Values& values) const {
    return find(values, durable_);
  }

 private:
  StoreModel model_;
  std::vector<Values> states_;  ///< after each batch
  std::size_t durable_ = 0;
};

}  // namespace dgfs::test
