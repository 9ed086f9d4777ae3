// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs merge refuses a delta whose names are broken: they would look sound in the new image.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "delta/merge/base_merge.h"
#include "tests/delta/merge/changed_tree.h"
#include "tests/delta/view/check/namespace_damage.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {
namespace {

/// A tree with one object of each kind, and maybe a batch behind the back of its view.
class BrokenTree {
 public:
  explicit BrokenTree(const Damage* damage) {
    ViewedTree viewed;
    add_image_part(viewed.tree());
    viewed.open();
    Known known = make_known_tree(viewed, false);
    if (damage != nullptr) {
      delta::Batch batch;
      damage->make(batch, known);
      value_of(viewed.delta().newest().apply(batch));
    }
    expect_ok(viewed.view().sync());
    disk_ = viewed.tree().memory().snapshot();
  }

  [[nodiscard]] storage::MemoryEnv& disk() { return *disk_; }
  [[nodiscard]] std::map<std::string, std::string> files() {
    return tree_below(*value_of(disk_->open_directory("/")));
  }
  int merge() {
    ToolRun tool(*disk_);
    const int code = tool.run({"merge", "-q", kImage, "--delta", ViewedTree::kDelta, "-o", kNew});
    err_ = tool.err();
    return code;
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return err_.find(text) != std::string::npos;
  }
  [[nodiscard]] const std::string& err() const { return err_; }

 private:
  std::unique_ptr<storage::MemoryEnv> disk_;
  std::string err_;
};

std::optional<ErrorKind> kind_of_error(const Result<merge::MadeBase>& made) {
  return made ? std::nullopt : std::optional(made.error().kind());
}

TEST(BrokenNames, ASoundTreeIsMerged) {
  BrokenTree tree(nullptr);
  EXPECT_EQ(tree.merge(), 0) << tree.err();
  EXPECT_TRUE(reader::Image::open(tree.disk(), kNew));
}

TEST(BrokenNames, AreRefusedWhateverIsBroken) {
  ASSERT_FALSE(damages().empty());
  for (const Damage& damage : damages()) {
    SCOPED_TRACE(damage.name);
    BrokenTree tree(&damage);
    const auto before = tree.files();
    EXPECT_EQ(tree.merge(), 1);
    EXPECT_TRUE(tree.says(" broken name")) << tree.err();
    EXPECT_TRUE(tree.says("dgfs delta check --image")) << tree.err();
    EXPECT_TRUE(tree.says("nothing was written")) << tree.err();
    EXPECT_TRUE(tree.files() == before);
  }
}

// So an unmount and --cancel need not wait for the end of the check.
TEST(BrokenNames, AMergeThatIsToStopDoesNotCheckThemAll) {
  BrokenTree tree(&damages().front());
  const auto before = tree.files();
  merge::BaseSource source;
  source.directory = ViewedTree::kDelta;
  source.image_path = kImage;
  std::atomic<bool> stop = false;
  builder::BuildOptions options;
  options.jobs = 1;
  options.memory_bytes = builder::kMemoryBytesMin;
  options.dry_run = true;
  options.stop = &stop;
  EXPECT_EQ(kind_of_error(merge::make_base(tree.disk(), source, {}, options)), ErrorKind::kCorrupt);
  stop = true;
  EXPECT_EQ(kind_of_error(merge::make_base(tree.disk(), source, {}, options)),
            ErrorKind::kInterrupted);
  EXPECT_TRUE(tree.files() == before);
}

// The call itself trusts the names, but follows none to an object that does not exist.
TEST(BrokenNames, ANameOfNobodyIsNamed) {
  const auto damage =
      std::ranges::find(damages(), std::string_view("a name of nobody's"), &Damage::name);
  ASSERT_NE(damage, damages().end());
  BrokenTree tree(&*damage);
  const auto before = tree.files();
  const auto merged = merge_files(tree.disk(), {}, plan_of());
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().file(), "d/x") << merged.error().message();
  EXPECT_TRUE(tree.files() == before);
}

}  // namespace
}  // namespace dgfs::test
