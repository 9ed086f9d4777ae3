// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage: writes every intact file of a damaged image below a directory, and reports the rest. It
// works on images that cannot be opened: it searches both copies of the index for intact pieces and
// combines them.
//
// Salvage trusts a piece if its own checksum fits. If the page directory has lost the beginning of
// some names, they go below "lost+found/page-N", where N is the number of their index page. Objects
// that have lost all their names go there too. Salvage never writes unchecked bytes, nor contents
// from a guessed place.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "reader/extract/options.h"
#include "reader/node.h"
#include "reader/open_options.h"
#include "storage/env.h"

namespace dgfs::reader {

/// How to salvage. A value; the objects that its members refer to must outlive the call.
struct SalvageOptions : RestoreChoice {
  OpenOptions open;      ///< index, volumes, warnings
  unsigned jobs = 0;     ///< writing threads; 0 = one per core
  bool partial = false;  ///< write damaged files, with holes in place of lost ranges
  /// Called for each lost part of the index, with the consequences.
  std::function<void(const std::string& what)> lost_index;
  /// Called for each lost range of a file. All ranges of one file come together, followed by lost()
  /// unless the file is written in part. One thread at a time calls this and the next function.
  std::function<void(const std::string& path, const LostRange& range, const Error& error)>
      lost_range;
  /// Called for an entry that could not be saved, or lost a part of its contents, or all its names.
  std::function<void(const std::string& path, const Error& error)> lost;
  /// Called for each attribute that a saved entry lacks: it is lost in the image, or cannot be set
  /// in the destination.
  std::function<void(const std::string& path, const LostAttribute& attribute, const Error& error)>
      lost_attribute;
  /// As ExtractOptions::copied.
  std::function<void(const std::string& path, const Error& why)> copied;
  std::function<void(const ExtractProgress&)> progress;  ///< a few times a second
  const std::atomic<bool>* stop = nullptr;               ///< ends early with kInterrupted
};

/// Result of salvage(). A value.
struct SalvageReport {
  std::uint64_t entries = 0;           ///< saved with complete contents
  std::uint64_t content_bytes = 0;     ///< written
  std::uint64_t partial_files = 0;     ///< written with holes in place of lost ranges
  std::uint64_t lost_entries = 0;      ///< each reported to lost()
  std::uint64_t devices_refused = 0;   ///< device nodes that the user may not make
  std::uint64_t lost_attributes = 0;   ///< of saved entries, each reported to lost_attribute()
  std::uint64_t further_copies = 0;    ///< made instead of hard links, each reported to copied()
  std::uint64_t lost_pages = 0;        ///< lost index pages; their entries have no names any more
  std::uint64_t lost_index_parts = 0;  ///< reported to lost_index(), pages included
  /// Everything was saved.
  [[nodiscard]] bool complete() const {
    return partial_files + lost_entries + devices_refused + lost_attributes + lost_index_parts == 0;
  }
};

/// Salvages an image.
/// @param destination  as of extract(): existing names are failures, reported to lost()
/// Errors: kNotFound, kCorrupt (no piece of an index is left), kInvalidArgument (an index of
/// another image), kInterrupted, and those of opening the image's files and of making the
/// destination.
/// Memory: 200 bytes an index page, a path for each directory, 50 bytes for each multiply linked
/// object.
[[nodiscard]] Result<SalvageReport> salvage(storage::Env& env, const std::string& path,
                                            const std::string& destination,
                                            const SalvageOptions& options);

/// Dry run: reads everything, writes nothing, and calls `kept` for each entry that can be saved.
[[nodiscard]] Result<SalvageReport> list_salvage(
    storage::Env& env, const std::string& path, const SalvageOptions& options,
    const std::function<void(const std::string& path, const Node& node)>& kept);

}  // namespace dgfs::reader
