// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Resting: what becomes of a store that nobody writes to. What waits gets into the tree, and its
// files get shorter, with a checkpoint each time; when these bring nothing any more, nothing is
// done until somebody writes again. It knows no clock: what it is told decides.
#pragma once

#include <cstdint>

namespace dgfs::delta {

/// For one thread at a time.
class Resting {
 public:
  /// What shows whether a checkpoint is worth it. A value.
  struct State {
    std::uint64_t sequence = 0;         ///< of the last batch
    std::uint64_t in_tree = 0;          ///< of the last one that is in a durable tree
    std::uint64_t end_bytes = 0;        ///< of the files
    unsigned narrowed = 0;              ///< how many times what is cleaned at a time was halved
    bool waits_for_checkpoint = false;  ///< space does
    bool has_dead = false;              ///< batches have said so, and nobody has seen to it
    bool is_sparse = false;             ///< a file is worth cleaning

    [[nodiscard]] bool has_waiting() const {
      return in_tree < sequence || waits_for_checkpoint || has_dead;
    }
  };

  /// Whether a checkpoint is to be made now. It is not where a batch was applied since this was
  /// asked the last time.
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
  /// Whoever kept space has let go of it.
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
