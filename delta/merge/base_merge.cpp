// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/base_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "delta/merge/image_settings.h"
#include "delta/merge/merge.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"
#include "delta/view/bottom_image.h"
#include "delta/view/check/namespace_check.h"
#include "delta/view/offline_seal.h"
#include "delta/view/view.h"
#include "delta/view/view_memory.h"
#include "format/content/extent.h"
#include "format/entry/mode.h"
#include "format/header/index_path.h"

namespace dgfs::merge {
namespace {

// Of an entry, while the index is made.
constexpr std::uint64_t kTemporaryBytes = 50;

// All that is open while a base is made; the last member is closed first.
struct Layers {
  std::shared_ptr<const reader::Image> image;
  std::unique_ptr<delta::DeltaDirectory> delta;
  std::unique_ptr<view::View> view;
};

Result<Layers> open_layers(storage::Env& env, const BaseSource& source) {
  const view::ViewMemory memory(source.cache_bytes);
  reader::OpenOptions of_image;
  of_image.volume_paths = source.volume_paths;
  of_image.contents_past_page_cache = source.past_page_cache;
  of_image.warn = source.warn;
  memory.share_with(of_image);
  auto given = reader::Image::open(env, source.image_path, of_image);
  if (!given && !source.open_bottom) return std::move(given).error();
  delta::StoreOptions of_stores;
  of_stores.access = delta::StoreAccess::kReadOnly;
  memory.share_with(of_stores);
  Layers layers;
  auto delta =
      source.layers == 0
          ? delta::DeltaDirectory::open(env, source.directory, of_stores)
          : delta::DeltaDirectory::open_state(
                env, source.directory,
                [&](const delta::Manifest&) -> Result<std::size_t> { return source.layers; },
                of_stores);
  DGFS_CHECK(delta);
  layers.delta = std::move(delta).value();
  layers.image = source.open_bottom;
  if (given) {
    DGFS_TRY(bottom, view::bottom_of_delta(env, std::move(given).value(), source.image_path,
                                           source.directory, layers.delta->manifest(), of_image));
    layers.image = std::move(bottom);
  }
  view::ViewOptions of_view;
  memory.share_with(of_view);
  of_view.orphans = source.nameless;
  DGFS_TRY(view, view::View::open(env, layers.image, *layers.delta, of_view));
  layers.view = std::move(view);
  return layers;
}

// A tree of broken names would become an image that shows them as if they were sound. A directory
// without a name is not in a base, and layers over it may have changes of it all the same; the live
// store has the rest.
Status check_names(const Layers& layers, const BaseSource& source, view::StopFlag stop) {
  std::uint64_t broken = 0;
  const bool has_base = layers.delta->manifest().base.has_value();
  DGFS_CHECK(view::check_namespace(
      view::generation_of(layers.image, *layers.delta),
      [&](const view::Finding& finding) {
        if (has_base && finding.rule == view::Rule::kRecordsHaveAnObject) return;
        ++broken;
      },
      stop));
  if (broken == 0) return ok();
  return Error(ErrorKind::kCorrupt, 7625,
               fmt::format("has {} broken names, which 'dgfs delta check --image' lists", broken))
      .in_file(source.directory);
}

// The earlier bases with contents that the new one keeps.
std::vector<std::uint64_t> kept_bases(const delta::Manifest& manifest,
                                      const builder::BuildReport& report) {
  std::vector<std::uint64_t> kept;
  if (!manifest.base) return kept;
  auto earlier = manifest.base->kept;
  earlier.push_back(manifest.base->number);
  for (const std::uint64_t number : earlier) {
    const auto name = delta::base_file_name(number);
    if (std::ranges::find(report.kept_volumes, name) != report.kept_volumes.end()) {
      kept.push_back(number);
    }
  }
  return kept;
}

// Layers know their last batch; stores without states end where the next one begins, and the one
// that is written to at its last batch.
std::uint64_t changes_in(const delta::DeltaDirectory& delta) {
  const auto& stores = delta.manifest().stores;
  std::uint64_t changes = 0;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (!delta::is_base(stores[i].layer.state)) {
      changes += delta::changes_in(stores[i]);
      continue;
    }
    const auto end =
        i + 1 < stores.size() ? stores[i + 1].first_sequence : delta.newest().sequence() + 1;
    changes += end - std::min(end, stores[i].first_sequence);
  }
  return changes;
}

// "/delta/base.0003.dgfs needs 14.2 GB, and 9.1 GB are free": that file does not exist yet.
Error in_users_words(const Error& error, const std::string& path) {
  const auto prefix = path + " needs ";
  if (error.kind() != ErrorKind::kNoSpace || !error.text().starts_with(prefix)) return error;
  return {ErrorKind::kNoSpace, 7639, error.text().substr(path.size() + 1) + "; nothing was merged"};
}

void remove_quietly(storage::Env& env, const std::string& path) noexcept {
  try {
    static_cast<void>(env.remove(path));
  } catch (const std::bad_alloc&) {  // the next opening of the delta removes it
  }
}

}  // namespace

