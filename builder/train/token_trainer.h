// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenTrainer: a token model (format/token/model.h) for a tree, out of samples of its entries.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "builder/stop.h"
#include "builder/train/token_counts.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

/// Not thread-safe. Deterministic.
class TokenTrainer {
 public:
  /// Counts the entries of a part of the tree, strictly rising keys, as pages of them would be.
  void add(std::span<const format::Entry> entries, const format::AttributeTable& attributes);

  /// The model's bytes (format::ModelKind::kContextTokens).
  /// @param tree_entries  how many entries the model is for: a larger tree pays for a larger model
  /// Once `stop` is set it ends soon, with a model that is of no use.
  /// Cost: about 0.5 s for 60,000 entries counted.
  [[nodiscard]] Buffer train(std::uint64_t tree_entries, const StopFlag& stop = StopFlag()) const;

 private:
  TokenCounts counts_;
  std::uint64_t entry_count_ = 0;
  std::size_t part_count_ = 0;
};

}  // namespace dgfs::builder
