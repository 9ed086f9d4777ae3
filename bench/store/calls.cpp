// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_store_calls DIRECTORY: cost of single store calls that a mount makes all the time.
//
//   sync      makes one small batch durable by its number, in turns with a write of 4 KiB and
//             fdatasync in a file with allocated blocks: the minimum work of any log
//   snapshot  taken of a table with few and many keys, alone and while it is being filled
//   listing   lists a directory's names by a cursor with bounds, alone and beside a writer
//   opening   after close() and after an end without it, with little and much in the log
//
// Each is measured --runs times; a row has the median of the runs, the smallest and the largest.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "delta/store/run/object_key.h"
#include "delta/store/store.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string directory;
  std::string only;
  int runs = 5;
  std::uint64_t syncs = 500;       ///< of each kind, per run
  std::uint64_t snapshots = 2000;  ///< per run
  std::uint64_t names = 1000;      ///< in a directory
  std::uint64_t directories = 1000;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::uint64_t resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  statistics >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The median of the runs, and their range.
std::string cells(const std::vector<double>& runs, const char* unit) {
  const auto [least, most] = std::ranges::minmax(runs);
  return fmt::format("{:10.2f} {} [{:.2f}, {:.2f}]", median(runs), unit, least, most);
}

void print_row(const std::string& name, const std::vector<double>& runs, const char* unit,
               const std::string& more = "") {
  fmt::print("{:<44} {}  {}\n", name, cells(runs, unit), more);
  std::fflush(stdout);
}

// A directory for the files of one step; removed at its end.
class Scratch {
 public:
  explicit Scratch(const Options& options) : path_(options.directory + "/store-calls") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<std::unique_ptr<delta::Store>> open_store(storage::Env& env, const std::string& path,
                                                 bool in_background) {
  delta::StoreOptions options;
  options.create = true;
  options.in_background = in_background;
  options.level = 0;
  DGFS_TRY(store, delta::Store::open(env, path, options));
  DGFS_CHECK(store->start());
  return store;
}

std::string name_key(std::uint64_t directory, std::uint64_t name) {
  return delta::object_key('d', directory, fmt::format("name-{:08}", name));
}

delta::Batch batch_of(std::uint64_t number) {
  delta::Batch batch;
  batch.put(name_key(number * 7919 % 1000, number), std::string(40, 'v'));
  return batch;
}

Status put_names(delta::Store& store, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    DGFS_CHECK(store.apply(batch_of(i)));
  }
  return ok();
}

// A file as long as a segment of the log, with all blocks allocated.
class Floor {
 public:
  explicit Floor(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666)), page_(4096, 'x') {
    const std::string piece(std::size_t{1} << 20, '\0');
    for (int i = 0; i < 64; ++i) static_cast<void>(!write(fd_, piece.data(), piece.size()));
    fsync(fd_);
  }
  ~Floor() { close(fd_); }
  Floor(const Floor&) = delete;
  Floor& operator=(const Floor&) = delete;

  bool sync() {
    const auto done = pwrite(fd_, page_.data(), page_.size(), at_);
    at_ = (at_ + 4096) % (off_t{64} << 20);
    return done == 4096 && fdatasync(fd_) == 0;
  }

 private:
  int fd_;
  std::string page_;
  off_t at_ = 0;
};

