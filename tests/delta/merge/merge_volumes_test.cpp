// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Volumes that a merge leaves where they are: damaged, missing, or replaced.
#include "tests/delta/merge/merge_volumes.h"

#include <gtest/gtest.h>

#include <string>

namespace dgfs::test {
namespace {

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
  EXPECT_NE(error.find("is another file"), std::string::npos) << error;
  changed_.sources().open.volume_paths = {std::string(kAway) + "/old.dgfs"};
  EXPECT_EQ(content_at(*changed_.open_image(), name_of(3)), content_of(3));
}

}  // namespace
}  // namespace dgfs::test
