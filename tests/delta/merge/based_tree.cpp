// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/merge/based_tree.h"

#include <chrono>
#include <thread>
#include <utility>

#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"
#include "delta/view/moment.h"

namespace dgfs::test {
namespace {

const view::ViewOptions kOptionsOfView{4, 64};

}  // namespace

delta::StoreOptions based_store_options() {
  delta::StoreOptions options;
  options.create = true;
  options.parameters = {1024, 4096, 4, 1 << 18, 256};
  options.table_bytes = 8192;
  options.dirty_bytes = 16384;
  options.level = 0;
  return options;
}

merge::BaseSource base_source(const std::string& directory) {
  merge::BaseSource source;
  source.directory = directory;
  source.image_path = kImage;
  source.cache_bytes = std::size_t{1} << 20;
  return source;
}

builder::BuildOptions base_build_options() {
  builder::BuildOptions options;
  options.jobs = 1;
  options.memory_bytes = builder::kMemoryBytesMin;
  options.created_seconds = 1'000'000;
  return options;
}

Result<std::shared_ptr<const reader::Image>> open_bottom(storage::Env& env,
                                                         const std::string& directory,
                                                         const delta::Manifest& manifest) {
  DGFS_TRY(given, reader::Image::open(env, kImage, {}));
  return view::bottom_of_delta(env, std::move(given), kImage, directory, manifest, {});
}

Result<merge::MadeBase> make_live_base(storage::Env& env, const view::View& view,
                                       const std::string& directory, std::size_t layers,
                                       const merge::RepackRules& rules,
                                       const builder::BuildOptions& options) {
  auto source = base_source(directory);
  source.layers = layers;
  source.open_bottom = view.image();
  DGFS_TRY(nameless, view.orphans(layers));
  source.nameless = std::move(nameless);
  return merge::make_base(env, source, rules, options);
}

Status put_live_base(storage::Env& env, view::View& view, const delta::DeltaDirectory& delta,
                     const std::string& directory, const merge::MadeBase& made) {
  const auto present = view.image();
  DGFS_TRY(base, view::open_base(env, *present, kImage, directory, delta.present_manifest(),
                                 made.plan.base, {}));
  return view.put_base(made.plan, std::move(base));
}

std::set<std::string> leftovers_in(storage::Env& env, const std::string& directory,
                                   const delta::Manifest& manifest,
                                   const std::set<std::string>& others) {
  std::set<std::string> named = {"MANIFEST", "lock"};
  for (const delta::StackedStore& store : manifest.stores) named.insert(store.name());
  if (manifest.base) {
    const auto base = delta::base_file_name(manifest.base->number);
    named.insert(base);
    named.insert(base + ".idx");
    for (const auto number : manifest.base->kept) named.insert(delta::base_file_name(number));
  }
  std::set<std::string> left;
  for (const auto& name : value_of(value_of(env.open_directory(directory))->list())) {
    if (!named.contains(name) && !others.contains(name)) left.insert(name);
  }
  return left;
}

std::size_t BasedTree::layers() const { return delta::layers_of(delta_->present_manifest()); }

void BasedTree::open(const builder::BuildOptions& options) {
  tree_.pack(options);
  const auto image = tree_.open();
  expect_ok(delta::DeltaDirectory::create(clock_, kDelta, image->superblock().uuid,
                                          image->superblock().next_inode, based_store_options(),
                                          512));
  open_again();
}

void BasedTree::close() {
  expect_ok(view_->close());
  view_ = nullptr;
  delta_ = nullptr;
}

void BasedTree::drop() {
  expect_ok(view_->sync());
  view_ = nullptr;
  delta_ = nullptr;
}

void BasedTree::open_again() {
  delta_ = value_of(delta::DeltaDirectory::open(clock_, kDelta, based_store_options()));
  auto bottom = value_of(open_bottom(clock_, kDelta, delta_->manifest()));
  view_ = value_of(view::View::open(clock_, std::move(bottom), *delta_, kOptionsOfView));
}

void BasedTree::wait_until_closed() const {
  while (!view_->closing_state()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  expect_ok(*view_->closing_state());
}

BasedTree::Past BasedTree::look_back(std::size_t layers) {
  Past past;
  past.delta = value_of(delta::DeltaDirectory::open_state(
      clock_, kDelta, [&](const delta::Manifest&) -> Result<std::size_t> { return layers; },
      based_store_options()));
  auto bottom = value_of(open_bottom(clock_, kDelta, past.delta->manifest()));
  past.view = value_of(view::View::open(clock_, std::move(bottom), *past.delta, kOptionsOfView));
  return past;
}

std::uint64_t BasedTree::blocks_of(view::ObjectNumber file) const {
  const view::Moment moment(view::generation_of(view_->image(), *delta_));
  const auto record = value_of(moment.uncapped_record(file));
  if (record) return record->attributes.blocks;
  const auto shown = view_->attributes(file);  // without a name and a record
  return shown ? shown.value().blocks : 0;
}

merge::LiveMergeOptions BasedTree::live_options() const {
  merge::LiveMergeOptions options;
  options.directory = kDelta;
  options.image_path = kImage;
  options.memory_bytes = std::size_t{8} << 20;
  return options;
}

}  // namespace dgfs::test
