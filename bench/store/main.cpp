// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_store_bench ENGINE TASK DIRECTORY: runs one task (bench/store/task.h) with one engine, whose
// files are in the directory or will be made there, and prints times and written bytes as JSON.
// `bench/tree` compares engines with it. `dgfs_store_bench --engines` lists the engines.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "bench/store/task.h"
#include "bench/store/written_bytes.h"

namespace dgfs::bench {
namespace {

struct Options {
  std::string engine;
  EngineOptions engine_options;
  TaskOptions task;
  std::uint64_t keys = 1'000'000;
  std::size_t value_bytes = 100;
  std::size_t cache_mebibytes = 64;
  std::size_t table_mebibytes = 64;
  std::size_t memory_mebibytes = 256;
};

struct Measured {
  std::vector<Phase> phases;
  double open_seconds = 0;
  double settle_seconds = 0;
  std::optional<std::uint64_t> engine_bytes;
};

Result<Measured> measure(const Options& options) {
  const std::string& directory = options.engine_options.directory;
  const KeySpace keys(options.keys, options.value_bytes, 1);
  const auto begin_of_opening = std::chrono::steady_clock::now();
  DGFS_TRY(engine, open_engine(options.engine, options.engine_options));
  Measured measured;
  measured.open_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_of_opening).count();
  const auto bytes_at_opening = engine->written_bytes();
  DGFS_TRY(phases, run_task(*engine, keys, options.task));
  measured.phases = std::move(phases);
  const auto begin = std::chrono::steady_clock::now();
  DGFS_CHECK(engine->settle());
  if (const auto bytes = engine->written_bytes())
    measured.engine_bytes = *bytes - *bytes_at_opening;
  engine.reset();
  sync_file_system(directory);
  measured.settle_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return measured;
}

std::string number_json(std::optional<std::uint64_t> number) {
  return number ? std::to_string(*number) : "null";
}

std::string phase_json(const Phase& phase) {
  return fmt::format(R"({{"name":"{}","operations":{},"given_bytes":{},"seconds":{:.6f},)"
                     R"("processor_seconds":{:.6f},"calls":{},"syncs":{}}})",
                     phase.name, phase.operations, phase.given_bytes, phase.seconds,
                     phase.processor_seconds, phase.calls.to_json(), phase.syncs.to_json());
}

void print(const Measured& measured, const WrittenBytes& before, const WrittenBytes& after) {
  std::string phases;
  for (const Phase& phase : measured.phases) {
    phases += (phases.empty() ? "" : ",") + phase_json(phase);
  }
  std::optional<std::uint64_t> device_bytes;
  if (before.device && after.device) device_bytes = *after.device - *before.device;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"phases\":[{}],\"open_seconds\":{:.6f},\"settle_seconds\":{:.6f},\"engine_bytes\":{},"
      "\"process_bytes\":{},"
      "\"device_bytes\":{},\"memory_bytes_peak\":{}}}\n",
      phases, measured.open_seconds, measured.settle_seconds, number_json(measured.engine_bytes),
      after.process - before.process, number_json(device_bytes),
      static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
}

// A new engine makes its files first, outside of the measured task.
Status make_files(const Options& options) {
  if (mkdir(options.engine_options.directory.c_str(), 0777) != 0) return ok();
  DGFS_TRY(engine, open_engine(options.engine, options.engine_options));
  engine.reset();
  sync_file_system(options.engine_options.directory);
  return ok();
}

int run(const Options& options) {
  const std::string& directory = options.engine_options.directory;
  auto made = make_files(options);
  const auto before = written_bytes(directory);
  auto measured = made ? measure(options) : Result<Measured>(std::move(made).error());
  if (!measured) {
    fmt::print(stderr, "dgfs_store_bench: {} {}: {}\n", options.engine, options.task.name,
               measured.error().message());
    return 1;
  }
  print(measured.value(), before, written_bytes(directory));
  return 0;
}

void add_options(CLI::App& app, Options& options) {
  TaskOptions& task = options.task;
  app.add_option("ENGINE", options.engine)->required();
  app.add_option("TASK", task.name)->required();
  app.add_option("DIRECTORY", options.engine_options.directory)->required();
  app.add_option("--keys", options.keys)->check(CLI::Range(2, 1'000'000'000));
  app.add_option("--value", options.value_bytes, "bytes")->check(CLI::Range(16, 1 << 20));
  app.add_option("--operations", task.operations)->check(CLI::PositiveNumber);
  app.add_option("--span", task.span, "keys of a scan or range")->check(CLI::PositiveNumber);
  app.add_option("--reads-after", task.reads_after, "range deletes");
  app.add_option("--seed", task.seed);
  app.add_option("--batch", task.batch, "operations of a write call");
  app.add_option("--sync-operations", task.sync_operations, "at most, between syncs");
  app.add_option("--sync-bytes", task.sync_bytes, "at most, between syncs");
  app.add_option("--cache", options.cache_mebibytes, "MiB");
  app.add_option("--table", options.table_mebibytes, "MiB");
  app.add_option("--memory", options.memory_mebibytes,
                 "MiB of all, of an engine that divides it itself");
  app.add_flag("--map-written", options.engine_options.is_map_written, "LMDB: MDB_WRITEMAP");
}

void complete(Options& options) {
  EngineOptions& engine = options.engine_options;
  engine.cache_bytes = options.cache_mebibytes << 20;
  engine.table_bytes = options.table_mebibytes << 20;
  engine.memory_bytes = options.memory_mebibytes << 20;
  engine.keys = options.keys;
  engine.data_bytes = options.keys * (kKeyDigits + options.value_bytes);
  engine.is_sequential = options.task.name == "insert-sequential";
  engine.has_long_scans = options.task.name == "scan" && options.task.span >= 1000;
  options.task.span = std::min(options.task.span, options.keys - 1);
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) {
  dgfs::bench::Options options;
  CLI::App app("One task with one engine", "dgfs_store_bench");
  app.set_version_flag("--engines", dgfs::bench::engine_names());
  dgfs::bench::add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  dgfs::bench::complete(options);
  return dgfs::bench::run(options);
}
