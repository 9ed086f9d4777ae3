// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes a base for a delta: an image of what lies below its stores and of its oldest layers, in the
// directory of the delta. It reads files that do not change, so the delta may be in use meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "builder/options.h"
#include "builder/report.h"
#include "delta/merge/merge_tree_options.h"
#include "delta/merge/repack_rules.h"
#include "delta/store/directory/delta_directory.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::merge {

/// What make_base() reads, and how. A value.
struct BaseSource {
  std::string directory;                  ///< of the delta
  std::string image_path;                 ///< of its image, or of its base
  std::vector<std::string> volume_paths;  ///< as of reader::OpenOptions
  /// To merge, of the oldest. 0: all stores of a delta that no process has open, for a dry run.
  std::size_t layers = 0;
  /// Bounds the caches, apart from BuildOptions::memory_bytes.
  std::size_t cache_bytes = std::size_t{24} << 20;
  bool past_page_cache = false;  ///< contents are read past the page cache
  /// An open image below the stores, for one that no path leads to any more. May be null.
  std::shared_ptr<const reader::Image> open_bottom;
  std::vector<view::Orphan> nameless;              ///< as of MergeTreeOptions
  std::function<void(std::uint64_t)> before_read;  ///< likewise
  std::function<void(const Error&)> warn;          ///< as of reader::OpenOptions
};

/// A base whose files are complete, durable and named. A value.
struct MadeBase {
  delta::BasePlan plan;
  builder::BuildReport report;
  std::string path;
  std::uint64_t changes = 0;     ///< batches in the merged layers
  std::uint64_t peak_bytes = 0;  ///< that a merge takes on the disk at most, about; of a dry run
};

/// Makes a base. All members of `options` but jobs, memory_bytes, progress, stop and dry_run are
/// set: compression and digests as in the image below. Files get permissions for the owner alone.
/// Nothing is written in a dry run.
/// Errors: those of DeltaDirectory::open_state(), bottom_of_delta() and merge(); kCorrupt (broken
/// names). After an error there are no new files.
[[nodiscard]] Result<MadeBase> make_base(storage::Env& env, const BaseSource& source,
                                         const RepackRules& rules, builder::BuildOptions options);
/// Removes the files of a base that is not committed. Never fails; what is left is removed by the
/// next opening of the delta.
void drop_base(storage::Env& env, const MadeBase& base) noexcept;

/// Bytes of the disk that the index of a new base takes at most while it is made, about.
/// @param below  the image that it takes the place of
[[nodiscard]] std::uint64_t bytes_of_index(const reader::Image& below);
/// Bytes of the disk that everything in the directory of a delta takes. Errors: kIo.
[[nodiscard]] Result<std::uint64_t> delta_bytes(storage::Env& env, const std::string& directory);

}  // namespace dgfs::merge
