// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads whole files below a directory and reports the time of each: the measured half of
// bench/read and bench/response. The list of paths comes from a file, so that every system reads
// the same files in the same order.
//
//   dgfs_file_reader ROOT LIST THREADS [ROUNDS]
//
// Prints one JSON object: files, bytes, wall time, and quantiles of open + read + close.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Sample {
  std::vector<std::int64_t> latencies_ns;
  std::uint64_t bytes = 0;
  std::uint64_t failures = 0;
};

std::vector<std::string> read_lines(const char* path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool read_file(int root, const std::string& path, std::vector<char>& buffer, std::uint64_t& bytes) {
  const int fd = openat(root, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t count = 0;
  while ((count = read(fd, buffer.data(), buffer.size())) > 0) {
    bytes += static_cast<std::uint64_t>(count);
  }
  close(fd);
  return count == 0;
}

void work(int root, const std::vector<std::string>& paths, std::atomic<std::size_t>& next,
          std::size_t limit, Sample& sample) {
  std::vector<char> buffer(std::size_t{1} << 20);
  for (std::size_t i = next++; i < limit; i = next++) {
    const auto begin = Clock::now();
    if (!read_file(root, paths[i % paths.size()], buffer, sample.bytes)) ++sample.failures;
    sample.latencies_ns.push_back(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
  }
}

std::int64_t quantile(const std::vector<std::int64_t>& sorted, double q) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(q * last)];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: {} ROOT LIST THREADS [ROUNDS]\n", argv[0]);
    return 2;
  }
  const int root = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto paths = read_lines(argv[2]);
  if (root < 0 || paths.empty()) {
    fmt::print(stderr, "{}: cannot open {} or {}\n", argv[0], argv[1], argv[2]);
    return 1;
  }
  const auto threads = static_cast<std::size_t>(std::stoul(argv[3]));
  const auto rounds = argc > 4 ? static_cast<std::size_t>(std::stoul(argv[4])) : 1;
  std::vector<Sample> samples(threads);
  std::atomic<std::size_t> next{0};
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> workers;
    for (auto& sample : samples) {
      workers.emplace_back([&] { work(root, paths, next, paths.size() * rounds, sample); });
    }
  }
  const auto wall_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
  Sample all;
  for (const auto& sample : samples) {
    all.latencies_ns.insert(all.latencies_ns.end(), sample.latencies_ns.begin(),
                            sample.latencies_ns.end());
    all.bytes += sample.bytes;
    all.failures += sample.failures;
  }
  std::sort(all.latencies_ns.begin(), all.latencies_ns.end());
  const auto files = all.latencies_ns.size();
  fmt::print(
      R"({{"files": {}, "failures": {}, "bytes": {}, "us_per_file": {:.2f}, "p50_us": {:.2f}, )"
      R"("p99_us": {:.2f}, "p999_us": {:.2f}, "p9999_us": {:.2f}, "max_us": {:.2f}}})"
      "\n",
      files, all.failures, all.bytes,
      static_cast<double>(wall_ns.count()) / 1e3 / static_cast<double>(files),
      static_cast<double>(quantile(all.latencies_ns, 0.5)) / 1e3,
      static_cast<double>(quantile(all.latencies_ns, 0.99)) / 1e3,
      static_cast<double>(quantile(all.latencies_ns, 0.999)) / 1e3,
      static_cast<double>(quantile(all.latencies_ns, 0.9999)) / 1e3,
      static_cast<double>(all.latencies_ns.back()) / 1e3);
  return all.failures == 0 ? 0 : 1;
}
