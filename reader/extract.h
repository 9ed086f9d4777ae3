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
#include <vector>

#include "base/result.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::reader {

struct ExtractProgress {
  std::uint64_t entries = 0;
  std::uint64_t entries_total = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t content_bytes_total = 0;
};

struct ExtractOptions {
  std::vector<std::string> paths;  ///< in the image; empty = everything
  unsigned jobs = 0;               ///< writing threads; 0 = one per core
  /// Owner, device nodes, privileged xattrs and capabilities: attempted if true (root), else
  /// skipped silently as tar does for ordinary users.
  bool privileged = false;
  bool keep_going = false;  ///< report failures and go on; else the first one ends it
  std::function<void(const std::string& path, const Error& error)> failed;
  std::function<void(const ExtractProgress&)> progress;
  const std::atomic<bool>* stop = nullptr;
};

struct ExtractReport {
  std::uint64_t entries = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t failures = 0;
};

/// @param destination  created if missing; existing directories in it are entered, any other
///                     existing name is a failure (kExists): nothing is overwritten
/// Permissions, times and xattrs of directories are set last, deepest first.
[[nodiscard]] Result<ExtractReport> extract(const Image& image, storage::Env& env,
                                            const std::string& destination,
                                            const ExtractOptions& options);

}  // namespace dgfs::reader
