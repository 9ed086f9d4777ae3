// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Volumes that a merge leaves where they are: damaged, missing, replaced, or of an image that was
// merged before.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/delta/merge/changed_tree.h"

namespace dgfs::test {
namespace {

constexpr const char* kAway = "/away";
constexpr int kFiles = 12;

std::string name_of(int file) { return "d/f" + std::to_string(10 + file); }
std::string content_of(int file) {
  return std::string(static_cast<std::size_t>(3000 + 100 * file), static_cast<char>('a' + file));
}

class MergeVolumes : public testing::Test {
 protected:
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
  /// Inverts a byte in the middle of a file's content in the image.
  void damage(const std::string& path) {
    const auto image = changed_.open_image(kImage);
    const auto place = value_of(image->locate(value_of(image->lookup(path)), 1500));
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

TEST_F(MergeVolumes, DamageOfAKeptContentStaysAndHarmsNothingElse) {
  pack();
  damage(name_of(3));
  change_file(5);
  EXPECT_EQ(changed_.merge().kept_files, kFiles - 1U);
  const auto image = changed_.open_image();
  const auto error = read_error(*image, 3);
  EXPECT_NE(error.find(kImage), std::string::npos) << error;
  for (int i = 0; i < kFiles; ++i) {
    if (i == 3) continue;
    EXPECT_EQ(content_at(*image, name_of(i)), i == 5 ? changed_content(i) : content_of(i));
  }
}

TEST_F(MergeVolumes, DamageUnderAChangeNamesTheFile) {
  pack();
  damage(name_of(3));
  change_file(3);
  const auto error = expect_failed(3);
  EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
  EXPECT_NE(error.message().find(kImage), std::string::npos) << error.message();
}

TEST_F(MergeVolumes, AMissingVolumeDoesNoHarmIfNoChangeNeedsIt) {
  pack({"/out/t.1", "/out/t.2"});
  const int there = file_in(1);
  const int missing = file_in(2);
  change_file(there);
  expect_ok(memory().rename("/out/t.2", std::string(kAway) + "/t.2"));
  changed_.merge();
  const auto image = changed_.open_image();
  EXPECT_EQ(content_at(*image, name_of(there)), changed_content(there));
  const auto error = read_error(*image, missing);
  EXPECT_NE(error.find("which is volume 2 of the image of uuid"), std::string::npos) << error;
  expect_ok(memory().rename(std::string(kAway) + "/t.2", "/out/t.2"));
  static_cast<void>(changed_.merged());
}

TEST_F(MergeVolumes, AMissingVolumeGivesTheSameBytes) {
  pack({"/out/t.1", "/out/t.2"});
  change_file(file_in(1));
  changed_.merge();
  const auto whole = outputs();
  expect_ok(memory().rename("/out/t.2", std::string(kAway) + "/t.2"));
  expect_ok(memory().remove(kNew));
  expect_ok(memory().remove(std::string(kNew) + ".idx"));
  changed_.merge();
  const auto lacking = outputs();
  for (const char* name : {"new.dgfs", "new.dgfs.idx"}) {
    EXPECT_TRUE(whole.at(name) == lacking.at(name)) << name;
  }
}

TEST_F(MergeVolumes, AMissingVolumeUnderAChangeNamesTheFile) {
  pack({"/out/t.1", "/out/t.2"});
  const int file = file_in(2);
  change_file(file);
  expect_ok(memory().rename("/out/t.2", std::string(kAway) + "/t.2"));
  const auto error = expect_failed(file);
  EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
  EXPECT_NE(error.message().find("volume 2"), std::string::npos) << error.message();
}

// The header of volume 0 does not follow from the index, so nothing could refer to the volume.
TEST_F(MergeVolumes, AnIndexAloneIsNotMerged) {
  pack();
  change_file(3);
  expect_ok(memory().rename(kImage, std::string(kAway) + "/t.dgfs"));
  changed_.sources().image_path = kIndex;
  const auto before = outputs();
  const auto merged = changed_.try_merge(plan_of());
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().kind(), ErrorKind::kNotFound) << merged.error().message();
  EXPECT_EQ(outputs(), before);
}

// A user may give several images one UUID. Their contents must not be mistaken for each other.
class MergeTwins : public MergeVolumes {
 protected:
  void pack_with_uuid() {
    changed_.build_options().uuid = format::Uuid{1, 2, 3};
    pack();
    change_file(5);
    changed_.merge();
  }
  /// Packs a larger tree to a path, with the same UUID.
  void pack_twin(const std::string& path) {
    tree().file("d/large", std::string(100'000, 'l'));
    auto options = changed_.build_options();
    options.source = "/tree";
    options.image_path = path;
    options.jobs = 1;
    options.memory_bytes = builder::kMemoryBytesMin;
    value_of(builder::build(memory(), options));
  }
};

TEST_F(MergeTwins, AnImageOfTheSameUuidIsToldApart) {
  pack_with_uuid();
  // All files beside the new image are tried, and the twin comes first in order.
  expect_ok(memory().rename(kImage, "/out/z.dgfs"));
  pack_twin("/out/a.dgfs");
  const auto image = changed_.open_image();
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_EQ(content_at(*image, name_of(i)), i == 5 ? changed_content(i) : content_of(i));
  }
}

TEST_F(MergeTwins, AnImageThatWasReplacedIsAClearError) {
  pack_with_uuid();
  expect_ok(memory().rename(kImage, std::string(kAway) + "/old.dgfs"));
  pack_twin(kImage);
  const auto error = read_error(*changed_.open_image(), 3);
  EXPECT_NE(error.find(kImage), std::string::npos) << error;
  EXPECT_NE(error.find("was written later"), std::string::npos) << error;
  changed_.sources().open.volume_paths = {std::string(kAway) + "/old.dgfs"};
  EXPECT_EQ(content_at(*changed_.open_image(), name_of(3)), content_of(3));
}

TEST_F(MergeVolumes, OriginsOfOriginsAreCopied) {
  pack({"/out/t.1"});
  const auto first = changed_.open_image(kImage)->superblock().uuid;
  change_file(3);
  changed_.change([](view::View& view) {
    make_file(view, "d/large", std::string(200'000, 'l'));  // so that no merge folds its volume
  });
  changed_.merge();
  const auto second = changed_.open_image()->superblock().uuid;
  changed_.go_on();
  change_file(4);
  auto plan = plan_of();
  plan.build.image_path = kNewer;
  plan.build.volume_paths = {"/out/newer.1"};
  changed_.merge(plan);
  const auto image = changed_.merged(kNewer);
  std::set<std::pair<format::Uuid, int>> seen;
  std::set<int> numbers;
  for (const auto& origin : image->volume_origins()) {
    seen.emplace(origin.image, origin.own_number);
    numbers.insert(origin.number);
  }
  const std::set<std::pair<format::Uuid, int>> expected{{first, 0}, {first, 1}, {second, 0}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(numbers, (std::set<int>{2, 3, 4})) << "0 and 1 are its own";
  // The image between is not needed for its index.
  expect_ok(memory().remove(std::string(kNew) + ".idx"));
  EXPECT_EQ(content_at(*changed_.open_image(kNewer), name_of(4)), changed_content(4));
  EXPECT_EQ(content_at(*changed_.open_image(kNewer), name_of(3)), changed_content(3));
}

// A merge takes over the volumes of earlier ones that are not larger than what it packs.
TEST_F(MergeVolumes, ManyMergesNeedFewVolumes) {
  pack();
  std::size_t folded = 0;
  for (int i = 1; i <= 15; ++i) {
    SCOPED_TRACE("merge " + std::to_string(i));
    changed_.change([&](view::View& view) {
      make_file(view, "d/new " + std::to_string(i), std::string(5000, static_cast<char>('A' + i)));
    });
    auto plan = plan_of();
    plan.build.image_path = "/out/merge-" + std::to_string(i) + ".dgfs";
    const auto report = changed_.merge(plan);
    folded += report.packed_files - 1;
    const auto image = changed_.merged(plan.build.image_path);
    // The first image, and one for each power of two, as in a binary counter.
    EXPECT_LE(image->volume_origins().size(),
              static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(i))));
    changed_.go_on(plan.build.image_path);
  }
  EXPECT_LE(folded, 15U * 3) << "a file is packed again once for each doubling";
}

TEST_F(MergeVolumes, AVolumeWithoutAUsedByteIsNotNeeded) {
  pack({"/out/t.1", "/out/t.2"});
  const auto old = changed_.open_image(kImage);
  changed_.change([&](view::View& view) {
    for (int i = 0; i < kFiles; ++i) {
      if (value_of(old->lookup(name_of(i))).data.volume == 1) remove_name(view, name_of(i));
    }
  });
  changed_.merge();
  for (const auto& origin : changed_.merged()->volume_origins()) EXPECT_NE(origin.own_number, 1);
  expect_ok(memory().remove("/out/t.1"));
  static_cast<void>(changed_.open_image());
}

TEST_F(MergeVolumes, AllThatIsPackedAnewNeedsNoOtherImage) {
  pack({"/out/t.1"});
  change_file(3);
  const auto report = changed_.merge(plan_of(MergeKind::kRepacks));
  EXPECT_EQ(report.kept_files, 0U);
  const auto image = changed_.merged();
  EXPECT_TRUE(image->volume_origins().empty());
  EXPECT_EQ(image->superblock().incompat & format::feature::kIncompatForeignVolumes, 0U);
  expect_ok(memory().remove(kImage));
  expect_ok(memory().remove("/out/t.1"));
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_EQ(content_at(*changed_.open_image(), name_of(i)),
              i == 3 ? changed_content(i) : content_of(i));
  }
}

}  // namespace
}  // namespace dgfs::test
