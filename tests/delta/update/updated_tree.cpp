// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/update/updated_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "delta/store/directory/states.h"
#include "delta/view/check/namespace_check.h"
#include "format/entry/mode.h"
#include "tests/delta/merge/same_tree.h"

namespace dgfs::test {
namespace {

constexpr std::int64_t kFirstSecond = 1'000'000'000;
constexpr std::size_t kMemoryBytes = std::size_t{28} << 20;

std::string below(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

enum class Shows : bool { kContents, kAttributesToo };

void add_shown(const view::View& view, view::ObjectNumber directory, const std::string& path,
               Shows what, std::map<std::string, std::string>& shown) {
  std::vector<std::pair<std::string, view::ObjectNumber>> names;
  expect_ok(view.list(directory, "", [&](const view::View::ListedName& listed) {
    names.emplace_back(listed.name, listed.object);
    return true;
  }));
  for (const auto& [name, object] : names) {
    const auto attributes = value_of(view.attributes(object));
    auto& text = shown[below(path, name)];
    if (format::is_symlink(attributes.mode)) text = value_of(view.read_link(object));
    if (format::is_regular(attributes.mode)) {
      text.resize(attributes.size_bytes);
      EXPECT_EQ(value_of(view.read(object, 0, as_mutable_bytes(text))), text.size());
    }
    if (format::is_directory(attributes.mode)) {
      add_shown(view, object, below(path, name), what, shown);
    }
    if (what == Shows::kContents) continue;
    text += fmt::format(" mode {:o} owner {}:{} links {} mtime {}.{} object {}", attributes.mode,
                        attributes.uid, attributes.gid, attributes.link_count,
                        attributes.mtime.seconds, attributes.mtime.nanoseconds, object);
    for (const auto& xattr : value_of(view.xattr_names(object))) {
      text += " " + xattr + "=" + std::string(as_text(value_of(view.xattr(object, xattr))));
    }
  }
}

void remove_below(storage::Directory& directory, const std::string& name) {
  if (format::is_directory(value_of(directory.status(name)).mode)) {
    const auto opened = value_of(directory.open_directory(name));
    for (const auto& each : value_of(opened->list())) remove_below(*opened, each);
  }
  expect_ok(directory.remove(name));
}

}  // namespace

update::UpdateRequest request_of() {
  update::UpdateRequest request;
  request.image_path = kImage;
  request.delta_path = UpdatedTree::kDelta;
  request.source = UpdatedTree::kSource;
  request.deletes = true;
  request.jobs = 1;
  request.memory_bytes = kMemoryBytes;
  return request;
}

std::map<std::string, std::string> tree_shown(storage::Env& env, const MergeSources& sources) {
  std::map<std::string, std::string> shown;
  const auto opened = value_of(open_sources(env, sources));
  expect_ok(view::check_namespace(view::generation_of(*opened.image, *opened.delta),
                                  [](const view::Finding& finding) {
                                    ADD_FAILURE() << view::word_of(finding.rule) << ", object "
                                                  << finding.object << ": " << finding.text;
                                  }));
  add_shown(*opened.view, view::kRoot, {}, Shows::kAttributesToo, shown);
  return shown;
}

void UpdatedTree::step() { memory().set_now({kFirstSecond + ++seconds_, 7}); }

void UpdatedTree::file(const std::string& path, Bytes content) {
  step();
  const auto parent = source().parent(path);
  if (parent->status(storage::base_name(path))) remove(path);
  source().file(path, content);
}

void UpdatedTree::write(const std::string& path, std::uint64_t offset_bytes,
                        std::string_view bytes) {
  step();
  const auto file = value_of(
      memory().open(std::string(kSource) + "/" + path, {storage::OpenOptions::Mode::kReadWrite}));
  expect_ok(file->write_at(offset_bytes, as_bytes(bytes)));
}

void UpdatedTree::remove(const std::string& path) {
  step();
  remove_below(*source().parent(path), storage::base_name(path));
}

Result<update::UpdateReport> UpdatedTree::try_update(const update::UpdateRequest& request,
                                                     storage::Env* env) {
  return update::update(env == nullptr ? static_cast<storage::Env&>(memory()) : *env, request);
}

update::UpdateReport UpdatedTree::update(const update::UpdateRequest& request) {
  step();
  auto report = value_of(try_update(request));
  expect_sound();
  return report;
}

update::UpdateReport UpdatedTree::update_whole(const update::UpdateRequest& request) {
  auto report = update(request);
  EXPECT_EQ(difference_from_source(), "");
  const auto before = files_of_delta();
  const auto again = update(request);
  EXPECT_EQ(again.changed + again.created + again.removed + again.written_bytes, 0U);
  EXPECT_FALSE(again.sealed.outcome);
  EXPECT_TRUE(files_of_delta() == before);
  return report;
}

std::string UpdatedTree::difference_from_source() {
  builder::BuildOptions build;
  build.source = kSource;
  build.image_path = "/out/expected-" + std::to_string(++builds_) + ".dgfs";
  build.jobs = 1;
  build.memory_bytes = builder::kMemoryBytesMin;
  value_of(builder::build(memory(), build));
  auto plan = plan_of(MergeKind::kRenumbers);
  plan.build.image_path = "/out/shown-" + std::to_string(builds_) + ".dgfs";
  changed_.merge(plan);
  const auto expected = changed_.open_image(build.image_path);
  const auto seen = changed_.open_image(plan.build.image_path);
  return difference_of_trees(ModelTree::of_image(*expected), ModelTree::of_image(*seen));
}

delta::Manifest UpdatedTree::manifest() {
  return value_of(delta::read_present_manifest(memory(), kDelta));
}

std::vector<std::string> UpdatedTree::names_in_delta() {
  auto names = value_of(value_of(memory().open_directory(kDelta))->list());
  std::ranges::sort(names);
  return names;
}

std::map<std::string, std::string> UpdatedTree::files_of_delta() {
  auto files = tree_below(*value_of(memory().open_directory(kDelta)));
  files.erase("MANIFEST");
  return files;
}

std::map<std::string, std::string> UpdatedTree::shown() {
  std::map<std::string, std::string> shown;
  const auto opened = value_of(open_sources(memory(), changed_.sources()));
  add_shown(*opened.view, view::kRoot, {}, Shows::kContents, shown);
  return shown;
}

void UpdatedTree::expect_sound() { static_cast<void>(tree_shown(memory(), changed_.sources())); }

std::vector<std::string> RandomSource::paths() {
  std::vector<std::string> paths;
  const auto root = value_of(tree_.memory().open_directory(UpdatedTree::kSource));
  for (const auto& [path, content] : tree_below(*root)) paths.push_back(path);
  return paths;
}

std::string RandomSource::directory() {
  std::vector<std::string> directories = {""};
  for (const auto& path : paths()) {
    const auto parent = tree_.source().parent(path);
    if (format::is_directory(value_of(parent->status(storage::base_name(path))).mode)) {
      directories.push_back(path);
    }
  }
  return directories[random_.below(directories.size())];
}

// Few names, so that they come again with another type; neighbours of each other in bytes.
std::string RandomSource::name() {
  static const std::array kNames = {"a", "a.", "a0", "b", "\x7f", "\x80", "\xff", "Z", "c c"};
  return kNames[random_.below(kNames.size())];
}

Buffer RandomSource::content() {
  Buffer bytes = random_.bytes(random_.below(random_.one_in(4) ? 9000 : 700));
  if (random_.one_in(3)) std::ranges::fill(bytes, std::uint8_t{0});
  return bytes;
}

void RandomSource::make(const std::string& path) {
  const auto parent = tree_.source().parent(path);
  const auto name = storage::base_name(path);
  const auto all = paths();
  switch (random_.below(6)) {
    case 0:
      return tree_.source().directory(path);
    case 1:
      return tree_.source().symlink(path, "to " + this->name());
    case 2: {
      const std::array kTypes = {format::kTypeFifo, format::kTypeCharacterDevice};
      return expect_ok(parent->make_node(name, kTypes[random_.below(2)] | 0640, random_.below(3)));
    }
    case 3: {
      const auto existing = all.empty() ? path : all[random_.below(all.size())];
      const auto from = tree_.source().parent(existing);
      const auto status = from->status(storage::base_name(existing));
      if (!status || format::is_directory(status.value().mode)) break;
      return tree_.source().link(existing, path);
    }
    default:
      break;
  }
  tree_.source().file(path, content());
}

void RandomSource::edit(const std::string& path) {
  const auto status = value_of(tree_.source().parent(path)->status(storage::base_name(path)));
  if (!format::is_regular(status.mode)) return set_attributes(path);
  const auto file = value_of(tree_.memory().open(std::string(UpdatedTree::kSource) + "/" + path,
                                                 {storage::OpenOptions::Mode::kReadWrite}));
  if (random_.one_in(3)) expect_ok(file->truncate(random_.below(6000)));
  if (random_.one_in(4)) expect_ok(file->punch(0, 4096));
  expect_ok(file->write_at(random_.below(5000), content()));
}

void RandomSource::set_attributes(const std::string& path) {
  const auto parent = tree_.source().parent(path);
  const auto name = storage::base_name(path);
  const auto mode = value_of(parent->status(name)).mode;
  switch (random_.below(4)) {
    case 0:
      if (format::is_symlink(mode)) break;
      return expect_ok(parent->set_mode(name, static_cast<std::uint32_t>(random_.below(010000))));
    case 1:
      return expect_ok(parent->set_owner(name, static_cast<std::uint32_t>(random_.below(3)),
                                         static_cast<std::uint32_t>(random_.below(3))));
    case 2:
      return expect_ok(parent->set_times(
          name, std::nullopt,
          {static_cast<std::int64_t>(random_.below(3)), static_cast<std::uint32_t>(5)}));
    default:
      break;
  }
  const std::string key = random_.one_in(2) ? "user.a" : "security.b";
  const auto removed = parent->remove_xattr(name, key);
  if (!removed) expect_ok(parent->set_xattr(name, key, random_.bytes(random_.below(20))));
}

void RandomSource::change() {
  tree_.step();
  const auto path = below(directory(), name());
  const bool is_there = tree_.source().parent(path)->status(storage::base_name(path)).has_value();
  if (!is_there) return make(path);
  switch (random_.below(4)) {
    case 0:
      return tree_.remove(path);
    case 1:
      tree_.remove(path);
      return make(path);
    case 2:
      return edit(path);
    default:
      return set_attributes(path);
  }
}

}  // namespace dgfs::test
