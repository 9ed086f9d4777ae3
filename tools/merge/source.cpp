// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/merge/source.h"

#include <fmt/format.h>

#include "delta/control/closing_wait.h"
#include "delta/control/control.h"
#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"
#include "delta/view/check/namespace_check.h"
#include "delta/view/view_memory.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

// Of the live store, whose changes a merge does not read, "newest" is the state of its last seal.
Result<std::size_t> find_sealed(const delta::Manifest& manifest, const std::string& state,
                                const std::string& directory) {
  DGFS_TRY(stores, delta::find_state(manifest, state, directory));
  if (state == delta::kNewestState) stores = delta::layers_of(manifest);
  if (stores != 0) return stores;
  return Error(ErrorKind::kInvalidArgument, 6940,
               state == delta::kNewestState
                   ? "no state was kept yet; 'dgfs delta seal' keeps one"
                   : "the state \"base\" is the image itself: there is nothing to merge")
      .in_file(directory);
}

Result<std::unique_ptr<delta::DeltaDirectory>> open_whole(const Session& session,
                                                          const std::string& path,
                                                          const delta::StoreOptions& options) {
  delta::ClosingWait closing(path, [&](const std::string& line) { session.complain(line); });
  auto opened = delta::DeltaDirectory::open(session.env(), path, options);
  while (!opened && opened.error().kind() == ErrorKind::kBusy && !session.should_stop() &&
         closing.wait()) {
    opened = delta::DeltaDirectory::open(session.env(), path, options);
  }
  if (opened || opened.error().kind() != ErrorKind::kBusy) return opened;
  // Other holders, such as a check, end by themselves.
  const bool is_mounted = delta::ask_holder(path, delta::kAskState).has_value();
  return Error(ErrorKind::kBusy, 6941,
               opened.error().text() + (is_mounted ? "; seal it and merge --as-of newest" : ""))
      .in_file(path);
}

Result<std::unique_ptr<delta::DeltaDirectory>> open_delta(const Session& session,
                                                          const MergeInputs& inputs,
                                                          const delta::StoreOptions& options) {
  if (!inputs.as_of) return open_whole(session, inputs.delta_path, options);
  return delta::DeltaDirectory::open_state(
      session.env(), inputs.delta_path,
      [&](const delta::Manifest& manifest) {
        return find_sealed(manifest, *inputs.as_of, inputs.delta_path);
      },
      options);
}

std::optional<delta::StateId> state_of(const delta::DeltaDirectory& delta, bool is_sealed) {
  const delta::Manifest& manifest = delta.manifest();
  const auto layers = delta::layers_of(manifest);
  if (is_sealed) return manifest.stores.back().layer.state;
  if (layers == 0 || !delta.is_unchanged()) return std::nullopt;
  return manifest.stores[layers - 1].layer.state;
}

// A tree of broken names would become an image that shows them as if they were sound.
Status check_names(const MergeSource& source, const MergeInputs& inputs,
                   const std::atomic<bool>* stop) {
  std::uint64_t broken = 0;
  DGFS_CHECK(view::check_namespace(
      view::generation_of(*source.image, *source.delta), [&](const view::Finding&) { ++broken; },
      view::StopFlag(stop)));
  if (broken == 0) return ok();
  const delta::Manifest& manifest = source.delta->manifest();
  const auto state = inputs.as_of
                         ? " --as-of " + delta::state_text(manifest.stores.back().layer.state)
                         : std::string();
  return Error(ErrorKind::kCorrupt, 6942,
               fmt::format("has {} ('dgfs delta check{} --image {} {}' lists them)",
                           counted(broken, "broken name"), state, shell_quoted(inputs.image_path),
                           shell_quoted(inputs.delta_path)))
      .in_file(inputs.delta_path);
}

}  // namespace

Result<MergeSource> open_merge_source(const Session& session, const MergeInputs& inputs) {
  const view::ViewMemory memory(inputs.memory_bytes);
  MergeSource source;
  auto open = inputs.image_options.open_options(session);
  memory.share_with(open);
  DGFS_TRY(image, reader::Image::open(session.env(), inputs.image_path, open));
  warn_of_volumes(session, inputs.image_options.volume_paths, {image.get()});
  source.image = std::move(image);
  if (inputs.check_image) {
    DGFS_CHECK(inputs.check_image(*source.image));
  }
  DGFS_TRY(manifest, delta::read_present_manifest(session.env(), inputs.delta_path));
  DGFS_CHECK(
      view::check_is_of_delta(*source.image, inputs.image_path, inputs.delta_path, manifest));
  delta::StoreOptions options;
  options.access = delta::StoreAccess::kReadOnly;
  memory.share_with(options);
  DGFS_TRY(delta, open_delta(session, inputs, options));
  source.delta = std::move(delta);
  const bool has_base = source.delta->manifest().base.has_value();
  DGFS_TRY(bottom, view::bottom_of_delta(session.env(), source.image, inputs.image_path,
                                         inputs.delta_path, source.delta->manifest(), open));
  source.image = std::move(bottom);
  if (has_base && inputs.check_image) {
    DGFS_CHECK(inputs.check_image(*source.image));
  }
  source.state = state_of(*source.delta, inputs.as_of.has_value());
  DGFS_CHECK(check_names(source, inputs, &session.io().stop));
  view::ViewOptions view_options;
  memory.share_with(view_options);
  DGFS_TRY(view, view::View::open(session.env(), source.image, *source.delta, view_options));
  source.view = std::move(view);
  return source;
}

}  // namespace dgfs::tools
