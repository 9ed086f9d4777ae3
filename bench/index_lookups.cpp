// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_index_lookups: opens an index of any image and looks up names in it, timed: a measured part
// of bench/merge, which compares the index of a merge with a fresh one.
//
//   dgfs_index_lookups INDEX --seed N [--lookups N] [--opens N]
//
// Names are drawn by their position in a walk, so that indexes with the same names are asked for
// the same ones, in the same order. Opening is cold (nothing of the index in the page cache) and
// warm, in turns. Lookups have the index in the page cache, and a cache of pages that keeps nothing
// (each lookup opens its page), or of the default size. Prints one JSON object.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/cached_file.h"
#include "reader/image.h"
#include "storage/mix.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

using Clock = std::chrono::steady_clock;
using ImagePointer = std::unique_ptr<const reader::Image>;

struct Options {
  std::string index_path;
  std::uint64_t seed = 0;
  std::size_t lookups = 100'000;
  std::size_t opens = 5;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class IndexLookups {
 public:
  explicit IndexLookups(const Options& options)
      : options_(options), posix_(storage::make_posix_env()), file_(options.index_path) {}

  Status run() {
    DGFS_CHECK(time_opens());
    DGFS_CHECK(draw());
    file_.load();
    DGFS_TRY(unkept, lookups_per_second(0));
    DGFS_TRY(kept, lookups_per_second(reader::OpenOptions().page_cache_bytes));
    fmt::print(R"({{"entries": {}, "open_cold_ms": [{:.3f}], "open_warm_ms": [{:.3f}], )"
               R"("unkept_per_second": {:.0f}, "default_per_second": {:.0f}}})"
               "\n",
               entries_, fmt::join(open_cold_ms_, ", "), fmt::join(open_warm_ms_, ", "), unkept,
               kept);
    return ok();
  }

 private:
  Result<ImagePointer> open(std::size_t page_cache_bytes) {
    reader::OpenOptions options;
    options.page_cache_bytes = page_cache_bytes;
    return reader::Image::open(*posix_, options_.index_path, options);
  }

  Status time_opens() {
    for (std::size_t i = 0; i < options_.opens; ++i) {
      for (auto* const times : {&open_cold_ms_, &open_warm_ms_}) {
        if (times == &open_cold_ms_) file_.drop();
        const auto begin = Clock::now();
        DGFS_TRY(image, open(0));
        times->push_back(seconds_since(begin) * 1e3);
        entries_ = image->superblock().namespace_entries;
      }
    }
    return ok();
  }

  // A name may be drawn twice, but is looked up only once in a round.
  Status draw() {
    DGFS_TRY(image, open(0));
    std::vector<std::uint64_t> chosen(options_.lookups);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      chosen[i] = storage::mix(options_.seed, i) % entries_;
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    paths_.reserve(chosen.size());
    std::uint64_t position = 0;
    auto next = chosen.begin();
    DGFS_CHECK(image->walk("", [&](std::string_view path, const reader::Node&) {
      if (position++ == *next) {
        paths_.emplace_back(path);
        ++next;
      }
      return next != chosen.end();
    }));
    for (std::size_t i = paths_.size(); i > 1; --i) {
      std::swap(paths_[i - 1], paths_[storage::mix(~options_.seed, i) % i]);
    }
    return ok();
  }

  Result<double> lookups_per_second(std::size_t page_cache_bytes) {
    DGFS_TRY(image, open(page_cache_bytes));
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < options_.lookups; ++i) {
      DGFS_TRY(node, image->lookup(paths_[i % paths_.size()]));
      static_cast<void>(node);
    }
    return static_cast<double>(options_.lookups) / seconds_since(begin);
  }

  Options options_;
  std::unique_ptr<storage::Env> posix_;
  CachedFile file_;
  std::vector<std::string> paths_;
  std::vector<double> open_cold_ms_;
  std::vector<double> open_warm_ms_;
  std::uint64_t entries_ = 0;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Opening an index, and lookups in it", "dgfs_index_lookups");
  app.add_option("INDEX", options.index_path)->required()->check(CLI::ExistingFile);
  app.add_option("--seed", options.seed, "which names")->required();
  app.add_option("--lookups", options.lookups)->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--opens", options.opens, "how often to open it, cold and warm")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const auto status = IndexLookups(options).run();
  if (!status) fmt::print(stderr, "{}\n", status.assume_error().message());
  return status ? 0 : 1;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
