// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What an update is to do, and how far it has come.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "rules/path_rules.h"

namespace dgfs::update {

/// How far an update has come. A value.
struct UpdateProgress {
  bool is_scanning = true;          ///< else it compares
  std::uint64_t entries = 0;        ///< scanned, or compared
  std::uint64_t entries_total = 0;  ///< 0 while scanning
};

/// What to update, and how. The objects that its members refer to must outlive the call.
struct UpdateRequest {
  std::string image_path;                 ///< that of the delta, or its base
  std::vector<std::string> volume_paths;  ///< of its further volumes, and folders of such
  std::optional<std::string> index_path;  ///< none: beside the image
  /// Of a delta. Where nothing is, an update makes a new one; a dry run removes it again.
  std::string delta_path;
  std::string source;  ///< a directory
  /// Path in the tree of the directory that becomes like the source; empty: the root. It is made if
  /// its parent is there.
  std::string at;
  /// Chooses entries by their path below the source. What is not chosen is neither compared nor
  /// removed.
  rules::PathRules rules;
  std::vector<std::string> paths;  ///< if not empty: only these, and what is below them
  bool deletes = false;            ///< removes what the source lacks
  bool compares_all = false;       ///< reads contents also where size and time are the same
  bool keep_going = false;         ///< leaves an entry that cannot be read as it is in the delta
  bool dry_run = false;            ///< only counts
  std::string name;                ///< of the new state; empty: none
  /// Where the image is, for the manifest; empty: unknown.
  std::string noted_image_path;
  unsigned jobs = 16;  ///< threads that scan; at most 1: the caller's alone
  /// Of caches, sorting and buffers, at least 28 MiB. The new state's store has half of it.
  std::size_t memory_bytes = std::size_t{256} << 20;
  std::function<void(const Error&)> warn;               ///< as of reader::OpenOptions; may be empty
  std::function<void(const UpdateProgress&)> progress;  ///< a few times a second; may be empty
  const std::atomic<bool>* stop = nullptr;              ///< ends with kInterrupted
};

}  // namespace dgfs::update
