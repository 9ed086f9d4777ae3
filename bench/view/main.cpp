// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_view_bench TARGET TASK DIRECTORY: runs one task (bench/view/tasks.h) with one target, whose
// files are in the directory or will be made there, and prints the cost as JSON.
//
//   TARGET  view, image: use DIRECTORY/base.dgfs; posix: use DIRECTORY/tree by system calls
//   TASK    tree: makes the files that the target needs; names, lookups, fill, spread, list-spread;
//           for contents: overwrite, stream, patch, read-patched, remove-long
//           one kind of call: overwrite-pages, read-in-order, read-at-random, append, set-xattr,
//           chmod
//
// `bench/view_operations` runs it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>

#include "bench/view/tasks.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

using Task = Status (*)(Target&, Meter&, const TaskOptions&);
constexpr std::pair<const char*, Task> kTasks[] = {{"names", change_names},
                                                   {"lookups", look_up},
                                                   {"fill", fill},
                                                   {"spread", spread},
                                                   {"list-spread", list_spread},
                                                   {"overwrite", overwrite},
                                                   {"stream", stream},
                                                   {"patch", patch},
                                                   {"read-patched", read_patched},
                                                   {"remove-long", remove_long},
                                                   {"overwrite-pages", overwrite_pages},
                                                   {"read-in-order", read_in_order},
                                                   {"read-at-random", read_at_random},
                                                   {"append", append},
                                                   {"set-xattr", set_xattrs},
                                                   {"chmod", change_modes}};

struct Options {
  TargetOptions target;
  TaskOptions task;
  std::string task_name;
  std::string statistics;
};

Status make(storage::Env& env, const Options& options) {
  const auto path = tree_path(options.target.directory);
  DGFS_CHECK(make_tree(options.task.tree, path));
  if (options.target.kind == "posix") return ok();
  return pack_tree(env, path, image_path(options.target.directory));
}

Result<std::unique_ptr<Target>> open_target(storage::Env& env, const TargetOptions& options) {
  if (options.kind == "posix") return open_posix(options);
  if (options.kind == "image") return open_image(env, options);
  return open_view(env, options);
}

void print(const std::vector<Row>& rows) {
  std::string texts;
  for (const auto& row : rows) texts += (texts.empty() ? "" : ",") + row.to_json();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{{\"rows\":[{}],\"memory_bytes_peak\":{}}}\n", texts,
             static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
}

Status run(const Options& options) {
  const auto posix = storage::make_posix_env();
  const auto env = storage::make_counting_env(*posix);
  if (options.task_name == "tree") return make(*env, options);
  DGFS_TRY(target, open_target(*env, options.target));
  DGFS_CHECK(target->settle());  // finishes earlier work, which the task must not pay for
  Meter meter(*env, *target, options.statistics);
  for (const auto& [name, task] : kTasks) {
    if (options.task_name != name) continue;
    DGFS_CHECK(task(*target, meter, options.task));
  }
  DGFS_CHECK(target->close());
  print(meter.rows());
  return ok();
}

void add_options(CLI::App& app, Options& options) {
  TargetOptions& target = options.target;
  TaskOptions& task = options.task;
  app.add_option("TARGET", target.kind)
      ->required()
      ->check(CLI::IsMember({"view", "image", "posix"}));
  app.add_option("TASK", options.task_name)
      ->required()
      ->check(
          CLI::IsMember({"tree", "names", "lookups", "fill", "spread", "list-spread", "overwrite",
                         "stream", "patch", "read-patched", "remove-long", "overwrite-pages",
                         "read-in-order", "read-at-random", "append", "set-xattr", "chmod"}));
  app.add_option("DIRECTORY", target.directory)->required()->check(CLI::ExistingDirectory);
  app.add_option("--delta", target.delta, "its directory's name in DIRECTORY");
  app.add_option("--numbers", target.numbers_of_directory, "that a directory gets at once")
      ->check(CLI::PositiveNumber);
  app.add_option("--reply", target.names_of_reply, "names of one, of a listing of a view")
      ->check(CLI::Range(3, 1'000'000));
  app.add_flag("--may-freeze", target.may_freeze, "the file system, to empty its journal");
  app.add_option("--below", target.below, "a mount: a directory of the file system below it")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--drop-pages", target.drops_pages, "before each measurement of remove-long");
  app.add_option("--statistics", options.statistics, "of the device: /sys/block/NAME/stat");
  app.add_option("--large", task.tree.large_files)->check(CLI::PositiveNumber);
  app.add_option("--small-directories", task.tree.small_directories)->check(CLI::Range(2, 65536));
  app.add_option("--small-files", task.tree.small_files)->check(CLI::PositiveNumber);
  app.add_option("--file-bytes", task.tree.file_bytes);
  app.add_option("--operations", task.operations)->check(CLI::Range(2, 100'000'000));
  app.add_option("--directory-renames", task.directory_renames)->check(CLI::PositiveNumber);
  app.add_option("--records", task.records, "of a full delta")->check(CLI::PositiveNumber);
  app.add_option("--spread-directories", task.spread_directories)->check(CLI::PositiveNumber);
  app.add_option("--spread-files", task.spread_files, "each")->check(CLI::PositiveNumber);
  app.add_option("--big-mib", task.tree.big_mib, "of the big file of the base");
  app.add_option("--overwrites", task.overwrites, "of each length")->check(CLI::PositiveNumber);
  app.add_option("--content-reads", task.content_reads)->check(CLI::PositiveNumber);
  app.add_option("--stream-mib", task.stream_mib)->check(CLI::PositiveNumber);
  app.add_option("--appends", task.appends)->check(CLI::PositiveNumber);
  app.add_option("--removed-mib", task.removed_mib)->check(CLI::PositiveNumber);
  app.add_option("--chunk-kib", target.chunk_kib, "of a new delta")->check(CLI::Range(1, 1024));
  app.add_option("--seed", task.seed);
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) {
  dgfs::bench::Options options;
  CLI::App app("One task with a view, an image or a file system", "dgfs_view_bench");
  dgfs::bench::add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  const auto done = dgfs::bench::run(options);
  if (done) return 0;
  fmt::print(stderr, "dgfs_view_bench: {} {}: {}\n", options.target.kind, options.task_name,
             done.error().message());
  return 1;
}
