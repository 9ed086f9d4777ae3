// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mending of an index: what one copy has lost is written from the other.
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

/// How to mend. A value; what its members refer to must outlive the call.
struct MendOptions {
  /// Each damaged piece of a copy that the other one has, and each that is lost.
  std::function<void(const Error&)> damaged;
  const std::atomic<bool>* stop = nullptr;  ///< ends early with kInterrupted
};

/// What mend_index() did. A value.
struct MendReport {
  std::string index_path;            ///< of the separate index
  std::string image_path;            ///< empty where there is no copy in an image
  bool was_missing = false;          ///< the separate index, or nothing of it could be used
  bool is_written = false;           ///< it was made anew
  std::uint64_t index_pieces = 0;    ///< of it that were damaged
  std::uint64_t image_pieces = 0;    ///< of the copy in the image that were damaged, and are mended
  std::optional<Error> image_error;  ///< why these are not
};

/// Reads every piece of both copies of the index that Image::open() with these arguments finds,
/// checks each by its own checksum, and puts together what is intact. If the separate index is
/// damaged or missing, a new one takes its place, at once and as a whole, synced. Then damaged
/// pieces of the copy in the image are overwritten, which is safe since there is an intact copy by
/// then, whenever that ends. Data and header pages of the image are left alone.
/// Errors: kCorrupt where both copies have lost the same piece, kUnsupported where a newer version
/// made the index, kExists where the separate index holds nothing of it (another index, or none),
/// kBusy where somebody writes one of the two files, kChanged where one was replaced meanwhile;
/// nothing is changed then. Those of opening, and of writing the new index.
[[nodiscard]] Result<MendReport> mend_index(storage::Env& env, const std::string& path,
                                            const OpenOptions& options, const MendOptions& mending);

}  // namespace dgfs::reader
