// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a merge could get wrong about one object or directory: moved trees, numbers, times, holes,
// attributes, paths that are too long.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/entry/mode.h"
#include "format/limits.h"
#include "tests/delta/merge/changed_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;

class MergeHazards : public testing::Test {
 protected:
  PackedTree& tree() { return changed_.tree(); }
  builder::BuildReport merge_again() {
    auto plan = plan_of();
    plan.build.image_path = kNewer;
    return changed_.merge(plan);
  }
  /// A file of the tree that is a hole but for `text` at an offset.
  void sparse_file(const std::string& name, std::uint64_t size_bytes, std::uint64_t offset_bytes,
                   std::string_view text) {
    const auto file = value_of(tree().parent(name)->create_file(name, 0644));
    expect_ok(file->truncate(size_bytes));
    expect_ok(file->write_at(offset_bytes, as_bytes(text)));
  }
  static std::vector<std::pair<std::uint64_t, std::uint64_t>> segments_of(
      const reader::Image& image, const std::string& path) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> segments;
    const auto map = value_of(image.sparse_map(value_of(image.lookup(path))));
    if (!map) return segments;
    for (const auto& segment : map->segments())
      segments.emplace_back(segment.begin, segment.length);
    return segments;
  }

  ChangedTree changed_;
};

using Segments = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// The names below a moved directory are stored under its old place, and only there.
TEST_F(MergeHazards, ADirectoryOutlivesTheOneItWasMovedFrom) {
  for (const char* name : {"d", "d/sub", "d/sub/deep", "d/other"}) tree().directory(name);
  for (const char* name : {"d/f", "d/sub/f", "d/sub/deep/f", "d/sub/deep/g", "d/other/f"}) {
    tree().file(name, std::string("content of ") + name);
  }
  changed_.pack();
  changed_.change([](view::View& view) {
    move_name(view, "d/sub", "kept");
    remove_tree(view, "d");
    value_of(view.make_directory(kRoot, "d", 0755, {}));
    make_file(view, "d/f", "another file of the old name");
  });
  const auto report = changed_.merge();
  EXPECT_EQ(report.packed_files, 1U);
  EXPECT_EQ(report.kept_files, 3U);
  const auto image = changed_.merged();
  EXPECT_EQ(content_at(*image, "kept/deep/g"), "content of d/sub/deep/g");
  EXPECT_EQ(content_at(*image, "d/f"), "another file of the old name");
  EXPECT_FALSE(image->lookup("d/sub"));
  EXPECT_FALSE(image->lookup("d/other"));
}

TEST_F(MergeHazards, TwoDirectoriesChangePlaces) {
  for (const char* name : {"a", "a/x", "b"}) tree().directory(name);
  for (const char* name : {"a/x/f", "b/f"}) tree().file(name, std::string("content of ") + name);
  changed_.pack();
  changed_.change([](view::View& view) {
    value_of(view.rename(kRoot, "a", kRoot, "b", view::RenameMode::kExchange));
    move_name(view, "a/f", "b/x/g");
  });
  EXPECT_EQ(changed_.merge().packed_files, 0U);
  const auto image = changed_.merged();
  EXPECT_EQ(content_at(*image, "b/x/f"), "content of a/x/f");
  EXPECT_EQ(content_at(*image, "b/x/g"), "content of b/f");
}

TEST_F(MergeHazards, NoNumberIsEverGivenAgain) {
  for (const char* name : {"a", "b", "z"}) tree().file(name, name);
  changed_.pack();
  std::set<view::ObjectNumber> given;
  for (const char* name : {"a", "b", "z"}) {
    given.insert(value_of(changed_.open_image(kImage)->lookup(name)).inode);
  }
  changed_.change([&](view::View& view) {
    remove_name(view, "z");  // had the highest number
    for (int i = 0; i < 100; ++i) {
      given.insert(make_file(view, "gone", "x"));
      remove_name(view, "gone");
    }
    given.insert(make_file(view, "stays", "x"));
  });
  changed_.merge();
  EXPECT_GT(changed_.merged()->superblock().next_inode, *given.rbegin());
  changed_.go_on();
  changed_.change([&](view::View& view) {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(given.insert(make_file(view, "new " + std::to_string(i), "x")).second) << i;
    }
  });
  merge_again();
  EXPECT_GT(changed_.merged(kNewer)->superblock().next_inode, *given.rbegin());
}

// A delta without new objects has reserved no numbers, but the image's own ones are in use.
TEST_F(MergeHazards, NumbersOfTheImageStayUsedWithoutNewObjects) {
  for (const char* name : {"a", "b", "z"}) tree().file(name, name);
  changed_.pack();
  const auto next = changed_.open_image(kImage)->superblock().next_inode;
  changed_.change([&](view::View& view) {
    remove_name(view, "z");
    remove_name(view, "b");
  });
  changed_.merge();
  EXPECT_GE(changed_.merged()->superblock().next_inode, next);
}

