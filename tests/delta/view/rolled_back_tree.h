// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A packed tree in memory and a delta over it that is opened for each piece of work, and rolled
// back in between. The start for tests of rollbacks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "delta/store/directory/states.h"
#include "delta/view/offline_rollback.h"
#include "delta/view/view.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {

/// Contents by name, of the files in the root.
using RootFiles = std::map<std::string, std::string>;

class RolledBackTree {
 public:
  static constexpr const char* kDelta = "/delta";

  RolledBackTree() {
    tree_.file("f", "of the image");
    tree_.pack();
    image_ = tree_.open();
    options_.create = true;
    options_.parameters = {1024, 4096, 4, 1 << 16, 256};
    options_.table_bytes = 8192;
    options_.dirty_bytes = 16384;
    options_.level = 0;
    expect_ok(delta::DeltaDirectory::create(memory(), kDelta, image_->superblock().uuid,
                                            image_->superblock().next_inode, options_, 512));
  }

  [[nodiscard]] storage::MemoryEnv& memory() { return tree_.memory(); }
  [[nodiscard]] delta::StoreOptions& options() { return options_; }
  [[nodiscard]] const reader::Image& image() const { return *image_; }
  /// After a crash.
  void reopen_image() { image_ = tree_.open(); }
  [[nodiscard]] delta::Manifest manifest() {
    return value_of(delta::read_present_manifest(memory(), kDelta));
  }
  [[nodiscard]] std::string store_of(std::size_t index, const std::string& directory = kDelta) {
    return directory + "/" + manifest().stores.at(index).name();
  }

  /// Opens the delta, works, and closes it.
  void with_view(const std::function<void(view::View&)>& work, const std::string& path = kDelta) {
    const auto delta = value_of(delta::DeltaDirectory::open(memory(), path, options_));
    const auto view = value_of(view::View::open(memory(), *image_, *delta, kViewOptions));
    work(*view);
    expect_ok(view->close());
  }
  /// Makes a file, or writes it anew. Returns whether its number was never seen before.
  bool write(view::View& view, const std::string& name, const std::string& content) {
    const auto found = view.lookup(view::kRoot, name);
    if (found) expect_ok(view.release(value_of(view.unlink(view::kRoot, name)).object));
    const auto made = value_of(view.create(view::kRoot, name, {}, {}));
    value_of(view.write(made.object, 0, as_bytes(content)));
    return numbers_.insert(made.object).second;
  }
  void change(const std::string& name, const std::string& content) {
    with_view([&](view::View& view) { EXPECT_TRUE(write(view, name, content)) << name; });
  }
  void seal(const std::string& name) {
    const auto sealed = value_of(view::seal_offline(memory(), kDelta, {name, {}}));
    EXPECT_TRUE(sealed.outcome);
  }
  [[nodiscard]] static RootFiles files_of(const view::View& view) {
    RootFiles files;
    std::vector<std::pair<std::string, view::ObjectNumber>> names;
    expect_ok(view.list(view::kRoot, "", [&](const view::View::ListedName& listed) {
      names.emplace_back(listed.name, listed.object);
      return true;
    }));
    for (const auto& [name, object] : names) {
      Buffer content(value_of(view.attributes(object)).size_bytes);
      EXPECT_EQ(value_of(view.read(object, 0, content)), content.size());
      files[name] = std::string(as_text(content));
    }
    return files;
  }
  [[nodiscard]] RootFiles files(const std::string& path = kDelta) {
    RootFiles files;
    with_view([&](view::View& view) { files = files_of(view); }, path);
    return files;
  }
  [[nodiscard]] RootFiles files_of_state(std::size_t layers) {
    const auto find = [&](const delta::Manifest&) -> Result<std::size_t> { return layers; };
    const auto delta =
        value_of(delta::DeltaDirectory::open_state(memory(), kDelta, find, options_));
    return files_of(*value_of(view::View::open(memory(), *image_, *delta, kViewOptions)));
  }

  [[nodiscard]] Result<view::PreparedRollback> prepare(
      const std::string& state, const std::string& path = kDelta,
      delta::StoreAccess access = delta::StoreAccess::kReadWrite) {
    return view::prepare_rollback(memory(), path, state, access);
  }
  /// Returns what it prepared.
  view::PreparedRollback roll_back(const std::string& state, const std::string& path = kDelta) {
    auto prepared = value_of(prepare(state, path));
    const auto outcome = value_of(view::make_rollback(memory(), path, prepared));
    EXPECT_FALSE(outcome.unremoved) << outcome.unremoved->message();
    EXPECT_FALSE(outcome.unclosed) << outcome.unclosed->message();
    prepared.locked.file = nullptr;
    return prepared;
  }
  /// Copies the delta, file by file.
  void copy_to(const std::string& path) {
    expect_ok(memory().make_directory(path, 0700));
    for (const std::string& name : names_in(kDelta)) {
      if (!copy_file(std::string(kDelta) + "/" + name, path + "/" + name)) {
        expect_ok(memory().make_directory(path + "/" + name, 0700));
        for (const std::string& inner : names_in(std::string(kDelta) + "/" + name)) {
          copy_file(std::string(kDelta) + "/" + name + "/" + inner,
                    path + "/" + name + "/" + inner);
        }
      }
    }
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& path) {
    auto names = value_of(value_of(memory().open_directory(path))->list());
    std::sort(names.begin(), names.end());
    return names;
  }
  void overwrite(const std::string& path, std::uint64_t bytes) {
    const auto file = value_of(memory().open(path, {storage::OpenOptions::Mode::kReadWrite}));
    expect_ok(file->write_at(0, Buffer(bytes, 0x5a)));
  }

 private:
  static inline const view::ViewOptions kViewOptions{4, 64};

  bool copy_file(const std::string& from, const std::string& to) {
    const auto source = memory().open(from);
    if (!source) return false;
    const auto size = source.value()->size();
    if (!size) return false;
    Buffer content(size.value());
    expect_ok(storage::read_exactly(*source.value(), 0, content));
    const auto copy = value_of(memory().open(to, {storage::OpenOptions::Mode::kCreateNew}));
    expect_ok(copy->write_at(0, content));
    return true;
  }

  PackedTree tree_;
  delta::StoreOptions options_;
  std::unique_ptr<const reader::Image> image_;
  std::set<view::ObjectNumber> numbers_;  ///< of all files that were ever made
};

}  // namespace dgfs::test
