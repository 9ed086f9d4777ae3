// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_value_stream DIRECTORY: how fast a store takes one long file, in chunks, from the first call
// to the sync that makes all of it durable, compared with the file system below.
//
//   file     one file: write(2) of --block bytes, fdatasync at the end, as `dd conv=fsync` does
//   put      the chunks, whole: one batch each
//   patches  the same bytes by calls of so many bytes each (--call): one batch per call, with
//            a patch for each chunk that it touches
//
// Rows are measured in turns, --runs times; a row has the median, the smallest and the largest, and
// the median of its ratios to the file of the same turn. Contents are random.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/store/processor_time.h"
#include "delta/store/store.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string directory;
  std::uint64_t mib = 4096;
  std::size_t chunk_bytes = std::size_t{64} << 10;
  std::size_t block_bytes = std::size_t{1} << 20;
  std::vector<std::size_t> calls_bytes{4096, 40960, std::size_t{1} << 20};
  int runs = 5;
};

struct Row {
  std::string name;
  std::size_t call_bytes = 0;  // length of patch calls; 0: the row has none
  std::vector<double> rates;   // MiB/s
  std::vector<double> ratios;  // to the file of the same turn
  double processors = 0;       // busy processors in the last turn
};

std::string random_bytes(std::size_t length) {
  std::mt19937_64 random(1);
  std::string bytes(length, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

// Each call takes different bytes from those before it.
class Contents {
 public:
  explicit Contents(std::size_t length) : bytes_(random_bytes(2 * length)), length_(length) {}
  [[nodiscard]] std::string_view next() {
    return std::string_view(bytes_).substr(number_++ * 509 % length_, length_);
  }

 private:
  std::string bytes_;
  std::size_t length_;
  std::size_t number_ = 0;
};

Error failed(const char* call) {
  return Error(ErrorKind::kIo, static_cast<std::uint16_t>(errno), call);
}

Status write_file(const Options& options, const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return failed("open");
  Contents contents(options.block_bytes);
  Status written = ok();
  const auto end = options.mib << 20;
  for (std::uint64_t at = 0; at < end && written; at += options.block_bytes) {
    const auto block = contents.next().substr(0, static_cast<std::size_t>(end - at));
    if (::write(file, block.data(), block.size()) != static_cast<ssize_t>(block.size())) {
      written = failed("write");
    }
  }
  if (written && ::fdatasync(file) != 0) written = failed("fdatasync");
  ::close(file);
  return written;
}

Status put_chunks(const Options& options, delta::Store& store) {
  Contents contents(options.chunk_bytes);
  for (std::uint64_t at = 0; at < options.mib << 20; at += options.chunk_bytes) {
    delta::Batch batch;
    batch.put(fmt::format("{:012}", at / options.chunk_bytes), std::string(contents.next()));
    DGFS_CHECK(store.apply(batch));
  }
  return store.sync();
}

Status patch_chunks(const Options& options, std::size_t call_bytes, delta::Store& store) {
  Contents contents(call_bytes);
  const auto end = options.mib << 20;
  for (std::uint64_t at = 0; at < end; at += call_bytes) {
    auto bytes = contents.next().substr(0, static_cast<std::size_t>(end - at));
    delta::Batch batch;
    for (std::uint64_t part_at = at; !bytes.empty();) {
      const auto within = static_cast<std::size_t>(part_at % options.chunk_bytes);
      const auto part = bytes.substr(0, options.chunk_bytes - within);
      batch.patch(fmt::format("{:012}", part_at / options.chunk_bytes), within, std::string(part));
      part_at += part.size();
      bytes.remove_prefix(part.size());
    }
    DGFS_CHECK(store.apply(batch));
  }
  return store.sync();
}

// The times of a row in one turn.
struct Taken {
  double seconds = 0;
  double processor_seconds = 0;
};

template <class Write>
Status timed(const Write& write, Taken& taken) {
  const auto processor_begin = processor_seconds();
  const auto begin = Clock::now();
  DGFS_CHECK(write());
  taken.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  taken.processor_seconds = processor_seconds() - processor_begin;
  return ok();
}

template <class Write>
Status write_store(const std::string& path, const Write& write, Taken& taken) {
  const auto env = storage::make_posix_env();
  delta::StoreOptions options;
  options.create = true;
  options.level = 0;
  options.in_background = true;
  DGFS_TRY(store, delta::Store::open(*env, path, options));
  DGFS_CHECK(store->start());
  DGFS_CHECK(timed([&] { return write(*store); }, taken));
  return store->close();
}

// Waits until earlier writes are on the disk and freed space is available.
void settle() { ::sync(); }

Status measure_turn(const Options& options, std::vector<Row>& rows) {
  const std::string path = options.directory + "/value-stream";
  for (std::size_t at = 0; at < rows.size(); ++at) {
    std::filesystem::remove_all(path);
    settle();
    Taken taken;
    if (at == 0) {
      DGFS_CHECK(timed([&] { return write_file(options, path); }, taken));
    } else if (at == 1) {
      const auto write = [&](delta::Store& store) { return put_chunks(options, store); };
      DGFS_CHECK(write_store(path, write, taken));
    } else {
      const auto write = [&](delta::Store& store) {
        return patch_chunks(options, rows[at].call_bytes, store);
      };
      DGFS_CHECK(write_store(path, write, taken));
    }
    rows[at].rates.push_back(static_cast<double>(options.mib) / taken.seconds);
    rows[at].ratios.push_back(rows[at].rates.back() / rows[0].rates.back());
    rows[at].processors = taken.processor_seconds / taken.seconds;
  }
  std::filesystem::remove_all(path);
  return ok();
}

double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("how fast a store takes a long file");
  app.add_option("directory", options.directory)->required()->check(CLI::ExistingDirectory);
  app.add_option("--mib", options.mib, "in each row");
  app.add_option("--chunk", options.chunk_bytes, "bytes");
  app.add_option("--block", options.block_bytes, "bytes of a write to the file");
  app.add_option("--call", options.calls_bytes, "bytes of the calls of patches");
  app.add_option("--runs", options.runs);
  CLI11_PARSE(app, argc, argv);
  std::vector<Row> rows(2);
  rows[0].name = "file";
  rows[1].name = "put";
  for (const auto bytes : options.calls_bytes) {
    rows.emplace_back();
    rows.back().name = fmt::format("patches, {} KiB", bytes >> 10);
    rows.back().call_bytes = bytes;
  }
  for (int turn = 0; turn < options.runs; ++turn) {
    if (auto measured = measure_turn(options, rows); !measured) {
      fmt::print(stderr, "dgfs_value_stream: {}\n", measured.error().message());
      return 1;
    }
  }
  fmt::print("{:<20}{:>10}{:>22}{:>10}{:>14}\n", "", "MiB/s", "", "ratio", "processors");
  for (const Row& row : rows) {
    fmt::print(
        "{:<20}{:>10.0f}{:>22}{:>10.2f}{:>14.2f}\n", row.name, median(row.rates),
        fmt::format("[{:.0f}, {:.0f}]", std::ranges::min(row.rates), std::ranges::max(row.rates)),
        median(row.ratios), row.processors);
  }
  return 0;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
