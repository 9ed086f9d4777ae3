// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opens the delta of a mount over its image, and the view of both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "delta/view/view.h"
#include "delta/view/view_memory.h"
#include "fuse/mount_arguments.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// A value that is moved. The view goes first.
struct ViewToMount {
  std::unique_ptr<delta::DeltaDirectory> delta;
  std::unique_ptr<view::View> view;
};

/// Whether there is nothing where the arguments name a delta, or an empty directory.
/// Errors: those of opening a directory.
[[nodiscard]] Result<bool> is_vacant_delta(storage::Env& env, const MountArguments& arguments);

/// Opens the delta that the arguments name, or makes it where its directory is missing or empty;
/// for reading alone nothing is made or written. No thread starts yet: a daemon forks first, and
/// then calls Store::start().
/// @param env   must outlive the result, as must `image`
/// @param tell  is told in one line that the delta is new, or was recovered; may be empty
/// Errors: those of DeltaDirectory::create and open, and of View::open; kNotEmpty (a directory of
/// something else), kNotFound (no delta, and none is to be made).
[[nodiscard]] Result<ViewToMount> open_view(storage::Env& env, const reader::Image& image,
                                            const MountArguments& arguments,
                                            const view::ViewMemory& memory,
                                            const std::function<void(const std::string&)>& tell);

}  // namespace dgfs::fuse
