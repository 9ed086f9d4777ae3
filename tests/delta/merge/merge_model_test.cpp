// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random histories of a view, merged into new images that keep numbers and contents: once, and
// several times in a row, each with a new delta that goes on. Names, attributes, numbers and bytes
// are those of the model.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "delta/merge/merge.h"
#include "format/entry/mode.h"
#include "tests/delta/view/model/view_run.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

// Contents raw, compressed, and in shared frames; one volume or three; with digests or without.
builder::BuildOptions options_of(std::uint64_t seed, const std::string& path) {
  builder::BuildOptions options;
  options.image_path = path;
  options.created_seconds = 1'000'000;
  options.jobs = 2;
  options.memory_bytes = builder::kMemoryBytesMin;
  options.token_entries_min = seed % 2 == 0 ? 1 : UINT64_MAX;
  if (seed % 3 != 0) options.compression.emplace();
  if (seed % 3 == 2) options.compression->fragment_frame_bytes = 4096;
  if (seed % 5 == 4) options.volume_paths = {path + ".1", path + ".2"};
  return options;
}

/// An image with a delta of its own, open.
struct Opened {
  std::unique_ptr<const reader::Image> image;
  std::unique_ptr<delta::DeltaDirectory> delta;
  std::unique_ptr<view::View> view;
};

class MergedTrees {
 public:
  explicit MergedTrees(std::uint64_t seed) : seed_(seed), random_(seed), run_(random_) {
    for (int i = 0; i < 250; ++i) run_.step();
  }

  /// Merges the present view, and goes on with a new delta over the new image.
  void merge() {
    const auto path = "/out/merged-" + std::to_string(count_) + ".dgfs";
    const auto& [image, delta, view] = now_;
    auto& viewed = run_.viewed();
    const auto report = value_of(merge::merge(
        memory(), count_ == 0 ? viewed.image() : *image, count_ == 0 ? viewed.delta() : *delta,
        count_ == 0 ? viewed.view() : *view, merge::MergeOptions{.keeps_contents = seed_ % 7 != 6},
        options_of(seed_, path)));
    kept_files_ += report.kept_files;
    Opened next;
    next.image = value_of(reader::Image::open(memory(), path));
    const auto directory = "/delta-" + std::to_string(count_++);
    auto options = viewed.options();
    options.create = true;
    expect_ok(delta::DeltaDirectory::create(memory(), directory, next.image->superblock().uuid,
                                            next.image->superblock().next_inode, options, 512));
    next.delta = value_of(delta::DeltaDirectory::open(viewed.clock(), directory, options));
    next.view =
        value_of(view::View::open(viewed.clock(), *next.image, *next.delta, viewed.view_options()));
    auto model = run_.operations().model();
    model.end_unnamed();
    now_ = std::move(next);
    count_blocks(model);
    run_.operations().reopened(*now_.view, model);
    EXPECT_EQ(difference(*now_.view, model, run_.operations().pairs()), "");
  }
  void go_on(int operations) {
    for (int i = 0; i < operations; ++i) run_.operations().step();
  }
  [[nodiscard]] std::uint64_t kept_files() const { return kept_files_; }

 private:
  // A view counts blocks that are written twice, a merge does not: the only attribute that changes.
  void count_blocks(ModelTree& model) const {
    const ModelTree before(model);
    for (const auto& [id, object] : before.objects()) {
      if (!format::is_regular(object.attributes.mode)) continue;
      const auto number = run_.operations().pairs().number_of(id);
      const auto node = value_of(now_.image->by_inode(number));
      model.set_blocks(id, (reader::data_bytes(node) + view::kBlockBytes - 1) / view::kBlockBytes);
    }
  }
  [[nodiscard]] storage::MemoryEnv& memory() { return run_.viewed().tree().memory(); }

  const std::uint64_t seed_;
  Random random_;
  mutable ViewRun run_;
  Opened now_;
  int count_ = 0;
  std::uint64_t kept_files_ = 0;
};

TEST(MergeModel, AnImageHasTheTreeOfTheView) {
  std::uint64_t kept_files = 0;
  for (std::uint64_t seed = 0; seed < 30 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MergedTrees trees(seed);
    trees.merge();
    kept_files += trees.kept_files();
  }
  EXPECT_GT(kept_files, 40U);
}

TEST(MergeModel, MergesInARow) {
  for (std::uint64_t seed = 100; seed < 112 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MergedTrees trees(seed);
    for (int i = 0; i < 5 && !testing::Test::HasFailure(); ++i) {
      trees.merge();
      trees.go_on(60);
    }
  }
}

}  // namespace
}  // namespace dgfs::test
