// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Resting: decides when an idle store makes checkpoints, so that waiting changes get into the tree
// and the files get shorter. Once checkpoints bring no progress, it stops until the next write. It
// has no clock; its decisions depend only on what it is told.
#pragma once

#include <cstdint>

namespace dgfs::delta {

/// For one thread at a time.
class Resting {
 public:
  /// Numbers that show whether a checkpoint is worth it. A value.
  struct State {
    std::uint64_t sequence = 0;         ///< of the last batch
    std::uint64_t in_tree = 0;          ///< of the last batch in a durable tree
    std::uint64_t end_bytes = 0;        ///< of the files
    unsigned narrowed = 0;              ///< how often the length to be cleaned at once was halved
    bool waits_for_checkpoint = false;  ///< space does, to be freed
    bool has_dead = false;              ///< batches report dead data whose space is not free yet
    bool is_sparse = false;             ///< a file is worth cleaning

    [[nodiscard]] bool has_waiting() const {
      return in_tree < sequence || waits_for_checkpoint || has_dead;
    }
  };

  /// Whether to make a checkpoint now. False if a batch was applied since the last call.
  [[nodiscard]] bool is_due(const State& now) {
    if (now.sequence != sequence_) {
      sequence_ = now.sequence;
      is_over_ = false;
      return false;
    }
    const bool is_due = !is_over_ && (now.has_waiting() || now.is_sparse || has_new_space_);
    is_over_ = !is_due;
    return is_due;
  }
  void note_checkpoint(const State& before, const State& after) {
    const bool is_shorter = after.end_bytes < before.end_bytes;
    is_over_ = !before.has_waiting() && !is_shorter && after.narrowed <= before.narrowed;
    has_new_space_ = false;
  }
  /// A view that kept space has ended.
  void note_new_space() {
    has_new_space_ = true;
    is_over_ = false;
  }
  /// Nothing is left to do.
  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  std::uint64_t sequence_ = UINT64_MAX;
  bool has_new_space_ = false;
  bool is_over_ = false;
};

}  // namespace dgfs::delta
