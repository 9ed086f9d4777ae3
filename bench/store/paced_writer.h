// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// PacedWriter: passes writes to an engine in batches, syncs at moments that depend only on the
// writes, and times each call.
#pragma once

#include <chrono>
#include <vector>

#include "bench/store/task.h"

namespace dgfs::bench {

/// Not thread-safe. All writes are durable after finish().
class PacedWriter {
 public:
  /// All must outlive the object; counts and times are added to `phase`.
  PacedWriter(Engine& engine, const TaskOptions& options, Phase& phase)
      : engine_(engine), options_(options), phase_(phase) {}

  [[nodiscard]] Status put(Pair pair);
  [[nodiscard]] Status patch(Patch patch);
  /// Is a separate call to the engine.
  [[nodiscard]] Status remove_range(const std::string& begin, const std::string& end);
  [[nodiscard]] Status finish();

 private:
  [[nodiscard]] Status write_batch();
  [[nodiscard]] Status sync_if_due();
  void count(std::size_t bytes);

  Engine& engine_;
  const TaskOptions& options_;
  Phase& phase_;
  std::vector<Pair> pairs_;
  std::vector<Patch> patches_;
  std::uint64_t unsynced_operations_ = 0;
  std::uint64_t unsynced_bytes_ = 0;
};

/// Returns the result of `call`, and adds the time that it took.
template <class Call>
auto timed(Latencies& latencies, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = call();
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
  latencies.add(static_cast<std::uint64_t>(elapsed.count()));
  return result;
}

}  // namespace dgfs::bench
