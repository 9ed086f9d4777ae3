// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A view packed into an image of its own has the tree of the view.
#include "delta/merge/merge.h"

#include <gtest/gtest.h>

#include <string>

#include "storage/memory/env.h"
#include "tests/delta/merge/same_tree.h"
#include "tests/delta/view/model/view_run.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::kRoot;

builder::BuildOptions to_new() {
  builder::BuildOptions options;
  options.image_path = "/new.dgfs";
  options.created_seconds = 1'000'000;
  options.jobs = 2;
  options.memory_bytes = builder::kMemoryBytesMin;
  return options;
}

std::unique_ptr<const reader::Image> packed(const view::View& view, storage::Env& env,
                                            const builder::BuildOptions& options) {
  value_of(merge::repack(env, view, options));
  return value_of(reader::Image::open(env, options.image_path));
}

// Contents raw, compressed, in shared frames, and over several volumes, with and without digests.
builder::BuildOptions options_of(std::uint64_t seed) {
  auto options = to_new();
  if (seed % 3 != 0) options.compression.emplace();
  if (seed % 3 == 2) options.compression->fragment_frame_bytes = 4096;
  if (seed % 4 == 3) options.volume_paths = {"/new.1", "/new.2"};
  if (seed % 2 == 1) options.digest = format::DigestAlgorithm::kSha256;
  return options;
}

TEST(Repack, HasTheTreeOfARandomHistory) {
  std::size_t objects = 0;
  for (std::uint64_t seed = 0; seed < 24 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ViewRun run(random);
    for (int i = 0; i < 400; ++i) run.step();
    const auto env = storage::make_memory_env(1);
    const auto image = packed(run.operations().view(), *env, options_of(seed));
    auto expected = run.operations().model();
    expected.end_unnamed();
    EXPECT_EQ(difference_of_trees(expected, ModelTree::of_image(*image)), "");
    objects += expected.objects().size();
  }
  EXPECT_GT(objects, 500U);
}

class RepackTest : public testing::Test {
 protected:
  void write(view::ObjectNumber file, std::uint64_t offset_bytes, const std::string& text) {
    EXPECT_EQ(value_of(tree_.view().write(file, offset_bytes, as_bytes(text))), text.size());
  }
  std::unique_ptr<const reader::Image> pack() { return packed(tree_.view(), *env_, to_new()); }

  ViewedTree tree_;
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
};

// A view counts the blocks of overwritten bytes twice, so the count does not tell of holes.
TEST_F(RepackTest, FindsHolesWhateverTheCountOfBlocks) {
  tree_.set_chunk_bytes(4096);
  tree_.open();
  const auto file = value_of(tree_.view().create(kRoot, "f", {}, {})).object;
  for (int i = 0; i < 5; ++i) {
    write(file, 0, std::string(8192, static_cast<char>('a' + i)));
    tree_.seal_live();
  }
  const view::AttributeChange longer{.size_bytes = std::uint64_t{1} << 20};
  value_of(tree_.view().set_attributes(file, longer));
  const auto small = value_of(tree_.view().create(kRoot, "small", {}, {})).object;
  write(small, 0, std::string(3000, 's'));
  expect_ok(tree_.view().zero(small, 0, 4096, view::ZeroMode::kKeepSize));
  const auto image = pack();
  const auto map = value_of(image->sparse_map(value_of(image->lookup("f"))));
  ASSERT_TRUE(map);
  ASSERT_EQ(map->segments().size(), 1U);
  EXPECT_EQ(map->segments().front().length, 8192U);
  const auto none = value_of(image->sparse_map(value_of(image->lookup("small"))));
  ASSERT_TRUE(none) << "a file of one block that is a hole";
  EXPECT_TRUE(none->segments().empty());
}

TEST_F(RepackTest, NamesTheFileThatCannotBeRead) {
  tree_.tree().directory("dir");
  tree_.tree().file("dir/damaged", std::string(200'000, 'd'));
  tree_.open();
  const auto file =
      value_of(tree_.tree().memory().open(kImage, {storage::OpenOptions::Mode::kReadWrite}));
  expect_ok(file->write_at(100'000, as_bytes(std::string_view("not the byte"))));
  const auto packed = merge::repack(*env_, tree_.view(), to_new());
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(packed.error().file(), "dir/damaged") << packed.error().message();
  EXPECT_NE(packed.error().message().find(kImage), std::string::npos);
  EXPECT_FALSE(env_->status("/new.dgfs"));
}

TEST_F(RepackTest, LeavesOutObjectsWithoutAName) {
  tree_.open();
  const auto file = value_of(tree_.view().create(kRoot, "f", {}, {})).object;
  write(file, 0, "gone");
  value_of(tree_.view().unlink(kRoot, "f"));
  const auto image = pack();
  EXPECT_EQ(image->superblock().namespace_entries, 1U);
  expect_ok(tree_.view().release(file));
}

// The files of an image are never taken for the objects of the tree that have the same numbers.
TEST_F(RepackTest, PacksAnObjectThatHasTheNumberOfAnOutput) {
  for (int i = 0; i < 40; ++i) tree_.tree().file("f" + std::to_string(i), "x");
  tree_.open();
  value_of(merge::repack(*env_, tree_.view(), to_new()));
  const auto image = pack();  // replaces the files
  EXPECT_EQ(image->superblock().regular_files, 40U);
}

}  // namespace
}  // namespace dgfs::test
