// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage: writes every intact file of a damaged image below a directory, and tells of the rest.
// It does not need what opening needs: it looks for the pieces of both copies of the index, and
// takes the good ones of either.
//
// What stands on its checksum alone is believed. Names whose beginning stood in a lost part of the
// page directory are put below "lost+found/page-N", N being the number of the index page, and
// objects that have lost all their names below it, too. Nothing is ever written that was not
// checked, and no contents whose place had to be guessed.
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

/// How to salvage. A value; what its members refer to must outlive the call.
struct SalvageOptions : RestoreChoice {
  OpenOptions open;      ///< index, volumes, warnings
  unsigned jobs = 0;     ///< writing threads; 0 = one per core
  bool partial = false;  ///< write files that have lost a part, with holes in place of it
  /// A part of the index that is lost, and what follows from that.
  std::function<void(const std::string& what)> lost_index;
  /// Bytes of a file that are lost; all of one file come together, then lost() unless it is partly
  /// written. This and the next are called by one thread at a time.
  std::function<void(const std::string& path, const LostRange& range, const Error& error)>
      lost_range;
  /// An entry that could not be saved, or not its contents in full, or not its names.
  std::function<void(const std::string& path, const Error& error)> lost;
  /// An attribute of an entry that is saved without it: lost in the image, or not to be set in the
  /// destination.
  std::function<void(const std::string& path, const LostAttribute& attribute, const Error& error)>
      lost_attribute;
  /// As of ExtractOptions.
  std::function<void(const std::string& path, const Error& why)> copied;
  std::function<void(const ExtractProgress&)> progress;  ///< a few times a second
  const std::atomic<bool>* stop = nullptr;               ///< ends early with kInterrupted
};

/// What salvage() did. A value.
struct SalvageReport {
  std::uint64_t entries = 0;           ///< saved with all contents
  std::uint64_t content_bytes = 0;     ///< written
  std::uint64_t partial_files = 0;     ///< written with holes in place of what is lost
  std::uint64_t lost_entries = 0;      ///< each told to lost()
  std::uint64_t devices_refused = 0;   ///< device nodes that the user may not make
  std::uint64_t lost_attributes = 0;   ///< of what was saved, each told to lost_attribute()
  std::uint64_t further_copies = 0;    ///< made instead of hard links, each told to copied()
  std::uint64_t lost_pages = 0;        ///< of the index: what stood there has no name any more
  std::uint64_t lost_index_parts = 0;  ///< told to lost_index(), pages among them
  /// Whether everything was saved.
  [[nodiscard]] bool complete() const {
    return partial_files + lost_entries + devices_refused + lost_attributes + lost_index_parts == 0;
  }
};

/// @param destination  as of extract(): existing names are failures, told to lost()
/// Errors: kNotFound, kCorrupt (nothing of an index is left), kInvalidArgument (an index of another
/// image), kInterrupted, and those of opening the image's files and making the destination.
/// Memory: 200 bytes an index page, a path for each directory, 50 bytes for each multiply linked
/// object.
[[nodiscard]] Result<SalvageReport> salvage(storage::Env& env, const std::string& path,
                                            const std::string& destination,
                                            const SalvageOptions& options);

/// The same without writing: reads everything, and calls `kept` for what can be saved.
[[nodiscard]] Result<SalvageReport> list_salvage(
    storage::Env& env, const std::string& path, const SalvageOptions& options,
    const std::function<void(const std::string& path, const Node& node)>& kept);

}  // namespace dgfs::reader
