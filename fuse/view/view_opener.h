// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opens the delta of a mount over its image, and the view of both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "delta/store/directory/new_delta.h"
#include "delta/view/view.h"
#include "delta/view/view_memory.h"
#include "fuse/mount_arguments.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::fuse {

/// The image in the arguments of a mount, and how its base is opened. A value.
struct GivenImage {
  std::shared_ptr<const reader::Image> image;
  std::string path;
  reader::OpenOptions open;  ///< shares the caches of the mount
};

/// A value that is moved. The view must be destroyed first, and `made` last.
struct ViewToMount {
  std::optional<delta::NewDelta> made;  ///< set if the delta is new; keep() it once it is in use
  std::unique_ptr<delta::DeltaDirectory> delta;
  std::unique_ptr<view::View> view;
};

/// Which state MountArguments::as_of and as_of_time mean: as find_state() and find_state_at().
[[nodiscard]] Result<std::size_t> state_of(const delta::Manifest& manifest,
                                           const MountArguments& arguments);
/// The layers that show a state of a delta.
enum class StateToMount : std::uint8_t {
  kImage,   ///< the image, or the base, alone
  kLayers,  ///< layers over the image, which a writer may have open as well
  kNewest,  ///< all stores of the delta: opened as for a mount with ro
};
/// A state that was found. Moved, not copied.
struct FoundState {
  StateToMount shown_by = StateToMount::kNewest;
  delta::PresentBase present;
};
/// Finds the state in MountArguments::as_of. Errors: those of state_of() and hold_present_base();
/// kInvalidArgument (the delta belongs to another image).
[[nodiscard]] Result<FoundState> find_state_to_mount(storage::Env& env, const GivenImage& given,
                                                     const MountArguments& arguments);
/// The image that a state of StateToMount::kImage shows. Errors: those of bottom_of_delta().
[[nodiscard]] Result<std::shared_ptr<const reader::Image>> image_of_state(
    storage::Env& env, const GivenImage& given, const MountArguments& arguments,
    const delta::Manifest& manifest);

/// Whether the delta's directory is missing or empty.
/// Errors: those of opening a directory.
[[nodiscard]] Result<bool> is_vacant_delta(storage::Env& env, const MountArguments& arguments);

/// Opens the delta in the arguments, or only the layers of the state in `as_of`; or makes it if its
/// directory is missing or empty. With read-only access, makes and writes nothing. Starts no
/// thread: a daemon forks first, and then calls Store::start().
/// @param env   must outlive the result
/// @param tell  receives a line if the delta was recovered, one if it was made private, and one if
///              the rest of an interrupted merge was removed; may be empty
/// Errors: those of DeltaDirectory::create and open, and of View::open; kNotEmpty (the directory
/// holds something else), kNotFound (no delta, and none may be made), kNoSpace (there is no space
/// for a new delta and its first changes). After an error there is no new delta.
[[nodiscard]] Result<ViewToMount> open_view(storage::Env& env, const GivenImage& given,
                                            const MountArguments& arguments,
                                            const view::ViewMemory& memory,
                                            const std::function<void(const std::string&)>& tell);

}  // namespace dgfs::fuse
