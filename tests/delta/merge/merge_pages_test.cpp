// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The index that a merge writes depends on the tree and on the places of its contents alone: an
// empty delta gives the pages of the image again, and the way to a tree leaves no trace.
#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include "format/header/superblock.h"
#include "tests/builder/image_dump.h"
#include "tests/delta/merge/changed_tree.h"

namespace dgfs::test {
namespace {

using format::SectionKind;
using view::kRoot;

/// How image and merge are made.
struct PageShape {
  const char* name = "";
  std::uint64_t token_entries_min = builder::kTokenEntriesMin;
  std::optional<builder::Compression> compression = {};
  std::optional<format::DigestAlgorithm> digest = {};
  bool has_links = true;
  friend void PrintTo(const PageShape& shape, std::ostream* out) { *out << shape.name; }
};

builder::Compression with_frames() {
  builder::Compression compression;
  compression.fragment_frame_bytes = 16384;
  return compression;
}

std::string letter(int file) {
  return "Dear reader " + std::to_string(file * 7919) + ",\n" +
         std::string(static_cast<std::size_t>(file % 50) * 9, static_cast<char>('a' + file % 26));
}

class MergePages : public testing::TestWithParam<PageShape> {
 protected:
  MergePages() {
    auto& tree = changed_.tree();
    std::uint32_t number = 1;
    for (int d = 0; d < 20; ++d) {
      const auto directory = "dir" + std::to_string(d);
      tree.directory(directory);
      for (int i = 0; i < 40; ++i) {
        tree.file(directory + "/letter" + std::to_string(i), letter(d * 40 + i));
      }
      // Names that fill some pages.
      for (int i = 0; i < 120; ++i) {
        number = number * 1664525U + 1013904223U;
        tree.file(directory + "/" + std::to_string(number), std::string());
      }
      tree.symlink(directory + "/link", std::string(static_cast<std::size_t>(d) * 20 + 1, 't'));
    }
    tree.file("empty", std::string());
    tree.file("large", pattern(300'000, 1));
    const auto root = tree.parent("sparse");
    const auto sparse = value_of(root->create_file("sparse", 0640));
    expect_ok(sparse->truncate(100'000));
    expect_ok(sparse->write_at(50'000, as_bytes("data")));
    expect_ok(root->set_xattr("sparse", "user.kind", as_bytes("with a hole")));
    if (GetParam().has_links) {
      tree.link("dir3/letter7", "a first name");
      tree.link("dir3/letter7", "dir9/another name");
      tree.link("large", "dir2/large");
    }
    set(changed_.build_options());
    changed_.pack();
  }
  static void set(builder::BuildOptions& options) {
    options.token_entries_min = GetParam().token_entries_min;
    options.compression = GetParam().compression;
    options.digest = GetParam().digest;
  }
  static MergePlan plan() {
    auto plan = plan_of();
    set(plan.build);
    return plan;
  }
  /// The bytes of a section in an index.
  [[nodiscard]] Buffer section(const std::string& image_path, SectionKind kind) {
    const auto image = changed_.open_image(image_path);
    const auto& place = image->superblock().section(kind);
    const auto bytes = value_of(read_whole(changed_.memory(), image_path + ".idx"));
    const auto part = Bytes(bytes).subspan(place.offset_bytes, place.length_bytes);
    return {part.begin(), part.end()};
  }
  /// Without the last page, which has the link records if there are some: they state the volumes of
  /// their contents, whose numbers are others in a new image.
  [[nodiscard]] Buffer tree_pages(const std::string& image_path) {
    auto pages = section(image_path, SectionKind::kPages);
    EXPECT_GT(pages.size(), 2 * format::kPageBytes);
    if (GetParam().has_links) pages.resize(pages.size() - format::kPageBytes);
    return pages;
  }

  ChangedTree changed_;
};

TEST_P(MergePages, AnEmptyDeltaGivesTheSamePages) {
  const auto report = changed_.merge(plan());
  EXPECT_EQ(report.packed_files, 0U);
  EXPECT_EQ(report.dead_bytes, 0U);
  static_cast<void>(changed_.merged());
  EXPECT_TRUE(tree_pages(kImage) == tree_pages(kNew));
  for (const auto kind :
       {SectionKind::kDirectoryTable, SectionKind::kAttributeTables, SectionKind::kModels,
        SectionKind::kLongTargets, SectionKind::kXattrs, SectionKind::kSparseMaps,
        SectionKind::kDictionaries, SectionKind::kDigests, SectionKind::kDigestTable,
        SectionKind::kLinkNames, SectionKind::kLinkTable}) {
    EXPECT_TRUE(section(kImage, kind) == section(kNew, kind)) << format::section_name(kind);
  }
  // Names of linked objects have no numbers of their own any more.
  EXPECT_EQ(section(kImage, SectionKind::kInodeRuns) == section(kNew, SectionKind::kInodeRuns),
            !GetParam().has_links);
}

// All but the places: the second image finds the contents in the volumes of two others.
TEST_P(MergePages, MergingTwiceIsMergingOnce) {
  changed_.change([](view::View& view) {
    write_at(view, object_at(view, "dir5/letter5"), 3, "changed");
    value_of(view.link(object_at(view, "dir1/letter1"), kRoot, "0 made"));
    remove_name(view, "dir3/letter7");
    remove_tree(view, "dir6");
    move_name(view, "dir7", "moved");
    make_file(view, "new", letter(77));
  });
  changed_.merge(plan());
  const auto once = changed_.merged();
  changed_.go_on();
  auto again = plan();
  again.build.image_path = kNewer;
  EXPECT_EQ(changed_.merge(again).packed_files, 0U);
  const auto twice = changed_.merged(again.build.image_path);
  const auto& one = once->superblock();
  const auto& two = twice->superblock();
  EXPECT_EQ(two.next_inode, one.next_inode);
  EXPECT_EQ(two.namespace_entries, one.namespace_entries);
  EXPECT_EQ(two.link_entries, one.link_entries);
  EXPECT_EQ(two.content_bytes, one.content_bytes);
  EXPECT_EQ(twice->inode_runs(), once->inode_runs());
  EXPECT_EQ(twice->volume_origins().size(), once->volume_origins().size() + 1);
  for (const auto kind :
       {SectionKind::kDirectoryTable, SectionKind::kInodeRuns, SectionKind::kLongTargets,
        SectionKind::kXattrs, SectionKind::kSparseMaps, SectionKind::kDictionaries,
        SectionKind::kDigests, SectionKind::kDigestTable, SectionKind::kLinkNames,
        SectionKind::kLinkTable}) {
    EXPECT_TRUE(section(kNew, kind) == section(again.build.image_path, kind))
        << format::section_name(kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MergePages,
                         testing::Values(PageShape{"Columns"},
                                         PageShape{
                                             "Tokens", 1, {}, format::DigestAlgorithm::kSha256},
                                         PageShape{"WithoutLinks", 1, {}, {}, false},
                                         PageShape{"Compressed", 1, builder::Compression(),
                                                   format::DigestAlgorithm::kSha256},
                                         PageShape{"Frames", 1, with_frames()}),
                         [](const auto& shape) { return std::string(shape.param.name); });

// An image and a changed delta of the same tree each time. The changes come in one store, or with
// detours and in several.
builder::BuildReport merge_history(ChangedTree& changed, bool has_detours) {
  changed.tree().directory("d");
  for (int i = 0; i < 200; ++i) changed.tree().file("d/f" + std::to_string(i), letter(i));
  changed.pack();
  changed.change([&](view::View& view) {
    const auto seal = [&] {
      value_of(view.seal({}));
      while (!view.closing_state()) std::this_thread::yield();
    };
    make_file(view, "new", "content");
    for (int i = 0; i < 200; i += 10) {
      const auto file = object_at(view, "d/f" + std::to_string(i));
      if (has_detours) write_at(view, file, 2, "overwritten again");
      if (has_detours && i % 50 == 0) seal();
      write_at(view, file, 2, "the final words are these");
    }
    if (has_detours) {
      move_name(view, "d/f7", "for a moment");
      seal();
      move_name(view, "for a moment", "d/f7");
    }
    // The detour has changed times.
    for (const char* path : {"d", "d/f7", ""}) {
      const view::AttributeChange times{.mtime = Time{1'800'000'000, 0}};
      value_of(view.set_attributes(object_at(view, path), times));
    }
  });
  auto plan = plan_of();
  plan.build.token_entries_min = 1;
  return changed.merge(plan);
}

TEST(MergeHistory, LeavesNoTrace) {
  ChangedTree straight;
  ChangedTree detoured;
  const auto one = merge_history(straight, false);
  const auto other = merge_history(detoured, true);
  EXPECT_EQ(one.packed_files, 21U);
  // A hash of all sections but the superblock, which tells how many numbers the delta has reserved.
  EXPECT_EQ(one.superblock.uuid, other.superblock.uuid);
  static_cast<void>(straight.merged());
  static_cast<void>(detoured.merged());
}

}  // namespace
}  // namespace dgfs::test
