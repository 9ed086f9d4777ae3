// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_records file|store|floor DIRECTORY STATISTICS: one record file of the MDSFS traces. Appends
// its records first. Then writes records again at random: a run of random length, a gap of random
// length, again and again through the file. At the end reads and compares everything. Prints times,
// and the bytes written by the block device of STATISTICS (/sys/block/NAME/stat), as JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <random>

#include "bench/store/key_space.h"
#include "bench/store/paced_writer.h"
#include "bench/store/record_target.h"
#include "bench/store/written_bytes.h"

namespace dgfs::bench {
namespace {

struct Options {
  std::string target;
  std::string directory;
  std::string statistics;
  std::size_t record_bytes = 30;
  std::uint64_t records = 86'400;
  std::uint64_t writes = 864'000;  ///< random writes, after all records were appended
  std::uint64_t sync_records = 100;
  std::uint64_t run_max = 16;  ///< records in one consecutive run
  std::uint64_t gap_max = 0;   ///< records between runs; 0: a run begins anywhere in the file
  std::uint64_t seed = 1;
};

struct RecordPhase {
  double seconds = 0;               ///< until the last sync returned
  std::uint64_t synced_bytes = 0;   ///< written by the device by then
  std::uint64_t settled_bytes = 0;  ///< written by the device when everything was in its place
  Latencies syncs;
};

class RecordTask {
 public:
  RecordTask(RecordTarget& target, const Options& options)
      : target_(target),
        options_(options),
        contents_(options.records + options.writes, options.record_bytes, options.seed),
        newest_(options.records) {}

  Result<RecordPhase> append() {
    return in_phase([this](RecordPhase& phase) -> Status {
      for (std::uint64_t record = 0; record < options_.records; ++record) {
        DGFS_CHECK(write(record, phase));
      }
      return ok();
    });
  }

  Result<RecordPhase> rewrite() {
    return in_phase([this](RecordPhase& phase) -> Status {
      std::mt19937_64 random(options_.seed);
      const std::uint64_t gap_max = options_.gap_max > 0 ? options_.gap_max : options_.records;
      std::uint64_t record = 0;
      std::uint64_t run = 0;
      for (std::uint64_t i = 0; i < options_.writes; ++i, --run, ++record) {
        if (run == 0) {
          run = 1 + random() % options_.run_max;
          record += random() % gap_max;
        }
        DGFS_CHECK(write(record % options_.records, phase));
      }
      return ok();
    });
  }

  Status verify() {
    std::string found(options_.record_bytes, '\0');
    for (std::uint64_t record = 0; record < options_.records; ++record) {
      DGFS_CHECK(target_.read(record * options_.record_bytes, found));
      if (found != contents_.value(record, newest_[record])) {
        return Error(ErrorKind::kCorrupt, 9017, fmt::format("record {} is wrong", record));
      }
    }
    return ok();
  }

 private:
  template <class Work>
  Result<RecordPhase> in_phase(const Work& work) {
    RecordPhase phase;
    unsynced_ = 0;
    sync_file_system(options_.directory);
    const auto before = device_bytes();
    const auto begin = std::chrono::steady_clock::now();
    DGFS_CHECK(work(phase));
    DGFS_CHECK(timed(phase.syncs, [this] { return target_.sync(); }));
    phase.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    phase.synced_bytes = device_bytes() - before;
    DGFS_CHECK(target_.settle());
    sync_file_system(options_.directory);
    phase.settled_bytes = device_bytes() - before;
    return phase;
  }

  Status write(std::uint64_t record, RecordPhase& phase) {
    newest_[record] = ++written_;
    DGFS_CHECK(target_.write(record * options_.record_bytes, contents_.value(record, written_)));
    if (++unsynced_ < options_.sync_records) return ok();
    unsynced_ = 0;
    return timed(phase.syncs, [this] { return target_.sync(); });
  }

  [[nodiscard]] std::uint64_t device_bytes() const {
    return device_written_bytes(options_.statistics).value_or(0);
  }

  RecordTarget& target_;
  const Options& options_;
  KeySpace contents_;
  std::vector<std::uint64_t> newest_;  ///< for each record, the number of its last write
  std::uint64_t written_ = 0;
  std::uint64_t unsynced_ = 0;
};

std::string phase_json(const RecordPhase& phase) {
  return fmt::format(R"({{"seconds":{:.6f},"synced_bytes":{},"settled_bytes":{},"syncs":{}}})",
                     phase.seconds, phase.synced_bytes, phase.settled_bytes, phase.syncs.to_json());
}

Result<std::unique_ptr<RecordTarget>> make_target(const Options& options) {
  if (options.target == "store") return make_store_target(options.directory);
  if (options.target == "floor") return make_floor_target(options.directory);
  return make_file_target(options.directory);
}

Status measure(const Options& options) {
  DGFS_TRY(target, make_target(options));
  RecordTask task(*target, options);
  DGFS_TRY(appended, task.append());
  DGFS_TRY(rewritten, task.rewrite());
  DGFS_CHECK(task.verify());
  fmt::print("{{\"sequential\":{},\"random\":{}}}\n", phase_json(appended), phase_json(rewritten));
  return ok();
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) {
  dgfs::bench::Options options;
  CLI::App app("A record file, sequential and random, synced often", "dgfs_records");
  app.add_option("TARGET", options.target)
      ->required()
      ->check(CLI::IsMember({"file", "store", "floor"}));
  app.add_option("DIRECTORY", options.directory)->required();
  app.add_option("STATISTICS", options.statistics)->required();
  app.add_option("--record-bytes", options.record_bytes)->check(CLI::Range(8, 1 << 20));
  app.add_option("--records", options.records)->check(CLI::PositiveNumber);
  app.add_option("--writes", options.writes);
  app.add_option("--sync", options.sync_records, "records between syncs");
  app.add_option("--run", options.run_max, "records, at most")->check(CLI::PositiveNumber);
  app.add_option("--gap", options.gap_max, "records, at most; 0: as many as there are");
  app.add_option("--seed", options.seed);
  CLI11_PARSE(app, argc, argv);
  const auto done = dgfs::bench::measure(options);
  if (done) return 0;
  fmt::print(stderr, "dgfs_records: {}\n", done.error().message());
  return 1;
}
