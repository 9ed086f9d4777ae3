// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads many files one after another, in one thread or several, and reports the time of each;
// shared by the reading programs. The list of paths comes from a file, so that every system reads
// the same files in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dgfs::bench {

/// Reads one whole file and adds its size to `bytes`. Returns false if that failed.
using ReadFile = std::function<bool(const std::string& path, std::uint64_t& bytes)>;

/// Makes the reader of one thread. Called once per thread, before the clock starts.
using OpenReader = std::function<ReadFile()>;

struct ReadPlan {
  std::vector<std::string> paths;
  std::size_t threads = 1;
  std::size_t rounds = 1;  ///< how often the whole list is read
};

/// Parses LIST THREADS [ROUNDS]; `paths` is empty if the list is empty or cannot be read.
[[nodiscard]] ReadPlan read_plan(const std::vector<std::string>& arguments);

[[nodiscard]] std::vector<std::string> read_lines(const std::string& path);

/// Members of a JSON object: "p50_us" and further quantiles, the largest latency, and the whole
/// distribution; zeros if there are no latencies. Sorts the latencies.
[[nodiscard]] std::string quantiles_json(std::vector<std::int64_t>& latencies_ns);

/// Reads all paths and prints one JSON object: files, failures, bytes, wall time, quantiles.
/// Returns the exit code of the program: 1 if a read failed.
[[nodiscard]] int time_reads(const ReadPlan& plan, const OpenReader& open_reader);

}  // namespace dgfs::bench
