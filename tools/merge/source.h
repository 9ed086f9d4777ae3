// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The image and the delta that dgfs merge reads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "delta/store/directory/delta_directory.h"
#include "delta/view/view.h"
#include "reader/image.h"
#include "tools/cli/session.h"
#include "tools/paths/image_argument.h"

namespace dgfs::tools {

/// What to open. A value.
struct MergeInputs {
  std::string image_path;
  ImageOptions image_options;
  std::string delta_path;
  std::optional<std::string> as_of;  ///< a state; none: all changes of a delta that is not in use
  std::size_t memory_bytes = 0;      ///< of all caches, at least 16 MiB
  /// Called once the image is open, before the delta is, and again with the base of the delta if it
  /// has one: may refuse. Empty: not wanted.
  std::function<Status(const reader::Image&)> check_image = {};
};

/// All that is open. Moved, not copied.
struct MergeSource {
  std::shared_ptr<const reader::Image> image;  ///< below the stores
  std::unique_ptr<delta::DeltaDirectory> delta;
  std::unique_ptr<view::View> view;
  std::optional<delta::StateId> state;  ///< that the view shows, if a seal has made it
};

/// Opens image and delta for reading only, and checks that the names in the delta are sound.
/// Errors: those of opening, and of MergeInputs::check_image; kInterrupted; kInvalidArgument (the
/// delta belongs to another image; the state is the image alone), kBusy (the delta is in use and no
/// state is given), kCorrupt (broken names).
[[nodiscard]] Result<MergeSource> open_merge_source(const Session& session,
                                                    const MergeInputs& inputs);

}  // namespace dgfs::tools
