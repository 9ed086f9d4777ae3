// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a merge costs: it reads no content that it keeps, and writes little beside the index.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/delta/merge/changed_tree.h"
#include "tests/delta/merge/read_log.h"

namespace dgfs::test {
namespace {

using view::kRoot;

constexpr int kKeptFiles = 60;

/// How the image is packed.
struct ImageShape {
  const char* name = "";
  std::optional<builder::Compression> compression = {};
  std::optional<format::DigestAlgorithm> digest = {};
  std::vector<std::string> volumes = {};
  friend void PrintTo(const ImageShape& shape, std::ostream* out) { *out << shape.name; }
};

builder::Compression in_frames() {
  builder::Compression compression;
  compression.fragment_frame_bytes = builder::kFragmentFrameBytesMin;
  return compression;
}

std::string kept_name(int file) {
  return (file % 2 == 0 ? "even/f" : "odd/f") + std::to_string(100 + file);
}
std::string words(int file) {
  std::string text;
  while (text.size() < static_cast<std::size_t>(200 + 90 * file)) {
    text += "line " + std::to_string(text.size()) + " of file " + std::to_string(file) + "\n";
  }
  return text;
}

class MergeReads : public testing::TestWithParam<ImageShape> {
 protected:
  MergeReads() {
    for (const char* directory : {"even", "odd"}) changed_.tree().directory(directory);
    for (int i = 0; i < kKeptFiles; ++i) changed_.tree().file(kept_name(i), words(i));
    changed_.tree().file("even/large", pattern(300'000, 1));
    changed_.tree().file("odd/large", pattern(300'000, 2));
    const auto root = changed_.tree().parent("sparse");
    const auto sparse = value_of(root->create_file("sparse", 0644));
    expect_ok(sparse->truncate(100'000));
    expect_ok(sparse->write_at(50'000, as_bytes("data")));
    expect_ok(root->set_xattr("sparse", "user.kind", as_bytes("with a hole")));
    auto& options = changed_.build_options();
    options.compression = GetParam().compression;
    options.digest = GetParam().digest;
    options.volume_paths = GetParam().volumes;
    options.volume_groups = builder::GroupLimits{4, 1 << 20};
    changed_.pack();
    image_ = changed_.open_image(kImage);
  }

  static MergePlan plan() {
    auto plan = plan_of();
    plan.build.compression = GetParam().compression;
    plan.build.digest = GetParam().digest;
    return plan;
  }
  /// The reads of extents in a merge.
  std::vector<LoggedRead> extents_read() {
    ReadLog log(changed_.memory());
    report_ = value_of(merge_files(log, changed_.sources(), plan()));
    std::vector<LoggedRead> reads;
    for (const LoggedRead& read : log.reads()) {
      for (const format::VolumeRecord& volume : image_->volumes()) {
        if (read.path != value_of(image_->volume_path(volume.number))) continue;
        if (read.begin < volume.data_end && read.end > format::kPageBytes) reads.push_back(read);
      }
    }
    return reads;
  }
  [[nodiscard]] LoggedRead extent_of(const std::string& path) const {
    const auto node = value_of(image_->lookup(path));
    return {value_of(image_->volume_path(node.data.volume)), node.data.offset_bytes,
            node.data.offset_bytes + node.stored_bytes};
  }
  static bool meet(const LoggedRead& one, const LoggedRead& other) {
    return one.path == other.path && one.begin < other.end && other.begin < one.end;
  }

  ChangedTree changed_;
  std::unique_ptr<const reader::Image> image_;
  builder::BuildReport report_;
};

TEST_P(MergeReads, ContentsThatNobodyChangedAreNotRead) {
  // Each of these changes something else.
  changed_.change([](view::View& view) {
    value_of(view.set_attributes(object_at(view, kept_name(0)), {.permissions = 0600}));
    expect_ok(view.set_xattr(object_at(view, kept_name(1)), "user.x", as_bytes("new")));
    move_name(view, kept_name(3), "moved");
    move_name(view, "odd", "elsewhere");
    remove_name(view, kept_name(4));
    value_of(view.set_attributes(object_at(view, "sparse"), {.mtime = Time{5, 5}}));
    value_of(view.link(object_at(view, "even/large"), kRoot, "large again"));
  });
  EXPECT_TRUE(extents_read().empty());
  EXPECT_EQ(report_.packed_files, 0U);
  EXPECT_EQ(report_.kept_files, kKeptFiles + 2U);
  static_cast<void>(changed_.merged());
}

TEST_P(MergeReads, OnlyChangedFilesAreRead) {
  changed_.change([](view::View& view) {
    write_at(view, object_at(view, kept_name(30)), 1000, "changed in the middle");
    value_of(view.set_attributes(object_at(view, kept_name(40)), {.size_bytes = 700}));
    write_at(view, object_at(view, "odd/large"), 150'000, "changed in the middle");
    make_file(view, "even/new", words(100));
    remove_name(view, kept_name(4));
    move_name(view, kept_name(3), "moved");
  });
  const std::set<std::string> changed = {kept_name(30), kept_name(40), "odd/large"};
  const auto reads = extents_read();
  EXPECT_EQ(report_.packed_files, changed.size() + 1);
  for (const auto& path : changed) {
    EXPECT_TRUE(std::ranges::any_of(reads, [&](const LoggedRead& read) {
      return meet(read, extent_of(path));
    })) << path;
  }
  for (const LoggedRead& read : reads) {
    EXPECT_TRUE(std::ranges::any_of(changed,
                                    [&](const std::string& path) {
                                      const auto extent = extent_of(path);
                                      return read.path == extent.path &&
                                             read.begin >= extent.begin && read.end <= extent.end;
                                    }))
        << read.path << " from " << read.begin << " to " << read.end;
  }
  static_cast<void>(changed_.merged());
}

INSTANTIATE_TEST_SUITE_P(Shapes, MergeReads,
                         testing::Values(ImageShape{"Raw"},
                                         ImageShape{"Compressed", builder::Compression(),
                                                    format::DigestAlgorithm::kSha256},
                                         ImageShape{"Frames", in_frames()},
                                         ImageShape{"Volumes", {}, {}, {"/out/t.1", "/out/t.2"}}),
                         [](const auto& shape) { return std::string(shape.param.name); });

// Twice the index, some bytes an entry for spools, and what was changed.
TEST(MergeWrites, LittleMoreThanTheIndex) {
  ChangedTree changed;
  constexpr int kMany = 3000;
  for (int d = 0; d < 30; ++d) {
    const auto directory = "d" + std::to_string(d);
    changed.tree().directory(directory);
    for (int i = 0; i < kMany / 30; ++i) {
      changed.tree().file(directory + "/f" + std::to_string(i),
                          pattern(2000, static_cast<std::uint32_t>(d * 100 + i)));
    }
  }
  changed.pack();
  const std::string content(100'000, 'n');
  changed.change([&](view::View& view) { make_file(view, "new", content); });
  changed.counting().reset();
  const auto report = changed.merge();
  std::uint64_t written = 0;
  for (const auto& [path, counts] : changed.counting().all()) written += counts.written_bytes;
  constexpr std::uint64_t kBytesOfAnEntry = 50;
  // Header pages, and what is written in whole pages.
  constexpr std::uint64_t kFixedBytes = 64 << 10;
  EXPECT_LE(written,
            content.size() + 2 * report.index_bytes + kMany * kBytesOfAnEntry + kFixedBytes);
  EXPECT_LT(report.image_bytes, content.size() + report.index_bytes + kFixedBytes);
}

}  // namespace
}  // namespace dgfs::test