// Measures both in turns, so that they meet the same state of the disk.
Status measure_sync(const Options& options, storage::Env& env) {
  std::vector<double> floors;
  std::vector<double> stores;
  std::vector<double> ratios;
  for (int run = 0; run < options.runs; ++run) {
    const Scratch scratch(options);
    Floor floor(scratch.path() + "/floor");
    DGFS_TRY(store, open_store(env, scratch.path() + "/store", true));
    std::vector<double> floor_calls;
    std::vector<double> store_calls;
    for (std::uint64_t i = 0; i < options.syncs; ++i) {
      auto begin = Clock::now();
      if (!floor.sync()) return Error(ErrorKind::kIo, 9020, "the floor cannot be written");
      floor_calls.push_back(seconds_since(begin) * 1e6);
      const auto batch = batch_of(i);
      begin = Clock::now();
      DGFS_TRY(sequence, store->apply(batch));
      DGFS_CHECK(store->sync(sequence));
      store_calls.push_back(seconds_since(begin) * 1e6);
    }
    floors.push_back(median(floor_calls));
    stores.push_back(median(store_calls));
    ratios.push_back(stores.back() / floors.back());
  }
  print_row("sync: write and fdatasync of 4 KiB", floors, "us");
  print_row("sync: apply() and sync(sequence)", stores, "us");
  print_row("sync: ratio", ratios, "  ", fmt::format("n = {} each a run", options.syncs));
  return ok();
}

// Nanoseconds per call.
double snapshots_ns(delta::Store& store, std::uint64_t count) {
  const auto begin = Clock::now();
  for (std::uint64_t i = 0; i < count; ++i) static_cast<void>(store.snapshot("bench"));
  return seconds_since(begin) / static_cast<double>(count) * 1e9;
}

