// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/offline_merge.h"

#include <new>
#include <utility>
#include <vector>

#include "delta/merge/merge_target.h"
#include "delta/store/directory/space_to_begin.h"
#include "delta/view/bottom_image.h"
#include "delta/view/marked_orphans.h"
#include "delta/view/moment.h"
#include "delta/view/offline_seal.h"
#include "delta/view/view.h"

namespace dgfs::merge {
namespace {

// Objects without a name that a kill has left end first: the merge may take the marks that say so,
// and leave the rest of them above the base.
Status end_orphans(storage::Env& env, const std::shared_ptr<const reader::Image>& bottom,
                   delta::DeltaDirectory& delta) {
  DGFS_TRY(orphans,
           view::marked_orphans(view::Moment(view::generation_of(bottom, delta)).stores()));
  if (orphans.empty()) return ok();
  DGFS_CHECK(view::View::open(env, bottom, delta));
  return ok();
}

// Objects that get their names above the layers that are merged: the base has their contents.
Result<std::vector<view::Orphan>> named_above(storage::Env& env, const delta::DeltaDirectory& delta,
                                              const BaseSource& source, std::size_t layers) {
  reader::OpenOptions of_image;
  of_image.volume_paths = source.volume_paths;
  DGFS_TRY(given, reader::Image::open(env, source.image_path, of_image));
  DGFS_TRY(bottom, view::bottom_of_delta(env, std::move(given), source.image_path, source.directory,
                                         delta.manifest(), of_image));
  const auto generation = view::generation_of(std::move(bottom), delta);
  DGFS_TRY(objects, view::nameless_below(*generation, layers));
  const view::Moment moment(generation);
  std::vector<view::Orphan> named;
  for (const view::ObjectNumber object : objects) {
    const auto record = moment.record(object);  // a damaged one waits for a repair
    if (!record || !record.value() || record.value()->attributes.link_count == 0) continue;
    named.push_back({object, {}});
  }
  return named;
}

Result<MergeOutcome> merge_open(storage::Env& env, delta::DeltaDirectory& delta, BaseSource& source,
                                const MergeRequest& request, builder::BuildOptions options) {
  const auto begin_ns = env.monotonic_ns();
  const auto wanted =
      target_request(env, source.directory, delta.manifest(), request, !delta.is_unchanged());
  DGFS_TRY(target, choose_target(delta.manifest(), wanted, source.directory));
  MergeOutcome outcome;
  DGFS_TRY(before, delta_bytes(env, source.directory));
  outcome.bytes_before = before;
  if (target.seals) {
    delta::SealRequest seal;
    seal.even_unchanged = true;
    DGFS_CHECK(view::seal_open(delta, seal));
  }
  DGFS_CHECK(delta.note_image(request.image_path));
  source.layers = target.layers;
  if (!target.seals) {
    DGFS_TRY(named, named_above(env, delta, source, target.layers));
    source.nameless = std::move(named);
  }
  DGFS_TRY(made, make_base(env, source, request.repack, std::move(options)));
  outcome.base = std::move(made);
  auto prepared = delta.prepare_base(outcome.base.plan);
  if (!prepared) {
    drop_base(env, outcome.base);
    return std::move(prepared).error();
  }
  DGFS_CHECK(delta.commit_base(std::move(prepared).value()));
  // From here on the merge has been made, whatever fails.
  auto removed = delta.remove_unneeded();
  if (removed && !removed.value()) {
    outcome.unremoved = Error(ErrorKind::kBusy, 7635, "another process reads them");
  } else if (!removed) {
    outcome.unremoved = std::move(removed).error();
  }
  if (auto closed = delta.close(); !closed && !outcome.unremoved) {
    outcome.unremoved = std::move(closed).error();
  }
  const auto after = delta_bytes(env, source.directory);
  outcome.bytes_after = after ? after.value() : 0;
  outcome.took_ns = env.monotonic_ns() - begin_ns;
  return outcome;
}

// Seals nothing: the merge would.
Result<MergeOutcome> try_merge(storage::Env& env, BaseSource& source, const MergeRequest& request,
                               builder::BuildOptions options) {
  delta::StoreOptions to_read;
  to_read.access = delta::StoreAccess::kReadOnly;
  DGFS_TRY(delta, delta::DeltaDirectory::open(env, source.directory, to_read));
  const auto wanted =
      target_request(env, source.directory, delta->manifest(), request, !delta->is_unchanged());
  DGFS_TRY(target, choose_target(delta->manifest(), wanted, source.directory));
  MergeOutcome outcome;
  DGFS_TRY(before, delta_bytes(env, source.directory));
  outcome.bytes_before = before;
  // Of the store that the seal would make.
  delta::StoreOptions next;
  next.parameters = delta->newest().parameters();
  const auto next_bytes = target.seals ? delta::bytes_to_begin(next) : 0;
  delta = nullptr;
  source.layers = target.seals ? 0 : target.layers;
  options.dry_run = true;
  DGFS_TRY(made, make_base(env, source, request.repack, std::move(options)));
  outcome.base = std::move(made);
  outcome.base.peak_bytes += next_bytes;
  return outcome;
}

}  // namespace

Result<MergeOutcome> merge_offline(storage::Env& env, BaseSource source,
                                   const MergeRequest& request,
                                   const builder::BuildOptions& options) {
  try {
    if (request.dry_run) return try_merge(env, source, request, options);
    // A wrong image is refused before the delta is sealed.
    reader::OpenOptions of_image;
    of_image.volume_paths = source.volume_paths;
    DGFS_TRY(given, reader::Image::open(env, source.image_path, of_image));
    std::shared_ptr<const reader::Image> image = std::move(given);
    DGFS_TRY(delta, delta::DeltaDirectory::open(env, source.directory, view::options_to_seal()));
    DGFS_CHECK(
        view::check_is_of_delta(*image, source.image_path, source.directory, delta->manifest()));
    {
      DGFS_TRY(bottom, view::bottom_of_delta(env, image, source.image_path, source.directory,
                                             delta->manifest(), of_image));
      DGFS_CHECK(end_orphans(env, bottom, *delta));
    }
    // A base lies in the delta.
    MergeRequest asked = request;
    if (image->superblock().uuid != delta->manifest().image) asked.image_path.clear();
    image = nullptr;
    return merge_open(env, *delta, source, asked, options);
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7626, "no memory for a merge");
  }
}

}  // namespace dgfs::merge
