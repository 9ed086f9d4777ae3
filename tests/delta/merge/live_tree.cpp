// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/merge/live_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "delta/merge/offline_merge.h"
#include "delta/view/bottom_image.h"
#include "delta/view/check/namespace_check.h"
#include "format/entry/mode.h"
#include "reader/check/verify.h"

namespace dgfs::test {
namespace {

std::string time_text(Time time) { return fmt::format("{}.{:09}", time.seconds, time.nanoseconds); }

void expect_sound_image(const reader::Image& image) {
  reader::VerifyOptions options;
  options.jobs = 1;
  options.digests = value_of(image.digest_algorithm()).has_value();
  options.damaged_file = [](const std::string& path, const Error& error) {
    ADD_FAILURE() << path << ": " << error.message();
  };
  options.damaged_index = [](const Error& error) { ADD_FAILURE() << error.message(); };
  EXPECT_TRUE(value_of(reader::verify(image, options)).sound());
}

void add_facts_below(const view::View& view, view::ObjectNumber directory, const std::string& path,
                     std::map<std::string, std::string>& facts) {
  std::vector<std::pair<std::string, view::ObjectNumber>> names;
  expect_ok(view.list(directory, "", [&](const view::View::ListedName& listed) {
    names.emplace_back(listed.name, listed.object);
    return true;
  }));
  for (const auto& [name, object] : names) {
    const auto below = path.empty() ? name : path + "/" + name;
    const auto entry = value_of(view.lookup(directory, name));
    EXPECT_EQ(entry.object, object) << below;
    facts[below] = fmt::format("object {} {}", object, facts_of(view, object));
    if (!format::is_directory(entry.attributes.mode)) continue;
    EXPECT_EQ(value_of(view.lookup(object, "..")).object, directory) << below;
    add_facts_below(view, object, below, facts);
  }
}

}  // namespace

LiveTree::LiveTree() {
  build_options_.created_seconds = 1'000'000;
  store_options_.create = true;
  store_options_.parameters = {1024, 4096, 4, 1 << 18, 256};
  store_options_.table_bytes = 8192;
  store_options_.dirty_bytes = 16384;
  store_options_.level = 0;
}

void LiveTree::open() {
  tree_.pack(build_options_);
  const auto image = value_of(reader::Image::open(clock_, kImage));
  expect_ok(delta::DeltaDirectory::create(clock_, kDelta, image->superblock().uuid,
                                          image->superblock().next_inode, store_options_, 512));
  open_delta();
}

void LiveTree::open_delta() {
  std::shared_ptr<const reader::Image> image = value_of(reader::Image::open(clock_, kImage));
  delta_ = value_of(delta::DeltaDirectory::open(clock_, kDelta, store_options_));
  auto bottom =
      value_of(view::bottom_of_delta(clock_, image, kImage, kDelta, delta_->manifest(), {}));
  view_ = value_of(view::View::open(clock_, std::move(bottom), *delta_, view_options_));
}

void LiveTree::drop() {
  view_ = nullptr;
  delta_ = nullptr;
}

void LiveTree::reopen() {
  expect_ok(view_->close());
  drop();
  open_delta();
}

void LiveTree::reopen_after_failure() {
  static_cast<void>(view_->close());
  drop();
  open_delta();
}

void LiveTree::reopen_after_crash(storage::CrashLoss loss) {
  drop();
  memory().crash(loss, 1);
  open_delta();
}

void LiveTree::reopen_sealed() {
  expect_ok(view_->close());
  drop();
  delta::SealRequest request;
  request.even_unchanged = true;
  value_of(view::seal_offline(clock_, kDelta, request));
  open_delta();
}

void LiveTree::reopen_merged() {
  expect_ok(view_->close());
  drop();
  merge::BaseSource source;
  source.directory = kDelta;
  source.image_path = kImage;
  builder::BuildOptions build;
  build.jobs = 1;
  build.memory_bytes = builder::kMemoryBytesMin;
  value_of(merge::merge_offline(clock_, source, {}, build));
  open_delta();
}

void LiveTree::seal() {
  clock_.step();
  delta::SealRequest request;
  request.even_unchanged = true;
  value_of(view_->seal(request));
  while (!view_->closing_state()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  expect_ok(*view_->closing_state());
}

Result<merge::MadeBase> LiveTree::try_make(const merge::RepackRules& rules) {
  return try_make_of(delta_->stores().size() - 1, rules);
}

Result<merge::MadeBase> LiveTree::try_make_of(std::size_t layers, const merge::RepackRules& rules) {
  clock_.step();
  merge::BaseSource source;
  source.directory = kDelta;
  source.image_path = kImage;
  source.layers = layers;
  DGFS_TRY(nameless, view_->orphans(source.layers));
  source.nameless = std::move(nameless);
  builder::BuildOptions build;
  build.jobs = 1;
  build.memory_bytes = builder::kMemoryBytesMin;
  return merge::make_base(clock_, source, rules, std::move(build));
}

merge::MadeBase LiveTree::make() {
  auto made = value_of(try_make());
  const auto base = value_of(open_base(made));
  expect_sound_image(*base);
  return made;
}

Result<std::shared_ptr<const reader::Image>> LiveTree::open_base(const merge::MadeBase& made) {
  const auto present = view_->image();
  return view::open_base(clock_, *present, kImage, kDelta, delta_->present_manifest(),
                         made.plan.base, {});
}

Status LiveTree::try_put(const merge::MadeBase& made) {
  clock_.step();
  DGFS_TRY(base, open_base(made));
  return view_->put_base(made.plan, std::move(base));
}

void LiveTree::put(const merge::MadeBase& made) {
  expect_ok(try_put(made));
  expect_ok(view_->end_merge());
}

merge::MadeBase LiveTree::merge(const std::function<void()>& meanwhile) {
  const auto orphans = [this] {
    std::map<view::ObjectNumber, std::string> facts;
    for (const auto& each : value_of(view_->orphans(0)))
      facts[each.object] = facts_of(*view_, each.object);
    return facts;
  };
  const auto first = facts_below(*view_);
  const auto first_orphans = orphans();
  seal();
  auto made = make();
  EXPECT_EQ(facts_below(*view_), first);
  EXPECT_EQ(orphans(), first_orphans);
  if (meanwhile) meanwhile();
  const auto before = facts_below(*view_);
  const auto before_orphans = orphans();
  put(made);
  EXPECT_EQ(facts_below(*view_), before);
  EXPECT_EQ(orphans(), before_orphans);
  EXPECT_EQ(view_->image()->superblock().uuid, made.plan.base.uuid);
  expect_sound();
  return made;
}

void LiveTree::expect_sound() {
  expect_ok(view::check_namespace(view::generation_of(view_->image(), *delta_),
                                  [](const view::Finding& finding) {
                                    ADD_FAILURE() << view::word_of(finding.rule) << ", object "
                                                  << finding.object << ": " << finding.text;
                                  }));
}

void LiveTree::expect_same_after_reopening() {
  const auto before = facts_below(*view_);
  reopen();
  EXPECT_EQ(facts_below(*view_), before);
  expect_sound();
}

std::size_t LiveTree::count_files(std::string_view prefix) {
  const auto names = value_of(value_of(memory().open_directory(kDelta))->list());
  return static_cast<std::size_t>(std::ranges::count_if(
      names, [&](const std::string& name) { return name.starts_with(prefix); }));
}

std::vector<view::ObjectNumber> LiveTree::nameless() {
  std::vector<view::ObjectNumber> objects;
  expect_ok(view_->image()->walk_nameless([&](const reader::Node& node) {
    objects.push_back(node.inode);
    return true;
  }));
  return objects;
}

std::string facts_of(const view::View& view, view::ObjectNumber object) {
  const auto found = view.attributes(object);
  if (!found) return fmt::format("error {}", static_cast<int>(found.error().kind()));
  const auto& attributes = found.value();
  auto text = fmt::format(
      "mode {:o} owner {}:{} links {} children {} size {} rdev {} mtime {} ctime {} atime {}",
      attributes.mode, attributes.uid, attributes.gid, attributes.link_count, attributes.children,
      attributes.size_bytes, attributes.rdev, time_text(attributes.mtime),
      time_text(attributes.ctime), time_text(attributes.atime));
  for (const auto& name : value_of(view.xattr_names(object))) {
    text += fmt::format(" {}={}", name, as_text(value_of(view.xattr(object, name))));
  }
  if (format::is_symlink(attributes.mode)) text += " to " + value_of(view.read_link(object));
  if (format::is_regular(attributes.mode)) text += " content " + content_of(view, object);
  if (format::is_directory(attributes.mode)) {
    const auto parent = view.lookup(object, "..");
    text += fmt::format(" parent {}", parent ? parent.value().object : 0);
  }
  for (const auto& path : value_of(view.paths(object))) text += " at " + path;
  return text;
}

std::map<std::string, std::string> facts_below(const view::View& view) {
  std::map<std::string, std::string> facts;
  facts["/"] = facts_of(view, view::kRoot);
  add_facts_below(view, view::kRoot, {}, facts);
  return facts;
}

std::string content_of(const view::View& view, view::ObjectNumber file) {
  std::string bytes(static_cast<std::size_t>(value_of(view.attributes(file)).size_bytes), '\0');
  EXPECT_EQ(value_of(view.read(file, 0, as_mutable_bytes(bytes))), bytes.size());
  return bytes;
}

}  // namespace dgfs::test
