// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The copies of an image's index: the one in a separate file, and the one behind the data.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "reader/index/copy.h"
#include "reader/index/source.h"
#include "reader/volume/search.h"
#include "storage/env.h"

namespace dgfs::reader {

/// A copy; nullopt where there is none, which is no error.
using MaybeCopy = std::optional<IndexCopy>;

/// Whether it is of damage or of a device: the other copy is there for those. Anything else the
/// user must settle.
[[nodiscard]] bool is_damage(const Error& error);

/// The copy of the index behind the data of the image. One read. Errors: kIo, kCorrupt (one that is
/// not of the image, too), kUnsupported.
[[nodiscard]] Result<MaybeCopy> open_trailing(const FoundVolume& image);

/// The same as the second copy of the image that `first` is of. The image's header vouches for
/// whose it is, so that without its superblock the rest of it can still be used.
[[nodiscard]] Result<SecondCopy> open_trailing_second(const FoundVolume& image,
                                                      const IndexCopy& first);

/// The separate index file of an image. One read.
/// @param asked_for  somebody named it, so that it is to be there
/// Errors: those of opening it and of IndexCopy::open(); kInvalidArgument (of another image).
[[nodiscard]] Result<MaybeCopy> open_separate(storage::Env& env, const FoundVolume& image,
                                              const std::string& index_path, bool asked_for);

/// A separate index whose superblock or end is lost, as the second copy: for the rest of it, if
/// what is left of the superblock still says whose it is.
/// @param damage  why open_separate() gave none
[[nodiscard]] Result<SecondCopy> open_separate_second(storage::Env& env,
                                                      const std::string& index_path,
                                                      const Error& damage, const IndexCopy& first);

}  // namespace dgfs::reader
