// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mends an index: rewrites the damaged pieces of one copy from the other copy.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "reader/open_options.h"
#include "storage/env.h"

namespace dgfs::reader {

/// How to mend. A value; the objects that its members refer to must outlive the call.
struct MendOptions {
  /// Called for each damaged piece, whether the other copy has it or both copies have lost it.
  std::function<void(const Error&)> damaged;
  const std::atomic<bool>* stop = nullptr;  ///< ends early with kInterrupted
};

/// Result of mend_index(). A value.
struct MendReport {
  std::string index_path;          ///< of the separate index
  std::string image_path;          ///< empty where there is no copy in an image
  bool was_missing = false;        ///< the separate index was missing or unusable
  bool is_written = false;         ///< the separate index was written anew
  std::uint64_t index_pieces = 0;  ///< damaged pieces of the separate index
  /// Damaged pieces of the copy in the image. They are mended unless image_error is set.
  std::uint64_t image_pieces = 0;
  std::optional<Error> image_error;  ///< why they are not mended
};

/// Reads both copies of the index that Image::open() with these arguments finds, checks each piece
/// by its own checksum, and combines the intact pieces. If the separate index is damaged or
/// missing, a new synced one replaces it atomically. Then the call overwrites the damaged pieces of
/// the copy in the image. It may be interrupted there without loss, because the separate index is
/// intact by then. The call changes no data and no header page of the image.
/// Errors that leave everything unchanged: kCorrupt (both copies have lost the same piece),
/// kUnsupported (a newer version made the index), kExists (the path of the separate index has
/// another file, or no regular file), kBusy (another process writes one of the two files), kChanged
/// (a file was replaced meanwhile). Also the errors of opening the image and of writing the new
/// index.
[[nodiscard]] Result<MendReport> mend_index(storage::Env& env, const std::string& path,
                                            const OpenOptions& options, const MendOptions& mending);

}  // namespace dgfs::reader
