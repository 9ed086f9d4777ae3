// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opens the copies of an image's index: the separate index, and the trailing index behind the data.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "reader/index/copy.h"
#include "reader/index/source.h"
#include "reader/volume/search.h"
#include "storage/env.h"

namespace dgfs::reader {

/// A copy; nullopt if there is none, which is no error.
using MaybeCopy = std::optional<IndexCopy>;

/// Whether the error means damage or a failed device, so that the other copy may replace this one.
/// Any other error is for the user to settle.
[[nodiscard]] bool is_damage(const Error& error);

/// The trailing index of the image. One read. Errors: kIo, kCorrupt (damaged, or not of this
/// image), kUnsupported.
[[nodiscard]] Result<MaybeCopy> open_trailing(const FoundVolume& image);

/// The trailing index as the second copy beside `first`. The header of the image proves that the
/// trailing index belongs to it, so the rest of that copy is usable even if its superblock is
/// damaged.
[[nodiscard]] Result<SecondCopy> open_trailing_second(const FoundVolume& image,
                                                      const IndexCopy& first);

/// The separate index file of an image. One read.
/// @param asked_for  the user named it, so a missing file is an error
/// Errors: those of opening it and of IndexCopy::open(); kInvalidArgument (of another image).
[[nodiscard]] Result<MaybeCopy> open_separate(storage::Env& env, const FoundVolume& image,
                                              const std::string& index_path, bool asked_for);

/// A separate index with a damaged superblock or a lost end, as the second copy. Its rest is usable
/// if its superblock still has the UUID of `first`.
/// @param damage  the error of open_separate()
[[nodiscard]] Result<SecondCopy> open_separate_second(storage::Env& env,
                                                      const std::string& index_path,
                                                      const Error& damage, const IndexCopy& first);

}  // namespace dgfs::reader
