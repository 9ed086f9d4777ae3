// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extraction: writes the tree of an image (or parts of it) below a destination directory, with all
// metadata the caller may restore. Nothing is ever written through a symbolic link or outside the
// destination: every step is one component through storage::Directory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::reader {

/// How far extract() has come. A value.
struct ExtractProgress {
  std::uint64_t entries = 0;              ///< written so far
  std::uint64_t entries_total = 0;        ///< of the image
  std::uint64_t content_bytes = 0;        ///< written so far
  std::uint64_t content_bytes_total = 0;  ///< of the image
};

/// Bytes of a file's contents that are damaged. A value.
struct LostRange {
  std::uint64_t begin = 0;  ///< in the file
  std::uint64_t end = 0;    ///< behind the last one
};

/// What to extract, and how. What its members refer to must outlive the call; several threads may
/// share it unchanged.
struct ExtractOptions {
  std::vector<std::string> paths;  ///< in the image; empty = everything
  /// Which entries are written, by path and whether it is a directory; a directory that is not
  /// wanted is left out with all that is below. Not asked about the root. A pure function; unset:
  /// all are wanted.
  std::function<bool(std::string_view path, bool is_directory)> wanted;
  unsigned jobs = 0;  ///< writing threads; 0 = one per core
  /// Owner, device nodes, privileged xattrs and capabilities: attempted if true (root). Else
  /// device nodes are reported to `failed` and counted, and the rest is skipped silently, as tar
  /// does for ordinary users.
  bool privileged = false;
  bool devices = true;      ///< else device nodes are left out without a word
  bool keep_going = false;  ///< report failures and go on; else the first one ends it
  /// Set: each file whose contents are damaged is read to its end all the same, and each range of
  /// it that is lost is told before `failed`. Called by one thread at a time.
  std::function<void(const std::string& path, const LostRange& range, const Error& error)>
      lost_range;
  /// With lost_range: a file that has lost a part is written with holes in place of it, and is not
  /// told to `failed`. Else it is not written.
  bool partial = false;
  /// Called by one thread at a time.
  std::function<void(const std::string& path, const Error& error)> failed;
  std::function<void(const ExtractProgress&)> progress;  ///< a few times a second
  const std::atomic<bool>* stop = nullptr;               ///< ends early with kInterrupted
};

/// What extract() did. A value.
struct ExtractReport {
  std::uint64_t entries = 0;          ///< written
  std::uint64_t content_bytes = 0;    ///< written
  std::uint64_t failures = 0;         ///< each reported to `failed`
  std::uint64_t partial_files = 0;    ///< written with holes in place of what is lost
  std::uint64_t devices_refused = 0;  ///< device nodes that an ordinary user may not make
};

/// @param destination  created if missing: with the permissions of the image's root, or by the
/// umask
///                     where only paths below the root are chosen; existing directories in it are
///                     entered, any other existing name is a failure (kExists): nothing is
///                     overwritten
/// A regular file gets its name when contents and attributes are complete: whenever the process
/// is killed, what bears a file's name is the file. Permissions, times and xattrs of directories
/// are set last, deepest first. Nothing is synced.
/// Memory beside queues and caches: 8 bytes a directory, and the path of each multiply linked
/// object of which some names are made and others still to come. Where only some of its names are
/// chosen, that is for the whole run.
[[nodiscard]] Result<ExtractReport> extract(const Image& image, storage::Env& env,
                                            const std::string& destination,
                                            const ExtractOptions& options);

/// Writes nothing: calls `visit` for each entry that extract() with these options would write, in
/// order. Device nodes that it would refuse are reported likewise.
[[nodiscard]] Result<ExtractReport> plan_extract(
    const Image& image, const ExtractOptions& options,
    const std::function<void(const std::string& path, const Node& node)>& visit);

}  // namespace dgfs::reader
