// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenTrainer: trains a token model (format/token/model.h) for a tree on samples of its entries.
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
  /// Counts the entries of a part of the tree, as they would be written in pages. Keys must rise
  /// strictly.
  void add(std::span<const format::Entry> entries, const format::AttributeTable& attributes);

  /// Makes the bytes of the model (format::ModelKind::kContextTokens).
  /// @param tree_entries  entries of the tree: a larger tree pays for a larger model
  /// Ends soon after `stop` is set, with a useless model. Cost: about 0.5 s for 60,000 counted
  /// entries.
  [[nodiscard]] Buffer train(std::uint64_t tree_entries, const StopFlag& stop = StopFlag()) const;

 private:
  TokenCounts counts_;
  std::uint64_t entry_count_ = 0;
  std::size_t part_count_ = 0;
};

}  // namespace dgfs::builder
