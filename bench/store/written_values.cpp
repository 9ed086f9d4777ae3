// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_written_values DIRECTORY: bytes that a store writes per byte of a file in chunks of 64 KiB,
// counted at the storage, and the reads of a reader of the whole file afterwards.
//
//   sequential  writes the file once, in order, by calls of one length
//   random      writes pieces of one length at its multiples, in random order, over a layer below:
//               on average each place once in four calls
//
// Each row is a bound of pieces: longer ones are stored as large values. Bytes are counted, and
// each row is measured once; results differ a little between runs, with how much is half written
// when a thread logs it. The store is made before. The floor is 1 for written bytes, less for
// places that are written twice while both are in memory; for a reader it is one read per chunk.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "delta/store/store.h"
#include "storage/posix/env.h"
#include "storage/testing/counting_env.h"

namespace dgfs::bench {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{64} << 10;

struct Options {
  std::string directory;
  std::uint64_t sequential_mib = 1024;
  std::uint64_t random_mib = 256;
  std::vector<std::uint64_t> bounds = {2048, 4096, 8192, 16384};
  std::vector<std::uint64_t> calls = {4096, 40960, 1048576};
  std::vector<std::uint64_t> pieces = {4096, 8192, 16384, 49152};
};

std::string key_of(std::uint64_t chunk) { return fmt::format("chunk-{:010}", chunk); }

// The calls take their bytes from this text.
std::string random_bytes(std::size_t length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(length, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

Status write(delta::Store& store, std::uint64_t offset, std::string_view bytes) {
  delta::Batch batch;
  while (!bytes.empty()) {
    const auto within = offset % kChunkBytes;
    const auto length = std::min<std::uint64_t>(bytes.size(), kChunkBytes - within);
    batch.patch(key_of(offset / kChunkBytes), within, std::string(bytes.substr(0, length)));
    offset += length;
    bytes.remove_prefix(length);
  }
  DGFS_CHECK(store.apply(batch));
  return ok();
}

class Written {
 public:
  Written(const std::string& directory, std::uint64_t bound, bool has_layer_below)
      : path_(directory + "/written-values") {
    std::filesystem::remove_all(path_);
    options_.create = true;
    options_.in_background = true;
    options_.level = 0;  // no compression, because the calls' bytes resemble each other
    options_.parameters.inline_bytes = bound / 2;
    if (has_layer_below) options_.parameters.born_object = UINT64_MAX;
  }
  ~Written() {
    store_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;

  [[nodiscard]] Status open() {
    store_.reset();
    counting_ = storage::make_counting_env(*env_);
    DGFS_TRY(store, delta::Store::open(*counting_, path_, options_));
    store_ = std::move(store);
    counting_->reset();
    return store_->start();
  }
  [[nodiscard]] delta::Store& store() { return *store_; }
  [[nodiscard]] storage::IoCounts counts() const {
    storage::IoCounts all;
    for (const auto& [path, counts] : counting_->all()) {
      all.written_bytes += counts.written_bytes;
      all.reads += counts.reads;
      all.read_bytes += counts.read_bytes;
    }
    return all;
  }

 private:
  std::string path_;
  delta::StoreOptions options_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  std::unique_ptr<storage::CountingEnv> counting_;
  std::unique_ptr<delta::Store> store_;
};

// Prints a row: the bytes written, and the reads of a new process that reads all keys.
Status finish(Written& written, const char* name, std::uint64_t bound, std::uint64_t call_bytes,
              std::uint64_t bytes) {
  DGFS_CHECK(written.store().close());
  const auto written_bytes = written.counts().written_bytes;
  DGFS_CHECK(written.open());
  const auto before = written.counts();
  std::uint64_t chunks = 0;
  auto cursor = written.store().message_cursor();
  DGFS_CHECK(cursor.seek(""));
  for (; cursor.is_at_place(); ++chunks) {
    DGFS_CHECK(written.store().find(cursor.key()));
    DGFS_CHECK(cursor.next());
  }
  const auto after = written.counts();
  const auto share = [&](std::uint64_t of, std::uint64_t whole) {
    return static_cast<double>(of) / static_cast<double>(whole);
  };
  fmt::print("{:<12}{:>8}{:>10}{:>10}{:>12.3f}{:>14.2f}{:>14.0f}\n", name, bound, call_bytes,
             bytes >> 20, share(written_bytes, bytes), share(after.reads - before.reads, chunks),
             share(after.read_bytes - before.read_bytes, chunks));
  std::fflush(stdout);
  return ok();
}

Status write_in_order(const Options& options, std::uint64_t bound, std::uint64_t call_bytes) {
  Written written(options.directory, bound, false);
  DGFS_CHECK(written.open());
  const auto bytes = options.sequential_mib << 20;
  const auto data = random_bytes(2 * call_bytes, 1);
  for (std::uint64_t at = 0; at < bytes; at += call_bytes) {
    const auto length = std::min(call_bytes, bytes - at);
    DGFS_CHECK(write(written.store(), at,
                     std::string_view(data).substr(at / call_bytes % call_bytes, length)));
  }
  return finish(written, "sequential", bound, call_bytes, bytes);
}

Status write_at_random(const Options& options, std::uint64_t bound, std::uint64_t call_bytes) {
  Written written(options.directory, bound, true);
  DGFS_CHECK(written.open());
  const auto calls = (options.random_mib << 20) / call_bytes;
  const auto data = random_bytes(2 * call_bytes, 2);
  std::mt19937_64 random(3);
  for (std::uint64_t i = 0; i < calls; ++i) {
    const auto at = random() % (4 * calls) * call_bytes;
    DGFS_CHECK(
        write(written.store(), at, std::string_view(data).substr(i % call_bytes, call_bytes)));
  }
  return finish(written, "random", bound, call_bytes, calls * call_bytes);
}

Status measure(const Options& options) {
  fmt::print("{:<12}{:>8}{:>10}{:>10}{:>12}{:>14}{:>14}\n", "", "bound", "call", "MiB", "written",
             "reads/chunk", "bytes/chunk");
  for (const auto call_bytes : options.calls) {
    for (const auto bound : options.bounds) {
      DGFS_CHECK(write_in_order(options, bound, call_bytes));
    }
  }
  for (const auto call_bytes : options.pieces) {
    for (const auto bound : options.bounds) {
      DGFS_CHECK(write_at_random(options, bound, call_bytes));
    }
  }
  return ok();
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("bytes that a store writes for a byte of values");
  app.add_option("directory", options.directory)->required()->check(CLI::ExistingDirectory);
  app.add_option("--sequential-mib", options.sequential_mib, "in each row");
  app.add_option("--random-mib", options.random_mib, "in each row");
  app.add_option("--bounds", options.bounds, "bytes; longer pieces are large");
  app.add_option("--calls", options.calls, "bytes of a call, in order; none: 0");
  app.add_option("--pieces", options.pieces, "bytes of a call, at random");
  CLI11_PARSE(app, argc, argv);
  std::erase(options.calls, 0);
  std::erase(options.pieces, 0);
  if (auto measured = measure(options); !measured) {
    fmt::print(stderr, "dgfs_written_values: {}\n", measured.error().message());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
