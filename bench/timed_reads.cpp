// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/timed_reads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

namespace dgfs::bench {
namespace {

using Clock = std::chrono::steady_clock;

// The shares at which the distribution is sampled.
constexpr std::array kShares = {0.0,  0.01, 0.1,   0.25,  0.5,   0.75,   0.9,    0.95,
                                0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 1.0};

struct Sample {
  std::vector<std::int64_t> latencies_ns;
  std::uint64_t bytes = 0;
  std::uint64_t failures = 0;
};

std::int64_t ns_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

double quantile_us(const std::vector<std::int64_t>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto last = static_cast<double>(sorted.size() - 1);
  return static_cast<double>(sorted[static_cast<std::size_t>(share * last)]) / 1e3;
}

void work(const ReadPlan& plan, const ReadFile& read_file, std::atomic<std::size_t>& next,
          Sample& sample) {
  const auto limit = plan.paths.size() * plan.rounds;
  for (std::size_t i = next++; i < limit; i = next++) {
    const auto begin = Clock::now();
    if (!read_file(plan.paths[i % plan.paths.size()], sample.bytes)) ++sample.failures;
    sample.latencies_ns.push_back(ns_since(begin));
  }
}

Sample merge(const std::vector<Sample>& samples) {
  Sample all;
  for (const auto& sample : samples) {
    all.latencies_ns.insert(all.latencies_ns.end(), sample.latencies_ns.begin(),
                            sample.latencies_ns.end());
    all.bytes += sample.bytes;
    all.failures += sample.failures;
  }
  return all;
}

}  // namespace

ReadPlan read_plan(const std::vector<std::string>& arguments) {
  ReadPlan plan;
  plan.paths = read_lines(arguments.at(0));
  plan.threads = std::stoul(arguments.at(1));
  if (arguments.size() > 2) plan.rounds = std::stoul(arguments[2]);
  return plan;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string quantiles_json(std::vector<std::int64_t>& latencies_ns) {
  std::sort(latencies_ns.begin(), latencies_ns.end());
  std::vector<std::string> points;
  for (const auto share : kShares) {
    points.push_back(fmt::format("[{}, {:.2f}]", share, quantile_us(latencies_ns, share)));
  }
  return fmt::format(
      R"("p50_us": {:.2f}, "p99_us": {:.2f}, "p999_us": {:.2f}, "p9999_us": {:.2f}, )"
      R"("max_us": {:.2f}, "distribution_us": [{}])",
      quantile_us(latencies_ns, 0.5), quantile_us(latencies_ns, 0.99),
      quantile_us(latencies_ns, 0.999), quantile_us(latencies_ns, 0.9999),
      quantile_us(latencies_ns, 1.0), fmt::join(points, ", "));
}

int time_reads(const ReadPlan& plan, const OpenReader& open_reader) {
  std::vector<ReadFile> readers;
  std::vector<Sample> samples(plan.threads);
  for (auto& sample : samples) {
    readers.push_back(open_reader());
    sample.latencies_ns.reserve(plan.paths.size() * plan.rounds);
  }
  std::atomic<std::size_t> next{0};
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < plan.threads; ++i) {
      workers.emplace_back([&, i] { work(plan, readers[i], next, samples[i]); });
    }
  }
  const auto wall_us = static_cast<double>(ns_since(begin)) / 1e3;
  Sample all = merge(samples);
  const auto files = all.latencies_ns.size();
  fmt::print(R"({{"files": {}, "failures": {}, "bytes": {}, "us_per_file": {:.2f}, {}}})"
             "\n",
             files, all.failures, all.bytes, wall_us / static_cast<double>(files),
             quantiles_json(all.latencies_ns));
  return all.failures == 0 ? 0 : 1;
}

}  // namespace dgfs::bench
