// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_content_table SCRATCH: cost of the deduplication table for very many files: adds contents,
// some of them copies, then prints time, memory and whether the table became a file, as JSON.
//   --contents 100000000
//   --copies 30              percentage of contents that are copies of earlier ones
//   --memory 32              MiB for the table; the rest becomes a file in SCRATCH
//   --seed 7
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <random>

#include "builder/pack/content_table.h"
#include "storage/mix.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

struct Options {
  std::string scratch;
  std::uint64_t contents = 100'000'000;
  unsigned copies_percent = 30;
  std::size_t memory_mebibytes = 32;
  std::uint64_t seed = 7;
};

builder::Fingerprint fingerprint_of(std::uint64_t content, std::uint64_t seed) {
  return {storage::mix(seed, content), storage::mix(~seed, content)};
}

Result<std::uint64_t> fill(const Options& options, builder::ContentTable& table) {
  std::mt19937_64 random(options.seed);
  std::uint64_t distinct = 0;
  for (std::uint64_t i = 0; i < options.contents; ++i) {
    const bool is_copy = distinct > 0 && random() % 100 < options.copies_percent;
    const auto content = is_copy ? random() % distinct : distinct;
    const auto fingerprint = fingerprint_of(content, options.seed);
    DGFS_TRY(found, table.find(fingerprint));
    if (found.has_value() != is_copy || (is_copy && found->at_bytes != content * 4096)) {
      return Error(ErrorKind::kCorrupt, 9005,
                   fmt::format("content {} is not where it was put", content));
    }
    if (is_copy) continue;
    DGFS_CHECK(table.add(fingerprint, {content * 4096, 4096, format::ExtentCodec::kRaw, 0}));
    ++distinct;
  }
  return distinct;
}

int run(const Options& options) {
  const auto env = storage::make_posix_env();
  const auto begin = std::chrono::steady_clock::now();
  builder::ContentTable table({env.get(), options.scratch}, options.contents,
                              options.memory_mebibytes << 20);
  const auto distinct = fill(options, table);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!distinct) {
    fmt::print(stderr, "dgfs_content_table: {}\n", distinct.error().message());
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"contents\":{},\"distinct\":{},\"in_file\":{},\"seconds\":{:.1f},"
      "\"microseconds_each\":{:.3f},\"memory_bytes_peak\":{}}}\n",
      options.contents, distinct.value(), table.is_in_file(), elapsed.count(),
      elapsed.count() * 1e6 / static_cast<double>(options.contents),
      static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
  return 0;
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) {
  dgfs::bench::Options options;
  CLI::App app("What deduplication's table costs", "dgfs_content_table");
  app.add_option("SCRATCH", options.scratch)->required();
  app.add_option("--contents", options.contents);
  app.add_option("--copies", options.copies_percent)->check(CLI::Range(0, 99));
  app.add_option("--memory", options.memory_mebibytes, "MiB");
  app.add_option("--seed", options.seed);
  CLI11_PARSE(app, argc, argv);
  return dgfs::bench::run(options);
}
