// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/merge/changed_tree.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "delta/view/bottom_image.h"
#include "format/entry/mode.h"
#include "reader/check/verify.h"
#include "tests/delta/view/model/view_operations.h"

namespace dgfs::test {
namespace {

constexpr std::uint64_t kChunkBytes = 512;
const view::ViewOptions kViewOptions = {4, 64};

// The directory of a path, and the last name.
std::pair<view::ObjectNumber, std::string> place_of(const view::View& view, std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {view::kRoot, std::string(path)};
  return {object_at(view, path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

void expect_sound(const reader::Image& image) {
  reader::VerifyOptions options;
  options.jobs = 1;
  options.digests = value_of(image.digest_algorithm()).has_value();
  options.damaged_file = [](const std::string& path, const Error& error) {
    ADD_FAILURE() << path << ": " << error.message();
  };
  options.damaged_index = [](const Error& error) { ADD_FAILURE() << error.message(); };
  EXPECT_TRUE(value_of(reader::verify(image, options)).sound());
}

}  // namespace

Result<OpenSources> open_sources(storage::Env& env, const MergeSources& sources) {
  OpenSources opened;
  delta::StoreOptions options;
  options.access = delta::StoreAccess::kReadOnly;
  options.memory_bytes = std::size_t{16} << 20;
  DGFS_TRY(image, reader::Image::open(env, sources.image_path, sources.open));
  DGFS_TRY(delta, delta::DeltaDirectory::open(env, sources.delta_path, options));
  opened.delta = std::move(delta);
  DGFS_TRY(bottom,
           view::bottom_of_delta(env, std::move(image), sources.image_path, sources.delta_path,
                                 opened.delta->manifest(), sources.open));
  opened.image = std::move(bottom);
  DGFS_TRY(view, view::View::open(env, *opened.image, *opened.delta, kViewOptions));
  opened.view = std::move(view);
  return opened;
}

MergePlan plan_of(MergeKind kind) {
  MergePlan plan;
  plan.kind = kind;
  plan.build.image_path = kNew;
  plan.build.jobs = 1;
  plan.build.memory_bytes = builder::kMemoryBytesMin;
  plan.build.created_seconds = 1'000'000;
  return plan;
}

Result<builder::BuildReport> merge_open(const OpenSources& sources, storage::Env& env,
                                        const MergePlan& plan) {
  if (plan.kind == MergeKind::kRenumbers) return merge::repack(env, *sources.view, plan.build);
  merge::MergeOptions options;
  options.times = plan.times;
  options.keeps_contents = plan.kind == MergeKind::kKeeps;
  return merge::merge(env, *sources.image, *sources.delta, *sources.view, options, plan.build);
}

Result<builder::BuildReport> merge_files(storage::Env& env, const MergeSources& sources,
                                         const MergePlan& plan) {
  DGFS_TRY(opened, open_sources(env, sources));
  return merge_open(opened, env, plan);
}

ChangedTree::ChangedTree() {
  build_options_.created_seconds = 1'000'000;
  store_options_.create = true;
  store_options_.parameters = {1024, 4096, 4, 1 << 18, 256};
  store_options_.table_bytes = 8192;
  store_options_.dirty_bytes = 16384;
  store_options_.level = 0;
}

void ChangedTree::pack() {
  tree_.pack(build_options_);
  make_delta();
}

void ChangedTree::make_delta() {
  const auto image = open_image(sources_.image_path);
  expect_ok(delta::DeltaDirectory::create(clock_, sources_.delta_path, image->superblock().uuid,
                                          image->superblock().next_inode, store_options_,
                                          kChunkBytes));
}

void ChangedTree::change(const std::function<void(view::View&)>& change) {
  change_delta([&](delta::DeltaDirectory&, view::View& view) { change(view); });
}

void ChangedTree::change_delta(
    const std::function<void(delta::DeltaDirectory&, view::View&)>& change) {
  clock_.step();
  auto given = value_of(reader::Image::open(clock_, sources_.image_path, sources_.open));
  const auto delta =
      value_of(delta::DeltaDirectory::open(clock_, sources_.delta_path, store_options_));
  const auto image =
      value_of(view::bottom_of_delta(clock_, std::move(given), sources_.image_path,
                                     sources_.delta_path, delta->manifest(), sources_.open));
  const auto view = value_of(view::View::open(clock_, *image, *delta, kViewOptions));
  change(*delta, *view);
  expect_ok(view->close());
}

Result<builder::BuildReport> ChangedTree::try_merge(const MergePlan& plan) {
  return merge_files(counting(), sources_, plan);
}

builder::BuildReport ChangedTree::merge(const MergePlan& plan) { return value_of(try_merge(plan)); }

void ChangedTree::go_on(const std::string& image_path) {
  sources_.image_path = image_path;
  sources_.delta_path = "/delta-" + std::to_string(++deltas_);
  make_delta();
}

std::unique_ptr<const reader::Image> ChangedTree::open_image(const std::string& image_path) {
  return value_of(reader::Image::open(counting(), image_path, sources_.open));
}

std::unique_ptr<const reader::Image> ChangedTree::merged(const std::string& image_path) {
  auto image = open_image(image_path);
  expect_sound(*image);
  EXPECT_EQ(difference_from(*image), "");
  return image;
}

std::string ChangedTree::difference_from(const reader::Image& image) {
  const auto opened = value_of(open_sources(counting(), sources_));
  auto model = ModelTree::of_image(image);
  const ObjectPairs pairs(model);
  for (const auto& [id, object] : model.objects()) {
    if (!format::is_regular(object.attributes.mode)) continue;
    const auto seen = opened.view->attributes(id);
    if (seen) model.set_blocks(id, seen.value().blocks);
  }
  return difference_of_names(*opened.view, model, pairs);
}

view::ObjectNumber object_at(const view::View& view, std::string_view path) {
  auto object = view::kRoot;
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    object = value_of(view.lookup(object, path.substr(0, slash))).object;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return object;
}

view::ObjectNumber make_file(view::View& view, std::string_view path, std::string_view content) {
  const auto [directory, name] = place_of(view, path);
  const auto file = value_of(view.create(directory, name, {}, {})).object;
  write_at(view, file, 0, content);
  return file;
}

void write_at(view::View& view, view::ObjectNumber file, std::uint64_t offset_bytes,
              std::string_view text) {
  EXPECT_EQ(value_of(view.write(file, offset_bytes, as_bytes(text))), text.size());
}

void remove_name(view::View& view, std::string_view path) {
  const auto [directory, name] = place_of(view, path);
  const auto entry = value_of(view.unlink(directory, name));
  if (entry.attributes.link_count == 0) expect_ok(view.release(entry.object));
}

void remove_tree(view::View& view, std::string_view path) {
  const auto directory = object_at(view, path);
  std::vector<std::pair<std::string, std::uint32_t>> names;
  expect_ok(view.list(directory, "", [&](const view::View::ListedName& listed) {
    names.emplace_back(listed.name, listed.type);
    return true;
  }));
  for (const auto& [name, type] : names) {
    const auto below = std::string(path) + "/" + name;
    format::is_directory(type) ? remove_tree(view, below) : remove_name(view, below);
  }
  const auto [parent, name] = place_of(view, path);
  const auto entry = value_of(view.remove_directory(parent, name));
  expect_ok(view.release(entry.object));
}

void move_name(view::View& view, std::string_view from, std::string_view to) {
  const auto [old_directory, old_name] = place_of(view, from);
  const auto [directory, name] = place_of(view, to);
  value_of(view.rename(old_directory, old_name, directory, name));
}

std::string content_at(const reader::Image& image, std::string_view path) {
  return std::string(as_text(value_of(contents(image, value_of(image.lookup(path))))));
}

}  // namespace dgfs::test
