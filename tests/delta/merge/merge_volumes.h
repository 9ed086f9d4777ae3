// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Files over several volumes, which merges leave where they are. The start for tests of volumes
// that are damaged, missing, or of earlier merges.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/delta/merge/changed_tree.h"

namespace dgfs::test {

class MergeVolumes : public testing::Test {
 protected:
  static constexpr const char* kAway = "/away";  ///< for files that are missing for a while
  static constexpr int kFiles = 12;

  static std::string name_of(int file) { return "d/f" + std::to_string(10 + file); }
  static std::string content_of(int file) {
    return std::string(static_cast<std::size_t>(3000 + 100 * file), static_cast<char>('a' + file));
  }

  PackedTree& tree() { return changed_.tree(); }
  storage::MemoryEnv& memory() { return changed_.memory(); }
  void make_tree() {
    expect_ok(memory().make_directory(kAway, 0755));
    tree().directory("d");
    for (int i = 0; i < kFiles; ++i) tree().file(name_of(i), content_of(i));
  }
  void pack(const std::vector<std::string>& volumes = {}) {
    make_tree();
    changed_.build_options().volume_paths = volumes;
    changed_.build_options().volume_groups = builder::GroupLimits{1, 1 << 20};
    changed_.pack();
  }
  /// Inverts a byte of a file's content in an image.
  void damage(const std::string& path, const char* image_path = kImage,
              std::uint64_t offset_bytes = 1500) {
    const auto image = changed_.open_image(image_path);
    const auto place = value_of(image->locate(value_of(image->lookup(path)), offset_bytes));
    const auto file = value_of(memory().open(place.file, {storage::OpenOptions::Mode::kReadWrite}));
    Buffer byte(1);
    expect_ok(storage::read_exactly(*file, place.offset_bytes, byte));
    byte.front() = static_cast<std::uint8_t>(~byte.front());
    expect_ok(file->write_at(place.offset_bytes, byte));
  }
  /// A file whose content is in the volume.
  int file_in(format::VolumeNumber volume) {
    const auto image = changed_.open_image(kImage);
    for (int i = 0; i < kFiles; ++i) {
      if (value_of(image->lookup(name_of(i))).data.volume == volume) return i;
    }
    ADD_FAILURE() << "no file is in volume " << volume;
    return 0;
  }
  /// Writes into the middle of a file, so that the rest of its content is needed.
  void change_file(int file) {
    changed_.change(
        [&](view::View& view) { write_at(view, object_at(view, name_of(file)), 700, "!"); });
  }
  static std::string changed_content(int file) { return content_of(file).replace(700, 1, "!"); }
  std::string read_error(const reader::Image& image, int file) {
    const auto read = contents(image, value_of(image.lookup(name_of(file))));
    return read ? std::string() : read.error().message();
  }
  std::map<std::string, std::string> outputs() {
    return tree_below(*value_of(memory().open_directory("/out")));
  }
  /// Expects that a merge fails because of a file, and leaves nothing.
  Error expect_failed(int file) {
    const auto before = outputs();
    const auto merged = changed_.try_merge(plan_of());
    EXPECT_FALSE(merged);
    EXPECT_EQ(outputs(), before);
    if (merged) return Error(ErrorKind::kIo, 1, "no error");
    EXPECT_EQ(merged.error().file(), name_of(file)) << merged.error().message();
    return merged.error();
  }

  ChangedTree changed_;
};

}  // namespace dgfs::test
