// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Tasks: workloads for an engine, and their times.
//
//   insert-sequential   all keys in order             overwrite   random existing keys
//   insert-random       all keys in random order      patch       4 bytes inside of random values
//   get-hit, get-miss   random keys                   scan        SPAN keys from random keys on
//   remove-range        ranges of SPAN keys at random places; then gets of random keys, and
//                       scans of 10 keys that begin in removed ranges
#pragma once

#include <string>
#include <vector>

#include "bench/store/engine.h"
#include "bench/store/key_space.h"
#include "bench/store/latencies.h"

namespace dgfs::bench {

struct TaskOptions {
  std::string name;
  std::uint64_t operations = 0;  ///< not used by inserts: they take the number of keys
  std::uint64_t span = 10;       ///< number of keys in a scan, or in a removed range
  std::uint64_t reads_after = 1000;
  std::uint64_t seed = 1;
  std::size_t batch = 1;  ///< operations per write call
  /// Writes are synced after so many operations, or so many bytes of keys and values, whichever
  /// comes first.
  std::uint64_t sync_operations = 10'000;
  std::uint64_t sync_bytes = std::uint64_t{4} << 20;
};

struct Phase {
  std::string name;
  std::uint64_t operations = 0;
  std::uint64_t given_bytes = 0;  ///< keys, values and patches written; for reads, bytes read
  double seconds = 0;             ///< until everything is durable
  double processor_seconds = 0;   ///< of all threads of the process during the phase
  Latencies calls;                ///< of write calls, or of reads
  Latencies syncs;
};

/// Runs the task of that name, in phases. Errors: kInvalidArgument (no such task); kCorrupt (an
/// answer is wrong); those of the engine.
[[nodiscard]] Result<std::vector<Phase>> run_task(Engine& engine, const KeySpace& keys,
                                                  const TaskOptions& options);

}  // namespace dgfs::bench
