// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/view_opener.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "delta/control/closing_wait.h"
#include "delta/store/directory/space_to_begin.h"
#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"
#include "fuse/daemon_path.h"
#include "fuse/image/image_opener.h"

namespace dgfs::fuse {
namespace {

// The minimum of -o size=.
constexpr std::uint64_t kDeltaBytesMin = std::uint64_t{32} << 20;
constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
// The two segments of the log of a new delta together take a quarter of the available space, or
// less.
constexpr std::uint64_t kLogShare = 8;
// The share of the space for tables, and for unwritten blocks.
constexpr std::uint64_t kWaitingShare = 32;
constexpr std::uint64_t kSegmentBytesMin = 4 * kMib;
constexpr std::uint64_t kSegmentBytesMax = delta::StoreParameters().segment_bytes;

// A store reserves space for what waits in memory: with little space, little may wait.
// @param bytes  space that the delta can have
delta::StoreOptions fitted(const delta::StoreOptions& wanted, std::uint64_t bytes) {
  auto options = delta::divided_memory(wanted);
  options.parameters.segment_bytes =
      std::clamp(bytes / kLogShare / kMib * kMib, kSegmentBytesMin, kSegmentBytesMax);
  const auto waiting = static_cast<std::size_t>(std::max(bytes, kDeltaBytesMin) / kWaitingShare);
  options.table_bytes = std::min(options.table_bytes, waiting);
  options.dirty_bytes = std::min(options.dirty_bytes, waiting);
  return options;
}

delta::StoreOptions store_options(const MountArguments& arguments, const view::ViewMemory& memory) {
  delta::StoreOptions options;
  options.access =
      arguments.is_read_only ? delta::StoreAccess::kReadOnly : delta::StoreAccess::kReadWrite;
  options.in_background = true;
  options.max_bytes = arguments.size_bytes_max;
  options.commit_interval = arguments.commit_interval;
  memory.share_with(options);
  return options;
}

// The space that the delta can still take, on its disk and below its cap. nullopt: unknown.
std::optional<std::uint64_t> room_of(storage::Env& env, const std::string& path,
                                     std::uint64_t max_bytes) {
  const auto cap = max_bytes == 0 ? std::nullopt : std::optional(max_bytes);
  auto place = env.create_unnamed(path);
  if (!place) place = env.create_unnamed(storage::parent_path(path));
  if (!place) return cap;
  const auto free = place.value()->free_bytes();
  if (!free) return cap;
  return std::min(free.value(), cap.value_or(free.value()));
}

Error no_space_for(const std::string& path, const delta::StoreOptions& options,
                   std::optional<std::uint64_t> room_bytes) {
  const auto needed =
      fmt::format("a new delta needs {} bytes of disk space", delta::bytes_to_begin(options));
  return Error(ErrorKind::kNoSpace, 5064,
               room_bytes ? fmt::format("{}, and {} are free", needed, *room_bytes) : needed)
      .in_file(path);
}

// Sets `made` if there was none.
Status make_if_vacant(storage::Env& env, const std::string& path, const reader::Image& image,
                      const delta::StoreOptions& options, std::optional<std::uint64_t> room_bytes,
                      std::optional<delta::NewDelta>& made) {
  DGFS_TRY(is_vacant, delta::is_vacant(env, path));
  if (!is_vacant) return ok();
  if (room_bytes && *room_bytes < delta::bytes_to_begin(options)) {
    return no_space_for(path, options, room_bytes);
  }
  const auto& superblock = image.superblock();
  auto making =
      delta::NewDelta::make_if_vacant(env, path, superblock.uuid, superblock.next_inode, options);
  // The system also counts space as free that quotas forbid, or that it keeps for itself.
  if (!making && making.error().kind() == ErrorKind::kNoSpace) {
    return no_space_for(path, options, std::nullopt);
  }
  if (!making) return std::move(making).error();
  if (making.value()) made.emplace(*std::move(making).value());
  return ok();
}

Result<std::unique_ptr<delta::DeltaDirectory>> open_layers(storage::Env& env,
                                                           const std::string& path,
                                                           const MountArguments& arguments,
                                                           const delta::StoreOptions& options) {
  return delta::DeltaDirectory::open_state(
      env, path, [&](const delta::Manifest& manifest) { return state_of(manifest, arguments); },
      options);
}

Result<std::unique_ptr<delta::DeltaDirectory>> open_delta(
    storage::Env& env, const std::string& path, const delta::StoreOptions& options,
    const std::function<void(const std::string&)>& tell) {
  delta::ClosingWait closing(path, tell);
  auto delta = delta::DeltaDirectory::open(env, path, options);
  while (!delta && delta.error().kind() == ErrorKind::kBusy && closing.wait()) {
    delta = delta::DeltaDirectory::open(env, path, options);
  }
  if (delta || delta.error().kind() != ErrorKind::kNotFound) return delta;
  if (options.access == delta::StoreAccess::kReadOnly) {
    return Error(ErrorKind::kNotFound, 5047, "there is no delta, and with ro none is made")
        .in_file(path);
  }
  return Error(ErrorKind::kNotEmpty, 5046,
               "neither a delta nor an empty directory: MANIFEST is missing, which is written last "
               "when a delta is made; remove the directory only if it was never mounted")
      .in_file(path);
}

std::string recovered_text(const delta::DeltaDirectory& delta, std::uint64_t duration_ns) {
  const auto count = delta.newest().counters().recovered;
  return fmt::format("recovered {} {} in the log ({:.1f} s)", count,
                     count == 1 ? "change that was" : "changes that were",
                     static_cast<double>(duration_ns) / 1e9);
}

}  // namespace

Result<std::size_t> state_of(const delta::Manifest& manifest, const MountArguments& arguments) {
  auto found = delta::find_state(manifest, *arguments.as_of, *arguments.delta_path);
  if (found || found.error().kind() != ErrorKind::kNotFound || !arguments.as_of_time) return found;
  return delta::find_state_at(manifest, *arguments.as_of_time, *arguments.delta_path);
}

Result<FoundState> find_state_to_mount(storage::Env& env, const GivenImage& given,
                                       const MountArguments& arguments) {
  DGFS_TRY(present, delta::hold_present_base(env, from_root(*arguments.delta_path)));
  const delta::Manifest& manifest = present.manifest;
  DGFS_CHECK(view::check_is_of_delta(*given.image, given.path, *arguments.delta_path, manifest));
  DGFS_TRY(stores, state_of(manifest, arguments));
  FoundState found;
  found.shown_by = stores == 0                        ? StateToMount::kImage
                   : stores == manifest.stores.size() ? StateToMount::kNewest
                                                      : StateToMount::kLayers;
  found.present = std::move(present);
  return found;
}

Result<std::shared_ptr<const reader::Image>> image_of_state(storage::Env& env,
                                                            const GivenImage& given,
                                                            const MountArguments& arguments,
                                                            const delta::Manifest& manifest) {
  DGFS_TRY(bottom, view::bottom_of_delta(env, given.image, given.path,
                                         from_root(*arguments.delta_path), manifest, given.open));
  if (bottom != given.image) open_volumes(*bottom, given.path, given.open.warn);
  return bottom;
}

Result<bool> is_vacant_delta(storage::Env& env, const MountArguments& arguments) {
  return delta::is_vacant(env, from_root(*arguments.delta_path));
}

Result<ViewToMount> open_view(storage::Env& env, const GivenImage& given,
                              const MountArguments& arguments, const view::ViewMemory& memory,
                              const std::function<void(const std::string&)>& tell) {
  ViewToMount opened;
  const auto& name = *arguments.delta_path;
  const auto path = from_root(name);
  auto options = store_options(arguments, memory);
  const auto room_bytes = room_of(env, path, options.max_bytes);
  if (room_bytes) options = fitted(options, *room_bytes);
  const auto begin_ns = env.monotonic_ns();
  if (!arguments.is_read_only) {
    DGFS_CHECK(make_if_vacant(env, path, *given.image, options, room_bytes, opened.made));
  }
  auto shown_by = StateToMount::kNewest;
  if (arguments.as_of) {
    DGFS_TRY(found, find_state_to_mount(env, given, arguments));
    shown_by = found.shown_by;
  }
  DGFS_TRY(delta, shown_by == StateToMount::kLayers ? open_layers(env, path, arguments, options)
                                                    : open_delta(env, path, options, tell));
  opened.delta = std::move(delta);
  if (opened.made && !opened.delta->newest().takes_changes()) {
    return no_space_for(path, options, std::nullopt);
  }
  view::ViewOptions view_options;
  memory.share_with(view_options);
  DGFS_TRY(bottom, image_of_state(env, given, arguments, opened.delta->manifest()));
  DGFS_TRY(view, view::View::open(env, std::move(bottom), *opened.delta, view_options));
  opened.view = std::move(view);
  const auto privacy = opened.delta->privacy().text(name);
  if (tell && !privacy.empty()) tell(privacy);
  if (tell && opened.delta->leftovers() != 0) {
    tell(name + ": removed what an interrupted seal or merge had left");
  }
  if (tell && !opened.made && opened.delta->newest().counters().recovered != 0) {
    tell(name + ": " + recovered_text(*opened.delta, env.monotonic_ns() - begin_ns));
  }
  return opened;
}

}  // namespace dgfs::fuse
