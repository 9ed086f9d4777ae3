// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_hundred_million: the measured half of bench/hundred_million/run. Builds the image of a
// generated tree (100 directories of 100 directories of 100 directories of 100 files of 4 to
// 12 KiB, or fewer at the top), or looks up files in its index. Prints one JSON object. It also
// makes such a tree on disk, for bench/million_files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>

#include "bench/hundred_million/build_task.h"
#include "bench/hundred_million/lookup_task.h"
#include "bench/hundred_million/written_tree.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

struct Arguments {
  TreePlan tree;
  std::uint64_t files = 100'000'000;
  std::string image_path;
  unsigned jobs = 0;
  std::string tree_path;
  LookupPlan lookups;
};

int report(const Error& error) {
  fmt::print(stderr, "{}\n", error.message());
  return 1;
}

int build(const Arguments& arguments) {
  const auto same = is_index_as_of_real_files(arguments.tree.seed, arguments.tree.nanoseconds);
  if (!same) return report(same.assume_error());
  if (!same.assume_value()) {
    fmt::print(stderr, "THE INDEX IS NOT THE ONE THAT REAL FILES GIVE\n");
    return 1;
  }
  const auto built = build_generated(arguments.tree, arguments.image_path, arguments.jobs);
  if (!built) return report(built.assume_error());
  const auto& result = built.assume_value();
  fmt::print(
      R"({{"entries": {}, "files": {}, "content_bytes": {}, "index_bytes": {}, "pages": {}, )"
      R"("image_bytes": {}, "seconds": {:.3f}, "scan_seconds": {:.3f}, "temporary_bytes": {}, )"
      R"("memory_bytes_peak": {}}})"
      "\n",
      result.report.superblock.namespace_entries, result.report.superblock.regular_files,
      result.report.superblock.content_bytes, result.report.index_bytes, result.report.pages,
      result.report.image_bytes, static_cast<double>(result.report.elapsed_ns) / 1e9,
      result.scan_seconds, result.temporary_bytes, result.memory_bytes_peak);
  return 0;
}

int look_up(const Arguments& arguments) {
  const auto looked_up = look_up(arguments.tree, arguments.lookups);
  if (!looked_up) return report(looked_up.assume_error());
  const auto& result = looked_up.assume_value();
  fmt::print(R"({{"open_cold_ms": [{:.2f}], "open_warm_ms": [{:.2f}], "resident_bytes": {}, )"
             R"("cold_env_reads": {}, "cold_env_read_bytes": {}, "cold_device_reads": {}, )"
             R"("cold_device_read_bytes": {}, "warm_unkept_per_second": {:.0f}, )"
             R"("warm_default_per_second": {:.0f}, "warm_whole_per_second": {:.0f}, )"
             R"("wrong": {}, "cold_us": [{:.1f}]}})"
             "\n",
             fmt::join(result.open_cold_ms, ", "), fmt::join(result.open_warm_ms, ", "),
             result.resident_bytes, result.cold_env_reads, result.cold_env_read_bytes,
             result.cold_device_reads, result.cold_device_read_bytes, result.warm_unkept_per_second,
             result.warm_default_per_second, result.warm_whole_per_second, result.wrong,
             fmt::join(result.cold_us, ", "));
  if (result.wrong != 0) fmt::print(stderr, "{} WRONG ANSWERS\n", result.wrong);
  return result.wrong == 0 ? 0 : 1;
}

int write(const Arguments& arguments) {
  const auto posix = storage::make_posix_env();
  const auto written = write_tree(GeneratedTree(arguments.tree), *posix, arguments.tree_path,
                                  noise_contents(arguments.tree.seed));
  return written ? 0 : report(written.assume_error());
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("The index of a hundred million files: building it and looking up in it");
  app.require_subcommand(1);
  app.add_option("--files", arguments.files, "how many: a multiple of the cube of --fan-out")
      ->capture_default_str();
  app.add_option("--fan-out", arguments.tree.fan_out, "entries of each directory but the root")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  app.add_option("--seed", arguments.tree.seed, "names, sizes and times follow from it")
      ->required();
  app.add_flag("--nanoseconds", arguments.tree.nanoseconds,
               "times to the nanosecond, each file its own, instead of to the second");
  auto* const build_command = app.add_subcommand("build", "build IMAGE and its index");
  build_command->add_option("IMAGE", arguments.image_path)->required();
  build_command->add_option("--jobs", arguments.jobs,
                            "threads that read; 0: as many as dgfs build");
  auto* const lookup_command = app.add_subcommand("lookup", "open INDEX and look up files in it");
  auto& lookups = arguments.lookups;
  lookup_command->add_option("INDEX", lookups.index_path)->required()->check(CLI::ExistingFile);
  lookup_command->add_option("--lookup-seed", lookups.lookup_seed, "which files");
  lookup_command->add_option("--cold", lookups.cold_lookups, "lookups")->capture_default_str();
  lookup_command->add_option("--warm", lookups.warm_lookups, "lookups")->capture_default_str();
  lookup_command->add_option("--opens", lookups.opens, "how often to open it, cold and warm")
      ->capture_default_str();
  auto* const write_command =
      app.add_subcommand("write", "make the tree at DIR, with contents that cannot be compressed");
  write_command->add_option("DIR", arguments.tree_path)->required();
  CLI11_PARSE(app, argc, argv);
  const auto fan_out = arguments.tree.fan_out;
  arguments.tree.top_directories = arguments.files / (fan_out * fan_out * fan_out);
  if (arguments.tree.top_directories == 0) {
    fmt::print(stderr, "too few files for such a --fan-out\n");
    return 2;
  }
  if (*write_command) return write(arguments);
  return *build_command ? build(arguments) : look_up(arguments);
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) { return dgfs::bench::run(argc, argv); }
