// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_store_opening DIRECTORY: cost of opening a store that was closed: reads and bytes of its
// files, counted at the storage, and time with none of them in the page cache.
//
//   --gib 1,5,20           data in values of --value bytes, random, with keys in random order
//   --synthetic-gib 1024   two files of blocks of this length, with --stretches free ones in each,
//                          and the filter of --objects: writing a real tree would take too long
//   --runs 5               a cell has their median, the smallest and the largest
//
// Each store is opened with the maps of its checkpoint, and for comparison without them, by a walk
// over the nodes of the tree.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/cached_file.h"
#include "delta/store/filter/filter_blocks.h"
#include "delta/store/store.h"
#include "delta/store/store_files.h"
#include "storage/forwarding_env.h"
#include "storage/posix/env.h"
#include "storage/testing/counting_env.h"

namespace dgfs::bench {
namespace {

using Mode = storage::OpenOptions::Mode;

struct Options {
  std::string directory;
  std::vector<std::uint64_t> gib = {1, 5, 20};
  std::uint64_t value_bytes = std::uint64_t{64} << 10;
  std::uint64_t synthetic_gib = 1024;
  std::uint64_t stretches = 1'000'000;
  std::uint64_t objects = 100'000'000;
  int runs = 5;
};

struct Opened {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::vector<double> milliseconds;
};

// Allocates no space ahead: synthetic files are longer than the disk.
class SparseFile : public storage::ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  Status preallocate(std::uint64_t /*begin_bytes*/, std::uint64_t /*end_bytes*/) override {
    return ok();
  }
};

class SparseEnv : public storage::ForwardingEnv {
 public:
  using EnvForwarder::EnvForwarder;
  using EnvForwarder::open;
  Result<std::unique_ptr<storage::File>> open(const std::string& path,
                                              storage::OpenOptions options) override {
    DGFS_TRY(file, EnvForwarder::open(path, options));
    return std::make_unique<SparseFile>(std::move(file));
  }
};

class MeasuredStore {
 public:
  explicit MeasuredStore(const std::string& directory) : path_(directory + "/store-opening") {
    std::filesystem::remove_all(path_);
    options_.create = true;
    options_.in_background = true;
  }
  ~MeasuredStore() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MeasuredStore(const MeasuredStore&) = delete;
  MeasuredStore& operator=(const MeasuredStore&) = delete;

  [[nodiscard]] Status fill(const Options& options, std::uint64_t gib);
  /// Replaces the store by a synthetic one. @param filter  the filter of its objects
  [[nodiscard]] Status make_up(const Options& options, delta::PrefixFilter& filter);
  [[nodiscard]] Status forget_maps();
  /// @param prepare  called before each opening
  [[nodiscard]] Result<Opened> open(int runs, const std::function<Status()>& prepare);

 private:
  [[nodiscard]] Status close_new();
  void drop_cached();

