// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_value_threads DIRECTORY: threads that read 64 KiB chunks of a store, alone and beside a
// writer that patches chunks with calls of 4 KiB as fast as it can.
//
//   whole   read() of a chunk, and a look at its bytes
//   part    read() of 4 KiB of a chunk
//
// Each row is a number of readers: their total rate as a multiple of one reader's, and the share of
// the processors that all threads used. Rows are measured in turns, --runs times; a row has the
// median, the smallest and the largest. All data is in the page cache. The limit of `times` is the
// number of processors without the writer's share.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "bench/store/latencies.h"
#include "bench/store/processor_time.h"
#include "delta/store/store.h"
#include "format/checksum.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
constexpr std::size_t kCallBytes = 4096;

struct Options {
  std::string directory;
  int runs = 5;
  double seconds = 2;
  std::uint64_t chunks = 2000;
  std::vector<unsigned> readers = {1, 2, 4, 16};
};

std::string key_of(std::uint64_t chunk) { return fmt::format("chunk-{:08}", chunk); }

Status fill(delta::Store& store, const Options& options) {
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < options.chunks; ++i) {
    std::string value(kChunkBytes, '\0');
    for (char& c : value) c = static_cast<char>(random());
    delta::Batch batch;
    batch.put(key_of(i), std::move(value));
    DGFS_CHECK(store.apply(batch));
  }
  return store.checkpoint();
}

// The results of one run of a row.
struct Measured {
  double read_mib_s = 0;
  double writes_s = 0;
  double processors = 0;
  std::uint64_t p999_ns = 0;  ///< per read
};

class Run {
 public:
  Run(delta::Store& store, const Options& options, std::size_t read_bytes)
      : store_(store), options_(options), read_bytes_(read_bytes) {}

  [[nodiscard]] Measured measure(unsigned readers, bool has_writer) {
    const auto begin = Clock::now();
    const auto used = processor_seconds();
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < readers; ++i) threads.emplace_back([this, i] { read(i); });
      if (has_writer) threads.emplace_back([this] { write(); });
      std::this_thread::sleep_for(std::chrono::duration<double>(options_.seconds));
      is_over_ = true;
    }
    const auto seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return {static_cast<double>(read_) / seconds / (1 << 20),
            static_cast<double>(writes_) / seconds, (processor_seconds() - used) / seconds,
            slowest_ns_};
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  void read(unsigned number) {
    std::mt19937_64 random(number);
    Latencies latencies;
    std::uint64_t bytes = 0;
    std::uint64_t sum = 0;
    while (!is_over_) {
      const auto begin = Clock::now();
      const auto from = random() % (kChunkBytes / read_bytes_) * read_bytes_;
      const auto slice = store_.read(key_of(random() % options_.chunks), from, read_bytes_);
      if (!slice || !slice.value()) {
        has_failed_ = true;
        return;
      }
      sum += format::checksum64(as_bytes(slice.value()->bytes()));
      bytes += slice.value()->length_bytes;
      latencies.add(static_cast<std::uint64_t>((Clock::now() - begin).count()));
    }
    read_ += bytes;
    seen_ += sum;
    std::uint64_t slowest = slowest_ns_;
    const auto own = latencies.quantile_ns(0.999);
    while (slowest < own && !slowest_ns_.compare_exchange_weak(slowest, own)) {
    }
  }
  void write() {
    std::mt19937_64 random(99);
    const std::string piece(kCallBytes, 'w');
    while (!is_over_) {
      delta::Batch batch;
      batch.patch(key_of(random() % options_.chunks),
                  random() % (kChunkBytes / kCallBytes) * kCallBytes, piece);
      if (!store_.apply(batch)) {
        has_failed_ = true;
        return;
      }
      ++writes_;
    }
  }

  delta::Store& store_;
  const Options& options_;
  const std::size_t read_bytes_;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> has_failed_ = false;
  std::atomic<std::uint64_t> read_ = 0;
  std::atomic<std::uint64_t> seen_ = 0;
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<std::uint64_t> slowest_ns_ = 0;
};

struct Row {
  std::size_t read_bytes = 0;
  bool has_writer = false;
  unsigned readers = 0;
  friend auto operator<=>(const Row&, const Row&) = default;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void print(const std::map<Row, std::vector<Measured>>& rows) {
  fmt::print("{:<8}{:<8}{:>8}{:>12}{:>22}{:>8}{:>12}{:>12}{:>12}\n", "read", "writer", "readers",
             "MiB/s", "[least, most]", "times", "writes/s", "processors", "p99.9 us");
  for (const auto& [row, runs] : rows) {
    const auto column = [&of = runs](auto member) {
      std::vector<double> values;
      for (const Measured& run : of) values.push_back(static_cast<double>(run.*member));
      return values;
    };
    const auto rates = column(&Measured::read_mib_s);
    const auto& one = rows.at({row.read_bytes, row.has_writer, 1});
    std::vector<double> rates_of_one;
    for (const Measured& run : one) rates_of_one.push_back(run.read_mib_s);
    fmt::print("{:<8}{:<8}{:>8}{:>12.0f}{:>22}{:>8.2f}{:>12.0f}{:>12.2f}{:>12.0f}\n",
               row.read_bytes == kChunkBytes ? "whole" : "part", row.has_writer ? "yes" : "no",
               row.readers, median(rates),
               fmt::format("[{:.0f}, {:.0f}]", std::ranges::min(rates), std::ranges::max(rates)),
               median(rates) / median(rates_of_one), median(column(&Measured::writes_s)),
               median(column(&Measured::processors)), median(column(&Measured::p999_ns)) / 1000);
  }
}

Status measure_all(const Options& options) {
  const std::string path = options.directory + "/value-threads";
  std::filesystem::remove_all(path);
  std::filesystem::create_directory(path);
  const auto env = storage::make_posix_env();
  delta::StoreOptions store_options;
  store_options.create = true;
  store_options.in_background = true;
  DGFS_TRY(store, delta::Store::open(*env, path + "/store", store_options));
  DGFS_CHECK(store->start());
  DGFS_CHECK(fill(*store, options));
  std::map<Row, std::vector<Measured>> rows;
  for (int i = 0; i < options.runs; ++i) {
    for (const std::size_t read_bytes : {kChunkBytes, kCallBytes}) {
      for (const bool has_writer : {false, true}) {
        for (const unsigned readers : options.readers) {
          Run run(*store, options, read_bytes);
          rows[{read_bytes, has_writer, readers}].push_back(run.measure(readers, has_writer));
          if (run.has_failed()) return Error(ErrorKind::kIo, 1, "a read or a write has failed");
        }
      }
      DGFS_CHECK(store->checkpoint());
    }
  }
  print(rows);
  DGFS_CHECK(store->close());
  store.reset();
  std::filesystem::remove_all(path);
  return ok();
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("readers of chunks beside a writer");
  app.add_option("directory", options.directory)->required()->check(CLI::ExistingDirectory);
  app.add_option("--runs", options.runs)->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "of each run of a row");
  app.add_option("--chunks", options.chunks)->check(CLI::PositiveNumber);
  app.add_option("--readers", options.readers, "the first of which is 1");
  CLI11_PARSE(app, argc, argv);
  if (options.readers.empty() || options.readers.front() != 1) {
    fmt::print(stderr, "dgfs_value_threads: the first number of readers is not 1\n");
    return 2;
  }
  if (auto measured = measure_all(options); !measured) {
    fmt::print(stderr, "dgfs_value_threads: {}\n", measured.error().message());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