Result<MadeBase> make_base(storage::Env& env, const BaseSource& source, const RepackRules& rules,
                           builder::BuildOptions options) {
  DGFS_TRY(layers, open_layers(env, source));
  DGFS_CHECK(check_names(layers, source, view::StopFlag(options.stop)));
  // With the layers that are merged, the uppermost of which is the last store.
  const delta::Manifest& manifest = layers.delta->manifest();
  const delta::LayerFacts& newest = manifest.stores.back().layer;
  DGFS_CHECK(take_over_settings(*layers.image, options));
  MadeBase made;
  made.plan.layers = source.layers;
  made.plan.base.number = delta::next_base_number(manifest);
  if (source.layers == 0) ++made.plan.base.number;  // the seal before takes that number
  made.path = source.directory + "/" + delta::base_file_name(made.plan.base.number);
  made.changes = changes_in(*layers.delta);
  options.image_path = made.path;
  options.index_path.reset();
  options.file_mode = 0600;
  MergeOptions how;
  how.keeps_contents = !rules.all;
  how.dead_percent = rules.dead_percent;
  how.state = newest.state;
  // Numbers from there on belong to the stores above.
  how.next_inode = newest.end_of_objects;
  how.nameless = source.nameless;
  how.before_read = source.before_read;
  DGFS_TRY(reserved, view::reserved_in(*layers.delta));
  made.plan.base.end_of_numbers = reserved;
  auto merged = merge(env, *layers.image, *layers.delta, *layers.view, how, options);
  if (!merged) return in_users_words(merged.error(), made.path);
  auto report = std::move(merged).value();
  if (options.dry_run) {
    made.peak_bytes = format::raw_extent_bytes(report.packed_bytes) + bytes_of_index(*layers.image);
  }
  made.plan.base.uuid = report.superblock.uuid;
  made.plan.base.kept = kept_bases(manifest, report);
  made.report = std::move(report);
  return made;
}

void drop_base(storage::Env& env, const MadeBase& base) noexcept {
  remove_quietly(env, base.path);
  remove_quietly(env, format::default_index_path(base.path));
}

std::uint64_t bytes_of_index(const reader::Image& below) {
  const auto& superblock = below.superblock();
  return 2 * superblock.index_bytes + kTemporaryBytes * superblock.namespace_entries;
}

Result<std::uint64_t> delta_bytes(storage::Env& env, const std::string& directory) {
  DGFS_TRY(opened, env.open_directory(directory));
  DGFS_TRY(names, opened->list());
  std::uint64_t bytes = 0;
  for (const std::string& name : names) {
    const auto status = opened->status(name);
    if (!status) continue;  // it was removed meanwhile
    if (!format::is_directory(status.value().mode)) {
      bytes += status.value().allocated_bytes;
      continue;
    }
    const auto in_store = delta::bytes_on_disk(env, directory + "/" + name);
    if (in_store) bytes += in_store.value();
  }
  return bytes;
}

}  // namespace dgfs::merge