  std::string path_;
  delta::StoreOptions options_;
  std::unique_ptr<storage::Env> posix_ = storage::make_posix_env();
  SparseEnv sparse_{*posix_};
  storage::Env* env_ = posix_.get();
};

Status MeasuredStore::fill(const Options& options, std::uint64_t gib) {
  DGFS_TRY(store, delta::Store::open(*env_, path_, options_));
  DGFS_CHECK(store->start());
  std::mt19937_64 random(1);
  std::string value(options.value_bytes, '\0');
  for (char& c : value) c = static_cast<char>(random());
  for (std::uint64_t left = (gib << 30) / value.size(); left > 0; --left) {
    value[random() % value.size()] = static_cast<char>(random());
    delta::Batch batch;
    batch.put(fmt::format("{:016x}", random()), value);
    DGFS_CHECK(store->apply(batch));
  }
  return store->close();
}

Status MeasuredStore::close_new() {
  auto options = options_;
  options.parameters.born_object = UINT64_MAX;
  DGFS_TRY(store, delta::Store::open(*env_, path_, options));
  return store->close();
}

// The free stretches are invented: opening does not look at the blocks themselves.
Status MeasuredStore::make_up(const Options& options, delta::PrefixFilter& filter) {
  std::filesystem::remove_all(path_);
  env_ = &sparse_;
  DGFS_CHECK(close_new());
  DGFS_TRY(superblocks, env_->open(path_ + "/store", {Mode::kReadWrite}));
  DGFS_TRY(superblock, delta::read_superblock(*superblocks));
  DGFS_TRY(raw, env_->open(path_ + "/blocks", {Mode::kReadWrite}));
  DGFS_TRY(end_bytes, raw->size());
  delta::BlockFile blocks(std::move(raw));
  blocks.restore(delta::FreeSpace(delta::padded_bytes(end_bytes), {}));
  delta::FilterBlocks filter_blocks(blocks, filter);
  DGFS_CHECK(filter_blocks.write());
  superblock.filter = filter_blocks.place();

  const auto length_bytes = options.synthetic_gib << 30;
  const auto step = length_bytes / (options.stretches + 1) / 512 * 512;
  std::vector<delta::Extent> free;
  for (std::uint64_t at = step; free.size() < options.stretches; at += step) {
    free.push_back({at, step / 2 / 512 * 512});
  }
  Buffer map;
  delta::FreeSpace(length_bytes, free).encode(map);
  DGFS_TRY(of_values, blocks.write(map));
  // The map of blocks marks both maps as free, as a checkpoint does.
  const delta::Extent maps{of_values.offset_bytes,
                           2 * delta::padded_bytes(map.size()) + (std::uint64_t{1} << 20)};
  std::erase_if(free,
                [&](const delta::Extent& each) { return each.offset_bytes <= maps.end_bytes(); });
  free.insert(free.begin(), maps);
  map.clear();
  delta::FreeSpace(length_bytes, free).encode(map);
  DGFS_TRY(of_blocks, blocks.write(map));
  superblock.space = {of_blocks, of_values};
  for (const char* name : {"/blocks", "/extents"}) {
    std::filesystem::resize_file(path_ + name, length_bytes);
  }
  DGFS_CHECK(delta::write_superblock(*superblocks, superblock));
  return superblocks->sync();
}

Status MeasuredStore::forget_maps() {
  DGFS_TRY(superblocks, env_->open(path_ + "/store", {Mode::kReadWrite}));
  DGFS_TRY(superblock, delta::read_superblock(*superblocks));
  superblock.space = {};
  DGFS_CHECK(delta::write_superblock(*superblocks, superblock));
  return superblocks->sync();
}

void MeasuredStore::drop_cached() {
  for (const char* name : {"/store", "/blocks", "/extents", "/log.0", "/log.1"}) {
    CachedFile(path_ + name).drop();
  }
}

Result<Opened> MeasuredStore::open(int runs, const std::function<Status()>& prepare) {
  Opened opened;
  for (int run = 0; run < runs; ++run) {
    DGFS_CHECK(prepare());
    drop_cached();
    const auto counting = storage::make_counting_env(*env_);
    const auto begin = std::chrono::steady_clock::now();
    DGFS_TRY(store, delta::Store::open(*counting, path_, options_));
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    opened.milliseconds.push_back(time.count());
    opened.reads = 0;
    opened.read_bytes = 0;
    for (const auto& [path, counts] : counting->all()) {
      opened.reads += counts.reads;
      opened.read_bytes += counts.read_bytes;
    }
    DGFS_CHECK(store->close());
  }
  std::ranges::sort(opened.milliseconds);
  return opened;
}

void print_row(const std::string& name, const Opened& opened) {
  const auto& times = opened.milliseconds;
  fmt::print("{:<28}{:>10}{:>12.2f}{:>12.1f} [{:.1f}, {:.1f}]\n", name, opened.reads,
             static_cast<double>(opened.read_bytes) / 1e6, times[times.size() / 2], times.front(),
             times.back());
  std::fflush(stdout);
}

Status measure(const Options& options) {
  fmt::print("{:<28}{:>10}{:>12}{:>12}\n", "", "reads", "MB read", "ms");
  for (const auto gib : options.gib) {
    MeasuredStore store(options.directory);
    DGFS_CHECK(store.fill(options, gib));
    DGFS_TRY(with_maps, store.open(options.runs, [] { return ok(); }));
    print_row(fmt::format("{} GiB", gib), with_maps);
    DGFS_TRY(walked, store.open(options.runs, [&] { return store.forget_maps(); }));
    print_row(fmt::format("{} GiB, tree walked", gib), walked);
  }
  if (options.synthetic_gib == 0) return ok();
  MeasuredStore store(options.directory);
  delta::PrefixFilter filter(UINT64_MAX);
  for (std::uint64_t object = 0; object < options.objects; ++object) {
    filter.add(delta::ObjectPrefix{1, object});
  }
  DGFS_TRY(opened, store.open(options.runs, [&] { return store.make_up(options, filter); }));
  print_row(fmt::format("{} GiB, synthetic", options.synthetic_gib), opened);
  return ok();
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("what opening a store costs");
  app.add_option("directory", options.directory)->required()->check(CLI::ExistingDirectory);
  app.add_option("--gib", options.gib, "of values; none: 0");
  app.add_option("--value", options.value_bytes, "bytes");
  app.add_option("--synthetic-gib", options.synthetic_gib, "none: 0");
  app.add_option("--stretches", options.stretches, "free ones of each synthetic file");
  app.add_option("--objects", options.objects, "in the synthetic filter");
  app.add_option("--runs", options.runs);
  CLI11_PARSE(app, argc, argv);
  std::erase(options.gib, 0);
  if (auto measured = measure(options); !measured) {
    fmt::print(stderr, "dgfs_store_opening: {}\n", measured.error().message());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