// Puts names as fast as it can until it is destroyed.
class Writer {
 public:
  Writer(delta::Store& store, std::uint64_t first)
      : thread_([this, &store, first] {
          for (std::uint64_t i = first; !is_ending_; ++i) {
            if (!store.apply(batch_of(i))) return;
            ++written_;
          }
        }) {}
  ~Writer() {
    is_ending_ = true;
    thread_.join();
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  std::atomic<bool> is_ending_{false};
  std::atomic<std::uint64_t> written_{0};
  std::thread thread_;  // last member, because it uses the others
};

Status measure_snapshot(const Options& options, storage::Env& env) {
  for (const std::uint64_t keys : {0, 1000, 100'000}) {
    std::vector<double> alone;
    std::vector<double> beside;
    std::vector<double> memory;
    for (int run = 0; run < options.runs; ++run) {
      const Scratch scratch(options);
      DGFS_TRY(store, open_store(env, scratch.path() + "/store", false));
      DGFS_CHECK(put_names(*store, 0, keys));
      alone.push_back(snapshots_ns(*store, options.snapshots));
      const auto before = resident_bytes();
      std::vector<delta::Snapshot> held;
      for (int i = 0; i < 1000; ++i) held.push_back(store->snapshot("bench"));
      memory.push_back(static_cast<double>(resident_bytes() - std::min(before, resident_bytes())) /
                       1000);
      const Writer writer(*store, keys);
      beside.push_back(snapshots_ns(*store, options.snapshots));
    }
    print_row(fmt::format("snapshot: table of {} keys", keys), alone, "ns",
              fmt::format("{:.0f} B of memory each", median(memory)));
    print_row(fmt::format("snapshot: the same beside a writer", keys), beside, "ns",
              fmt::format("n = {} a run", options.snapshots));
  }
  return ok();
}

// Nanoseconds per name.
Result<double> listing_ns(delta::Store& store, const Options& options, std::uint64_t listings) {
  std::uint64_t seen = 0;
  const auto begin = Clock::now();
  for (std::uint64_t i = 0; i < listings; ++i) {
    auto cursor = store.message_cursor(
        delta::prefix_range(delta::object_key('d', i * 7 % options.directories)));
    DGFS_CHECK(cursor.seek(""));
    while (cursor.is_at_place()) {
      ++seen;
      DGFS_CHECK(cursor.next());
    }
  }
  return seconds_since(begin) / static_cast<double>(std::max<std::uint64_t>(seen, 1)) * 1e9;
}

Status measure_listing(const Options& options, storage::Env& env) {
  std::vector<double> alone;
  std::vector<double> beside;
  std::vector<double> frozen;
  std::vector<double> rates;
  for (int run = 0; run < options.runs; ++run) {
    const Scratch scratch(options);
    DGFS_TRY(store, open_store(env, scratch.path() + "/store", true));
    DGFS_CHECK(put_names(*store, 0, options.names * options.directories));
    DGFS_CHECK(store->checkpoint());
    DGFS_CHECK(put_names(*store, 0, options.names * options.directories / 10));
    DGFS_TRY(quiet, listing_ns(*store, options, 300));
    alone.push_back(quiet);
    const auto tables = store->counters().tables;
    const Writer writer(*store, options.names * options.directories);
    const auto begin = Clock::now();
    DGFS_TRY(busy, listing_ns(*store, options, 300));
    rates.push_back(static_cast<double>(writer.written()) / seconds_since(begin));
    frozen.push_back(static_cast<double>(store->counters().tables - tables));
    beside.push_back(busy);
  }
  print_row("listing: a name", alone, "ns",
            fmt::format("{} directories of {} names", options.directories, options.names));
  print_row("listing: a name, beside a writer", beside, "ns",
            fmt::format("{:.0f} batches/s written, {:.0f} tables frozen for the log and the tree",
                        median(rates), median(frozen)));
  return ok();
}

Status measure_opening_of(const Options& options, storage::Env& env, std::uint64_t logged,
                          bool closes) {
  std::vector<double> times;
  std::vector<double> memory;
  for (int run = 0; run < options.runs; ++run) {
    const Scratch scratch(options);
    const auto path = scratch.path() + "/store";
    {
      DGFS_TRY(store, open_store(env, path, false));
      DGFS_CHECK(put_names(*store, 0, options.names * options.directories));
      DGFS_CHECK(store->checkpoint());
      DGFS_CHECK(put_names(*store, 0, logged));
      DGFS_CHECK(store->sync());
      if (closes) {
        DGFS_CHECK(store->close());
      }
    }
    const auto before = resident_bytes();
    const auto begin = Clock::now();
    DGFS_TRY(store, open_store(env, path, false));
    times.push_back(seconds_since(begin) * 1e3);
    memory.push_back(static_cast<double>(resident_bytes() - std::min(before, resident_bytes())) /
                     (1 << 20));
  }
  print_row(fmt::format("opening: {}, {} batches logged", closes ? "closed" : "not closed", logged),
            times, "ms", fmt::format("{:.1f} MiB more memory", median(memory)));
  return ok();
}

Status measure_opening(const Options& options, storage::Env& env) {
  DGFS_CHECK(measure_opening_of(options, env, 1000, true));
  for (const std::uint64_t logged : {0, 1000, 100'000}) {
    DGFS_CHECK(measure_opening_of(options, env, logged, false));
  }
  return ok();
}

Status measure(const Options& options) {
  const auto env = storage::make_posix_env();
  using Task = Status (*)(const Options&, storage::Env&);
  const std::pair<const char*, Task> tasks[] = {{"sync", measure_sync},
                                                {"snapshot", measure_snapshot},
                                                {"listing", measure_listing},
                                                {"opening", measure_opening}};
  for (const auto& [name, task] : tasks) {
    if (!options.only.empty() && options.only != name) continue;
    DGFS_CHECK(task(options, *env));
  }
  return ok();
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) {
  dgfs::bench::Options options;
  CLI::App app("What single calls of the store cost", "dgfs_store_calls");
  app.add_option("DIRECTORY", options.directory)->required()->check(CLI::ExistingDirectory);
  app.add_option("--only", options.only)
      ->check(CLI::IsMember({"sync", "snapshot", "listing", "opening"}));
  app.add_option("--runs", options.runs)->check(CLI::PositiveNumber);
  app.add_option("--syncs", options.syncs, "of a run")->check(CLI::PositiveNumber);
  app.add_option("--snapshots", options.snapshots, "of a run")->check(CLI::PositiveNumber);
  app.add_option("--names", options.names, "of a directory")->check(CLI::PositiveNumber);
  app.add_option("--directories", options.directories)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  fmt::print("{} runs; median [least, most]\n", options.runs);
  const auto done = dgfs::bench::measure(options);
  if (done) return 0;
  fmt::print(stderr, "dgfs_store_calls: {}\n", done.error().message());
  return 1;
}
