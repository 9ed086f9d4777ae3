// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What is done with a target, step by step.
#pragma once

#include <cstdint>
#include <string>

#include "bench/view/base_tree.h"
#include "bench/view/meter.h"

namespace dgfs::bench {

/// A value.
struct TaskOptions {
  BaseTree tree;
  std::uint64_t operations = 100'000;  ///< of a kind, at most
  std::uint64_t directory_renames = 1'000;
  std::uint64_t records = 1'000'000;  ///< of a full delta
  std::uint64_t spread_directories = 1'000;
  std::uint64_t spread_files = 100;   ///< of each of these
  std::uint64_t overwrites = 10'000;  ///< of each length
  std::uint64_t content_reads = 10'000;
  std::uint64_t stream_mib = 1024;
  std::uint64_t removed_mib = 256;  ///< of the longest file that is removed
  std::uint64_t seed = 1;
};

/// Operations of one kind, a row each, first of what is new and then of the base.
[[nodiscard]] Status change_names(Target& target, Meter& meter, const TaskOptions& options);
/// Lookups of base names: they are not touched, but a full delta has touched half of the
/// directories. Warm.
[[nodiscard]] Status look_up(Target& target, Meter& meter, const TaskOptions& options);
/// A delta of so many records: files in half of the small directories, and in new ones.
[[nodiscard]] Status fill(Target& target, Meter& meter, const TaskOptions& options);
/// Files in many directories, in turns.
[[nodiscard]] Status spread(Target& target, Meter& meter, const TaskOptions& options);
/// Lists what spread() has made, once.
[[nodiscard]] Status list_spread(Target& target, Meter& meter, const TaskOptions& options);

/// Random overwrites of the big file of the base.
[[nodiscard]] Status overwrite(Target& target, Meter& meter, const TaskOptions& options);
/// Sequential writes of new files, by calls of three lengths.
[[nodiscard]] Status stream(Target& target, Meter& meter, const TaskOptions& options);
/// Patches more and more chunks of the parts of the big file.
[[nodiscard]] Status patch(Target& target, Meter& meter, const TaskOptions& options);
/// Reads those parts.
[[nodiscard]] Status read_patched(Target& target, Meter& meter, const TaskOptions& options);
/// Files of several lengths, which lose their only name.
[[nodiscard]] Status remove_long(Target& target, Meter& meter, const TaskOptions& options);

}  // namespace dgfs::bench
