// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Tasks: what an engine is given to do, and how long it took.
//
//   insert-sequential   all keys in order             overwrite   random ones of all keys
//   insert-random       all keys in random order      patch       4 bytes inside of random values
//   get-hit, get-miss   random keys                   scan        from random keys on, SPAN keys
//   each remove-range        ranges of SPAN keys at random places; then gets of random keys, and
//   scans
//                       of 10 keys that begin in removed ranges
#pragma once

#include <string>
#include <vector>

#include "bench/store/engine.h"
#include "bench/store/key_space.h"
#include "bench/store/latencies.h"

namespace dgfs::bench {

struct TaskOptions {
  std::string name;
  std::uint64_t operations = 0;  ///< inserts go by the keys there are instead
  std::uint64_t span = 10;       ///< keys of a scan, or of a range that is removed
  std::uint64_t reads_after = 1000;
  std::uint64_t seed = 1;
  std::size_t batch = 1;  ///< operations of one write call
  /// What was written is made durable after so many operations, or so many bytes of keys and
  /// values, whatever comes first.
  std::uint64_t sync_operations = 10'000;
  std::uint64_t sync_bytes = std::uint64_t{4} << 20;
};

struct Phase {
  std::string name;
  std::uint64_t operations = 0;
  std::uint64_t given_bytes = 0;  ///< keys, values, patches; of reads what was seen
  double seconds = 0;             ///< until all is durable
  double processor_seconds = 0;   ///< of all threads of the process meanwhile
  Latencies calls;                ///< of write calls, or of reads
  Latencies syncs;
};

/// What its name says, in phases. Errors: kInvalidArgument (no such task); kCorrupt (an answer is
/// wrong); those of the engine.
[[nodiscard]] Result<std::vector<Phase>> run_task(Engine& engine, const KeySpace& keys,
                                                  const TaskOptions& options);

}  // namespace dgfs::bench
