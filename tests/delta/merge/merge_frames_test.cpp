// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Small files that share frames of compressed contents, merged.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/delta/merge/changed_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;

// Small neighbours that share frames of some kilobytes.
class MergeFrames : public testing::Test {
 protected:
  static builder::Compression shared_frames() {
    builder::Compression compression;
    compression.fragment_frame_bytes = builder::kFragmentFrameBytesMin;
    return compression;
  }
  static std::string content_of(int file) {
    std::string text = "line of file " + std::to_string(file) + "\n";
    while (text.size() < 500) text += text;
    return text;
  }
  void pack(int files) {
    for (int i = 0; i < files; ++i)
      changed_.tree().file("f" + std::to_string(10 + i), content_of(i));
    changed_.build_options().compression = shared_frames();
    changed_.pack();
    const auto image = changed_.open_image(kImage);
    for (int i = 0; i < files; ++i) {
      const auto node = value_of(image->lookup("f" + std::to_string(10 + i)));
      ASSERT_TRUE(node.fragment_offset) << i;
      if (*node.fragment_offset == 0) ++frames_;
    }
    ASSERT_GT(frames_, 1);
  }
  builder::BuildReport merge() {
    auto plan = plan_of();
    plan.build.compression = shared_frames();
    return changed_.merge(plan);
  }

  ChangedTree changed_;
  int frames_ = 0;
};

// F-156: a link record has no place in a frame.
TEST_F(MergeFrames, AFileWithASecondNameLeavesItsFrame) {
  pack(20);
  changed_.change(
      [](view::View& view) { value_of(view.link(object_at(view, "f12"), kRoot, "again")); });
  const auto report = merge();
  EXPECT_EQ(report.packed_files, 2U) << "each name is counted";
  EXPECT_EQ(report.kept_files, 19U);
  const auto image = changed_.merged();
  EXPECT_FALSE(value_of(image->lookup("again")).fragment_offset);
  EXPECT_TRUE(value_of(image->lookup("f11")).fragment_offset);
  EXPECT_EQ(content_at(*image, "again"), content_of(2));
  // Once it has a single name again, it stays where it is now.
  changed_.go_on();
  changed_.change([](view::View& view) { remove_name(view, "f12"); });
  auto plan = plan_of();
  plan.build.image_path = kNewer;
  plan.build.compression = shared_frames();
  EXPECT_EQ(changed_.merge(plan).packed_files, 0U);
  EXPECT_EQ(content_at(*changed_.merged(kNewer), "again"), content_of(2));
}

TEST_F(MergeFrames, AFileWhoseSecondNameIsGoneStaysInItsFrame) {
  pack(20);
  changed_.change([](view::View& view) {
    value_of(view.link(object_at(view, "f12"), kRoot, "again"));
    remove_name(view, "again");
  });
  EXPECT_EQ(merge().packed_files, 0U);
  EXPECT_TRUE(value_of(changed_.merged()->lookup("f12")).fragment_offset);
}

// Its neighbours cannot follow it any more.
TEST_F(MergeFrames, TheFirstFileOfAFrameMayBeGone) {
  pack(20);
  std::vector<std::string> firsts;
  const auto old = changed_.open_image(kImage);
  for (int i = 0; i < 20; ++i) {
    const auto name = "f" + std::to_string(10 + i);
    if (value_of(old->lookup(name)).fragment_offset == 0U) firsts.push_back(name);
  }
  changed_.change([&](view::View& view) {
    for (const auto& name : firsts) remove_name(view, name);
  });
  const auto report = merge();
  EXPECT_EQ(report.packed_files, 0U);
  EXPECT_EQ(report.dead_bytes, 0U) << "others use the frames";
  const auto image = changed_.merged();
  for (int i = 0; i < 20; ++i) {
    const auto name = "f" + std::to_string(10 + i);
    if (std::ranges::find(firsts, name) != firsts.end()) continue;
    EXPECT_EQ(content_at(*image, name), content_of(i));
  }
}

}  // namespace
}  // namespace dgfs::test
