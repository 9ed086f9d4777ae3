// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The tasks of a target.
#pragma once

#include <cstdint>
#include <string>

#include "bench/view/base_tree.h"
#include "bench/view/meter.h"

namespace dgfs::bench {

/// A value.
struct TaskOptions {
  BaseTree tree;
  std::uint64_t operations = 100'000;  ///< of one kind, at most
  std::uint64_t directory_renames = 1'000;
  std::uint64_t records = 1'000'000;  ///< in a full delta
  std::uint64_t spread_directories = 1'000;
  std::uint64_t spread_files = 100;   ///< in each of these
  std::uint64_t overwrites = 10'000;  ///< of each length
  std::uint64_t content_reads = 10'000;
  std::uint64_t stream_mib = 1024;
  std::uint64_t appends = 100'000;
  std::uint64_t removed_mib = 256;  ///< length of the longest file that is removed
  std::uint64_t seed = 1;
};

inline constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kPageBytes = 4096;

/// Opens the big file of the base.
[[nodiscard]] Result<Handle> big_file(Target& target);

/// Operations of each kind, in one row per kind: first on new files, then on files of the base.
[[nodiscard]] Status change_names(Target& target, Meter& meter, const TaskOptions& options);
/// Lookups of names in the base. The names are unchanged, but a full delta has changed half of the
/// directories. Caches are warm.
[[nodiscard]] Status look_up(Target& target, Meter& meter, const TaskOptions& options);
/// Makes a delta of so many records: files in half of the small directories, and in new ones.
[[nodiscard]] Status fill(Target& target, Meter& meter, const TaskOptions& options);
/// Makes files in many directories in turns.
[[nodiscard]] Status spread(Target& target, Meter& meter, const TaskOptions& options);
/// Lists the directories that spread() has filled, once.
[[nodiscard]] Status list_spread(Target& target, Meter& meter, const TaskOptions& options);

/// Overwrites random parts of the big file of the base.
[[nodiscard]] Status overwrite(Target& target, Meter& meter, const TaskOptions& options);
/// Writes new files sequentially, by calls of three lengths.
[[nodiscard]] Status stream(Target& target, Meter& meter, const TaskOptions& options);
/// Patches increasing shares of the chunks in the parts of the big file.
[[nodiscard]] Status patch(Target& target, Meter& meter, const TaskOptions& options);
/// Reads those parts.
[[nodiscard]] Status read_patched(Target& target, Meter& meter, const TaskOptions& options);
/// Overwrites random pages of the big file of the base.
[[nodiscard]] Status overwrite_pages(Target& target, Meter& meter, const TaskOptions& options);
/// Reads the big file of the base once, in order.
[[nodiscard]] Status read_in_order(Target& target, Meter& meter, const TaskOptions& options);
/// Reads random pages of the big file of the base.
[[nodiscard]] Status read_at_random(Target& target, Meter& meter, const TaskOptions& options);
/// Appends a few bytes again and again to a new file.
[[nodiscard]] Status append(Target& target, Meter& meter, const TaskOptions& options);
/// Sets an extended attribute of each file in the small directories of the base.
[[nodiscard]] Status set_xattrs(Target& target, Meter& meter, const TaskOptions& options);
/// Changes the permissions of each file there.
[[nodiscard]] Status change_modes(Target& target, Meter& meter, const TaskOptions& options);
/// Removes the only name of files of several lengths.
[[nodiscard]] Status remove_long(Target& target, Meter& meter, const TaskOptions& options);

}  // namespace dgfs::bench
