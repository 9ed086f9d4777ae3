// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/hundred_million/build_task.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <memory>

#include "bench/hundred_million/generated_env.h"
#include "bench/hundred_million/written_tree.h"
#include "bench/hundred_million/zero_contents.h"
#include "builder/image_builder.h"
#include "storage/memory/env.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

// Stands for the tree; no directory of this name is opened.
constexpr const char* kSource = "(generated)";

Result<builder::BuildReport> build_in(storage::Env& env, const builder::BuildOptions& options) {
  return builder::ImageBuilder(env, options, {}, [] { return std::make_unique<ZeroContents>(); })
      .run();
}

Result<Buffer> read_file(storage::Env& env, const std::string& path) {
  DGFS_TRY(file, env.open(path));
  DGFS_TRY(size, file->size());
  Buffer bytes(static_cast<std::size_t>(size));
  DGFS_CHECK(storage::read_exactly(*file, 0, bytes));
  return bytes;
}

}  // namespace

Result<BuildResult> build_generated(const TreePlan& plan, const std::string& image_path,
                                    unsigned jobs) {
  const GeneratedTree tree(plan);
  const auto posix = storage::make_posix_env();
  GeneratedEnv env(*posix, tree, kSource);
  BuildResult result;
  const auto begin_ns = env.monotonic_ns();
  builder::BuildOptions options;
  options.dedup = false;
  options.jobs = jobs;
  options.source = kSource;
  options.image_path = image_path;
  options.progress = [&](const builder::Progress& progress) {
    if (progress.phase == builder::Phase::kScanning) {
      result.scan_seconds = static_cast<double>(env.monotonic_ns() - begin_ns) / 1e9;
    }
    fmt::print(stderr, "\rphase {}, {} entries ", static_cast<int>(progress.phase),
               progress.entries);
  };
  DGFS_TRY(report, build_in(env, options));
  fmt::print(stderr, "\n");
  // The index is written once to its own file and once behind the contents.
  result.temporary_bytes = env.written_bytes() - 2 * report.index_bytes;
  result.report = std::move(report);
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  result.memory_bytes_peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return result;
}

Result<bool> is_index_as_of_real_files(std::uint64_t seed, bool nanoseconds) {
  const GeneratedTree tree({seed, 3, 7, nanoseconds});
  const auto memory = storage::make_memory_env(seed);
  DGFS_CHECK(write_tree(tree, *memory, "/real", zero_contents()));
  builder::BuildOptions options;
  options.token_entries_min = 1;
  options.dedup = false;  // the zeros would all be shared, but they stand for different contents
  options.source = "/real";
  options.image_path = "/real.dgfs";
  DGFS_CHECK(builder::build(*memory, options));
  GeneratedEnv env(*memory, tree, kSource);
  options.source = kSource;
  options.image_path = "/generated.dgfs";
  DGFS_CHECK(build_in(env, options));
  DGFS_TRY(real, read_file(*memory, "/real.dgfs.idx"));
  DGFS_TRY(generated, read_file(*memory, "/generated.dgfs.idx"));
  return real == generated;
}

}  // namespace dgfs::bench
