// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opens the index of a generated tree, looks up files in it at random, and compares each answer
// with the rule of the tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/hundred_million/generated_tree.h"

namespace dgfs::bench {

/// The parameters of the measurement. A value.
struct LookupPlan {
  std::string index_path;
  std::uint64_t lookup_seed = 0;
  std::size_t cold_lookups = 10000;
  std::size_t warm_lookups = 1000000;
  std::size_t opens = 5;
};

struct LookupResult {
  std::vector<double> open_cold_ms;  ///< with nothing of the index in the page cache
  std::vector<double> open_warm_ms;
  std::uint64_t resident_bytes = 0;  ///< of an open image, without caches
  std::vector<double> cold_us;       ///< per lookup, with its page in no cache
  std::uint64_t cold_env_reads = 0;  ///< through storage::Env
  std::uint64_t cold_env_read_bytes = 0;
  std::uint64_t cold_device_reads = 0;  ///< of the index's block device, by all processes
  std::uint64_t cold_device_read_bytes = 0;
  double warm_unkept_per_second = 0;   ///< opens every page anew, index in the page cache
  double warm_default_per_second = 0;  ///< the reader's page cache has its default size
  /// The reader's page cache has room for the whole index, as with `-o page_cache=` of a mount.
  double warm_whole_per_second = 0;
  std::uint64_t wrong = 0;  ///< answers that differ from the rule
};

/// Errors: those of reader::Image.
[[nodiscard]] Result<LookupResult> look_up(const TreePlan& tree, const LookupPlan& plan);

}  // namespace dgfs::bench