TEST_F(MergeHazards, TimesAreKeptOrDropped) {
  for (const char* name : {"read", "mode", "untouched"}) tree().file(name, name);
  changed_.pack();
  const Time read_at{1'600'000'000, 5};
  changed_.change([&](view::View& view) {
    value_of(view.set_attributes(object_at(view, "read"), {.atime = read_at}));
    value_of(view.set_attributes(object_at(view, "mode"), {.permissions = 0600}));
    make_file(view, "new", "x");
    changed_.clock().step();
    write_at(view, object_at(view, "new"), 1, "written later");
  });
  const auto changed_at = changed_.clock().now();
  changed_.merge();
  auto image = changed_.merged();
  EXPECT_EQ(value_of(image->lookup("read")).atime, read_at);
  EXPECT_EQ(value_of(image->lookup("mode")).ctime.seconds, changed_at.seconds - 1);
  EXPECT_NE(value_of(image->lookup("mode")).mtime, value_of(image->lookup("mode")).ctime);
  const auto untouched = value_of(image->lookup("untouched"));
  EXPECT_EQ(untouched.ctime, untouched.mtime);
  // The next merge finds them in an image.
  changed_.go_on();
  merge_again();
  EXPECT_EQ(value_of(changed_.merged(kNewer)->lookup("read")).atime, read_at);

  auto plan = plan_of();
  plan.build.image_path = "/out/times.dgfs";
  plan.times = merge::KeptTimes::kMtime;
  changed_.merge(plan);
  image = changed_.open_image(plan.build.image_path);
  for (const char* name : {"read", "mode", "untouched", "new"}) {
    const auto node = value_of(image->lookup(name));
    EXPECT_EQ(node.mtime, value_of(changed_.open_image(kNew)->lookup(name)).mtime) << name;
    EXPECT_EQ(node.ctime, node.mtime) << name;
    EXPECT_EQ(node.atime, node.mtime) << name;
  }
}

TEST_F(MergeHazards, AttributesChangeWithoutTheContents) {
  changed_.build_options().compression.emplace();
  for (const char* name : {"mode", "owner", "xattr", "bare", "list"}) tree().file(name, name);
  expect_ok(tree().parent("bare")->set_xattr("bare", "user.old", as_bytes("goes")));
  expect_ok(tree().parent("bare")->set_xattr("bare", "user.other", as_bytes("stays")));
  expect_ok(tree().parent("list")->set_xattr("list", "user.only", as_bytes("goes")));
  changed_.pack();
  changed_.change([](view::View& view) {
    value_of(view.set_attributes(object_at(view, "mode"), {.permissions = 04711}));
    value_of(view.set_attributes(object_at(view, "owner"), {.uid = 7, .gid = 70'000}));
    expect_ok(view.set_xattr(object_at(view, "xattr"), "user.new", as_bytes("comes")));
    expect_ok(view.set_xattr(kRoot, "trusted.root", as_bytes("of the root")));
    expect_ok(view.remove_xattr(object_at(view, "bare"), "user.old"));
    expect_ok(view.remove_xattr(object_at(view, "list"), "user.only"));
  });
  auto plan = plan_of();
  plan.build.compression.emplace();
  EXPECT_EQ(changed_.merge(plan).packed_files, 0U);
  const auto image = changed_.merged();
  EXPECT_EQ(value_of(image->lookup("mode")).mode, format::kTypeRegular | 04711U);
  EXPECT_EQ(value_of(image->lookup("owner")).gid, 70'000U);
  EXPECT_EQ(value_of(image->xattrs(value_of(image->lookup("xattr")))).size(), 1U);
  EXPECT_EQ(value_of(image->xattrs(value_of(image->lookup("bare")))).size(), 1U);
  EXPECT_FALSE(value_of(image->lookup("list")).xattrs.present());
}

TEST_F(MergeHazards, HolesAreKeptWithTheContentOrFoundAnew) {
  sparse_file("kept", 100'000, 40'960, "data of a kept file");
  sparse_file("written", 100'000, 40'960, "data of the image");
  tree().file("punched", std::string(20'480, 'p'));
  tree().file("grown", "short");
  changed_.pack();
  changed_.change([](view::View& view) {
    value_of(view.set_attributes(object_at(view, "kept"), {.permissions = 0600}));
    write_at(view, object_at(view, "written"), 81'920, "data of the delta");
    expect_ok(view.zero(object_at(view, "punched"), 4096, 8192, view::ZeroMode::kKeepSize));
    value_of(view.set_attributes(object_at(view, "grown"), {.size_bytes = 1'000'000}));
  });
  const auto report = changed_.merge();
  EXPECT_EQ(report.kept_files, 1U);
  EXPECT_EQ(report.packed_files, 3U);
  const auto image = changed_.merged();
  EXPECT_EQ(segments_of(*image, "kept"), (Segments{{40'960, 4096}}));
  EXPECT_EQ(segments_of(*image, "written"), (Segments{{40'960, 4096}, {81'920, 4096}}));
  EXPECT_EQ(segments_of(*image, "punched"), (Segments{{0, 4096}, {12'288, 8192}}));
  EXPECT_EQ(segments_of(*image, "grown"), (Segments{{0, 4096}}));
}

// It has no extent, so its place says nothing: neither a gap nor an address leads there.
TEST_F(MergeHazards, AFileThatIsAllHoleHasNoPlace) {
  changed_.build_options().token_entries_min = 1;
  tree().file("a", std::string(5000, 'a'));
  tree().file("b", std::string(5000, 'b'));
  sparse_file("c", 1 << 20, 0, "");
  tree().file("d", std::string(5000, 'd'));
  changed_.pack();
  changed_.change([](view::View& view) { write_at(view, object_at(view, "b"), 0, "changed"); });
  const auto report = changed_.merge();
  EXPECT_EQ(report.kept_files, 2U);
  const auto image = changed_.merged();
  EXPECT_EQ(segments_of(*image, "c"), Segments());
}

// Each of these has the size that it has in the image, and other bytes.
TEST_F(MergeHazards, AFileOfTheOldSizeMayHaveChanged) {
  for (const char* name : {"cut", "cut at a chunk", "zeroed", "byte"}) {
    tree().file(name, std::string(2048, 'o'));
  }
  changed_.pack();
  changed_.change([](view::View& view) {
    for (const auto& [name, cut] : {std::pair("cut", 700U), {"cut at a chunk", 1024U}}) {
      const auto file = object_at(view, name);
      value_of(view.set_attributes(file, {.size_bytes = cut}));
      value_of(view.set_attributes(file, {.size_bytes = 2048}));
    }
    expect_ok(view.zero(object_at(view, "zeroed"), 512, 512, view::ZeroMode::kKeepSize));
    write_at(view, object_at(view, "byte"), 2047, "n");
  });
  EXPECT_EQ(changed_.merge().kept_files, 0U);
  const auto image = changed_.merged();
  EXPECT_EQ(content_at(*image, "cut at a chunk"), std::string(1024, 'o') + std::string(1024, '\0'));
  EXPECT_EQ(content_at(*image, "byte"), std::string(2047, 'o') + "n");
}

// A view counts blocks twice that were written twice; a merge counts the file that it packs.
TEST_F(MergeHazards, BlocksAreCountedAnew) {
  changed_.pack();
  changed_.change_delta([](delta::DeltaDirectory&, view::View& view) {
    const auto file = make_file(view, "f", std::string(8192, 'a'));
    value_of(view.seal({}));
    write_at(view, file, 0, std::string(8192, 'b'));
  });
  changed_.merge();
  static_cast<void>(changed_.merged());
  changed_.go_on();
  changed_.change([](view::View& view) {
    EXPECT_EQ(value_of(view.attributes(object_at(view, "f"))).blocks, 8192 / view::kBlockBytes);
  });
}

// The process that had them open has been killed, and nobody has opened the delta since.
TEST_F(MergeHazards, ObjectsWithoutANameAreLeftOut) {
  tree().file("of the image", "x");
  changed_.pack();
  std::unique_ptr<storage::MemoryEnv> killed;
  changed_.change([&](view::View& view) {
    const auto file = make_file(view, "open", "content of an open file");
    value_of(view.unlink(kRoot, "open"));
    value_of(view.unlink(kRoot, "of the image"));
    const auto unnamed = value_of(view.create_unnamed(kRoot, 0600, {})).object;
    write_at(view, unnamed, 0, "never had a name");
    value_of(view.make_directory(kRoot, "left", 0755, {}));
    value_of(view.remove_directory(kRoot, "left"));
    expect_ok(view.sync());
    EXPECT_TRUE(view.attributes(file));
    killed = changed_.memory().snapshot();
  });
  const auto report = value_of(merge_files(*killed, changed_.sources(), plan_of()));
  EXPECT_EQ(report.packed_files + report.kept_files, 0U);
  EXPECT_EQ(report.superblock.namespace_entries, 1U);
  EXPECT_EQ(report.superblock.incompat & format::feature::kIncompatNamelessObjects, 0U);
  EXPECT_TRUE(value_of(reader::Image::open(*killed, kNew))->volume_origins().empty());
}

TEST_F(MergeHazards, APathThatIsTooLongForAnImageIsNamed) {
  changed_.pack();
  changed_.change([](view::View& view) {
    auto directory = kRoot;
    for (std::size_t bytes = 0; bytes <= format::kKeyBytesMax; bytes += 251) {
      directory = value_of(view.make_directory(directory, std::string(250, 'd'), 0755, {})).object;
    }
  });
  const auto before = tree_below(*value_of(changed_.memory().open_directory("/")));
  const auto merged = changed_.try_merge(plan_of());
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().kind(), ErrorKind::kLimit);
  EXPECT_TRUE(merged.error().message().find("path is too long") != std::string::npos);
  EXPECT_TRUE(merged.error().file().starts_with("dddd"));
  EXPECT_EQ(tree_below(*value_of(changed_.memory().open_directory("/"))), before);
}

}  // namespace
}  // namespace dgfs::test
