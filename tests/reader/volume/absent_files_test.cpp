// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Opening with files of the image that are absent, foreign, damaged or of the wrong kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "format/header/volume_header.h"
#include "format/limits.h"
#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using reader::Image;

constexpr const char* kTree = "/i/a.dgfs";
constexpr const char* kTreeIndex = "/i/a.dgfs.idx";
constexpr const char* kVolume = "/v/one";

class AbsentFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto* folder : {"/i", "/v"}) expect_ok(env_->make_directory(folder, 0755));
    write(*env_, 0x11);
  }
  // Writes an image whose one file lies in volume 1.
  static void write(storage::Env& env, std::uint8_t uuid, bool trailing = true) {
    ImageAssembler assembler;
    assembler.uuid.fill(uuid);
    assembler.add_file("f", pattern(100, 1));
    assembler.volume_of_page = [](std::size_t) { return format::VolumeNumber{1}; };
    assembler.more_volumes = {{1, kVolume}};
    assembler.write(env, kTree, kTreeIndex, trailing);
  }
  // A file of a similar image with another UUID, or of one without a trailing index.
  static Buffer other(const char* path, std::uint8_t uuid, bool trailing = true) {
    const auto env = storage::make_memory_env(2);
    for (const auto* folder : {"/i", "/v"}) expect_ok(env->make_directory(folder, 0755));
    write(*env, uuid, trailing);
    return read_file(*env, path);
  }
  void put(const char* path, Bytes bytes) {
    if (env_->status(path)) expect_ok(env_->remove(path));
    write_file(*env_, path, bytes);
  }
  auto open(const std::string& path, std::vector<std::string> volumes = {kVolume}) {
    options_.volume_paths = std::move(volumes);
    options_.warn = [this](const Error& error) {
      warnings_.push_back(error.code());
      last_warning_ = error.message();
    };
    return Image::open(*env_, path, options_);
  }
  void expect_refused(const std::string& path, std::uint16_t code) {
    const auto opened = open(path);
    ASSERT_FALSE(opened) << path;
    EXPECT_EQ(opened.error().code(), code) << opened.error().message();
    EXPECT_FALSE(opened.error().file().empty()) << opened.error().message();
  }
  // Returns the error of reading the file if `volumes` do not have its volume, or "read".
  std::string missing(std::vector<std::string> volumes) {
    const auto image = value_of(open(kTree, std::move(volumes)));
    const auto read = contents(*image, value_of(image->lookup("f")));
    if (read) return "read";
    EXPECT_EQ(read.error().kind(), ErrorKind::kNotFound);
    EXPECT_EQ(image->files().size(), 2U);  // the image and its index
    return read.error().message();
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  const Buffer other_index_ = other(kTreeIndex, 0x22);
  reader::OpenOptions options_;
  std::vector<std::uint16_t> warnings_;
  std::string last_warning_;
};

TEST_F(AbsentFiles, AllThere) {
  const auto image = value_of(open(kTree));
  EXPECT_EQ(value_of(contents(*image, value_of(image->lookup("f")))), pattern(100, 1));
  const std::vector<std::pair<std::string, std::string>> files = {
      {"image", kTree}, {"index", kTreeIndex}, {"volume 1", kVolume}};
  EXPECT_EQ(image->files(), files);
  EXPECT_GT(image->resident_bytes(), 0U);
  EXPECT_EQ(image->models().size(), 1U);  // the empty model
  EXPECT_EQ(image->attribute_tables().size(), 1U);
  EXPECT_TRUE(value_of(reader::verify(*image, {})).sound());
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(AbsentFiles, VolumesThatAreNotTheRightOnes) {
  put("/v/foreign", other(kVolume, 0x22));
  put("/v/short", pattern(100, 1));
  put("/v/noise", pattern(20000, 1));
  put("/v/zeros", Buffer(8192, 0));
  EXPECT_NE(missing({}).find("volume 1 (uuid 11111111"), std::string::npos);
  EXPECT_NE(missing({"/v/foreign"}).find("/v/foreign has uuid 22222222"), std::string::npos);
  EXPECT_NE(missing({"/v/short"}).find("too short for a volume"), std::string::npos);
  EXPECT_NE(missing({"/v/noise"}).find("/v/noise"), std::string::npos);
  EXPECT_NE(missing({"/v/zeros"}).find("/v/zeros"), std::string::npos);
  EXPECT_EQ(missing({"/v/absent"}).find("/v/absent"), std::string::npos);
  EXPECT_EQ(missing({kTree}).find("; "), std::string::npos);  // the image is not volume 1
  EXPECT_EQ(missing({"/v/foreign", "/v/short", kTree, kVolume}), "read");
}

TEST_F(AbsentFiles, FoldersAreLookedThrough) {
  put("/v/a foreign", other(kVolume, 0x22));
  put("/v/b noise", pattern(20000, 1));
  expect_ok(env_->make_directory("/v/c folder", 0755));
  expect_ok(value_of(env_->open_directory("/v"))->make_node("d pipe", 0010644, 0));
  EXPECT_EQ(missing({"/i", "/v"}), "read");
  expect_ok(env_->rename(kVolume, "/v/c folder/one"));
  EXPECT_NE(missing({"/v"}).find("; none of the files in /v is this volume"), std::string::npos);
  EXPECT_EQ(missing({"/v", "/v/c folder"}), "read");
  EXPECT_TRUE(value_of(open(kTree))->check_is_volume("/v"));
}

// The same works for volumes that are not named, whatever their file names.
TEST_F(AbsentFiles, TheImagesOwnFolderIsLookedThroughAtLast) {
  put("/i/b foreign", other(kVolume, 0x22));
  put("/i/c noise", pattern(20000, 1));
  EXPECT_NE(missing({}), "read");
  expect_ok(env_->rename(kVolume, "/i/d renamed"));
  EXPECT_EQ(missing({}), "read");
  EXPECT_EQ(missing({"/v/absent"}), "read");
}

TEST_F(AbsentFiles, TellsWhichFilesAreVolumes) {
  put("/v/foreign", other(kVolume, 0x22));
  put("/v/noise", pattern(20000, 1));
  auto ninth = read_file(*env_, kVolume);
  auto header = value_of(format::decode_volume_header(Bytes(ninth).first(format::kPageBytes)));
  header.number = 9;
  const auto page = format::encode_volume_header(header);
  std::copy(page.begin(), page.end(), ninth.begin());
  put("/v/ninth", ninth);
  const auto image = value_of(open(kTree, {}));
  expect_ok(image->check_is_volume(kVolume));
  expect_ok(image->check_is_volume(kTree));
  for (const auto& [path, code] : {std::pair("/v/foreign", 3074), std::pair("/v/ninth", 3075)}) {
    const auto status = image->check_is_volume(path);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), code);
    EXPECT_EQ(status.error().file(), path);
  }
  EXPECT_EQ(image->check_is_volume("/v/noise").error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(image->check_is_volume("/v/absent").error().kind(), ErrorKind::kNotFound);
}

// A renamed image is found by the name in its index, in every kind of folder.
TEST_F(AbsentFiles, VolumesAreFoundByTheirHints) {
  for (const std::string folder : {"/", "", "/i/"}) {
    ImageAssembler assembler;
    assembler.hints[0] = "a.dgfs";
    assembler.add_file("f", pattern(100, 1));
    for (const auto* name : {"a.dgfs", "other"}) static_cast<void>(env_->remove(folder + name));
    assembler.write(*env_, folder + "a.dgfs", folder + "other", true);
    const auto image = value_of(open(folder + "other", {}));
    EXPECT_EQ(value_of(contents(*image, value_of(image->lookup("f")))), pattern(100, 1));
    const std::vector<std::pair<std::string, std::string>> files = {{"index", folder + "other"},
                                                                    {"image", folder + "a.dgfs"}};
    EXPECT_EQ(image->files(), files);
  }
}

TEST_F(AbsentFiles, HeadersOfAVolume) {
  const auto whole = read_file(*env_, kVolume);
  const auto last_page = whole.size() - format::kPageBytes;
  auto damaged = whole;
  std::fill_n(damaged.begin(), format::kPageBytes, std::uint8_t{0});
  put(kVolume, damaged);
  EXPECT_EQ(missing({kVolume}), "read");
  EXPECT_EQ(warnings_.size(), 1U);
  // The last page belongs to a longer file.
  damaged.insert(damaged.begin() + static_cast<std::ptrdiff_t>(last_page), format::kPageBytes, 0);
  put(kVolume, damaged);
  EXPECT_NE(missing({kVolume}), "read");
  // Both pages are sound, but they differ.
  auto header = value_of(format::decode_volume_header(Bytes(whole).first(format::kPageBytes)));
  header.data_end -= 1;
  auto differing = whole;
  const auto page = format::encode_volume_header(header);
  std::copy(page.begin(), page.end(), differing.begin() + static_cast<std::ptrdiff_t>(last_page));
  put(kVolume, differing);
  const auto image = value_of(open(kTree));
  std::vector<std::uint16_t> found;
  expect_ok(image->verify_index([&](const Error& error) { found.push_back(error.code()); }));
  EXPECT_EQ(found, std::vector<std::uint16_t>{3073});
}

TEST_F(AbsentFiles, WhatIsNoImage) {
  put("/i/empty", Buffer());
  put("/i/noise", pattern(20000, 1));
  put("/i/noise.idx", pattern(20000, 2));
  expect_refused(kVolume, 3103);
  for (const auto* path : {"/i/empty", "/i/noise", "/i/noise.idx"}) expect_refused(path, 3105);
  EXPECT_EQ(open("/i/absent").error().kind(), ErrorKind::kNotFound);
  options_.index_path = kTreeIndex;
  expect_refused(kTreeIndex, 3104);
}

// A missing volume 0 is like any missing volume: only its contents fail until it is back.
TEST_F(AbsentFiles, AnImageThatIsGoneIsOpenedByItsIndex) {
  ImageAssembler assembler;
  assembler.uuid.fill(0x11);
  assembler.add_file("f", pattern(100, 1));
  for (const auto* path : {kTree, kTreeIndex}) expect_ok(env_->remove(path));
  assembler.write(*env_, kTree, kTreeIndex, true);
  const auto whole = read_file(*env_, kTree);
  auto without_headers = whole;
  std::fill_n(without_headers.begin(), format::kPageBytes, std::uint8_t{0});
  std::fill_n(without_headers.end() - format::kPageBytes, format::kPageBytes, std::uint8_t{0});
  for (const auto& left : {Buffer(), Buffer(100, 7), without_headers}) {
    warnings_.clear();
    put(kTree, left);
    const auto image = value_of(open(kTree));
    EXPECT_EQ(warnings_, std::vector<std::uint16_t>{3107});
    const auto node = value_of(image->lookup("f"));
    EXPECT_EQ(contents(*image, node).error().kind(), ErrorKind::kNotFound);
    put(kTree, whole);
    EXPECT_EQ(value_of(contents(*image, node)), pattern(100, 1));
  }
  expect_ok(env_->rename(kTree, "/v/other name"));
  warnings_.clear();
  const auto found = value_of(open(kTree, {"/v"}));
  EXPECT_EQ(warnings_, std::vector<std::uint16_t>{3107});
  EXPECT_EQ(value_of(contents(*found, value_of(found->lookup("f")))), pattern(100, 1));
  expect_ok(env_->rename(kTreeIndex, "/v/index"));
  EXPECT_EQ(open(kTree, {"/v"}).error().kind(), ErrorKind::kNotFound);
  options_.index_path = "/v/index";
  EXPECT_TRUE(open(kTree, {"/v"}));
}

TEST_F(AbsentFiles, IndexesThatAreNotTheRightOnes) {
  put("/i/foreign", other(kTreeIndex, 0x22));
  put("/i/noise", pattern(20000, 1));
  options_.index_path = "/i/foreign";
  expect_refused(kTree, 3101);
  const auto message = open(kTree).error().message();
  for (const auto* part : {"/i/foreign: ", "another image", "uuid 22222222", "uuid 11111111"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_EQ(message.find("use --index"), std::string::npos) << message;  // --index was used
  options_.index_path = "/i/absent";
  EXPECT_EQ(open(kTree).error().kind(), ErrorKind::kNotFound);
  options_.index_path = "/i/noise";  // damaged, so the reader uses the copy in the image
  EXPECT_EQ(value_of(open(kTree))->lookup("f").has_value(), true);
  EXPECT_EQ(warnings_, std::vector<std::uint16_t>{3106});
}

// Whatever lies at the place of the index, an image with a copy of it opens.
TEST_F(AbsentFiles, WhatIsNotTheIndexBesideAnImageIsToldAndLeftAlone) {
  const auto folder = value_of(env_->open_directory("/i"));
  const std::vector<std::pair<std::string, std::function<void()>>> cases = {
      {"is a directory", [&] { expect_ok(env_->make_directory(kTreeIndex, 0755)); }},
      {"not a regular file", [&] { expect_ok(folder->make_node("a.dgfs.idx", 0010644, 0)); }},
      {"not a regular file", [&] { expect_ok(folder->make_node("a.dgfs.idx", 0140644, 0)); }},
      {"too many symbolic links",
       [&] { expect_ok(folder->make_symlink("a.dgfs.idx", "a.dgfs.idx")); }},
      {"a part is no directory",
       [&] { expect_ok(folder->make_symlink("a.dgfs.idx", "a.dgfs/x")); }},
      {"the index of another image (uuid 22222222",
       [&] { write_file(*env_, kTreeIndex, other_index_); }}};
  for (const auto& [reason, make] : cases) {
    static_cast<void>(env_->remove(kTreeIndex));
    make();
    warnings_.clear();
    options_.index_path.reset();
    const auto opened = open(kTree);
    ASSERT_TRUE(opened) << reason << ": " << opened.error().message();
    EXPECT_EQ(value_of(contents(*opened.value(), value_of(opened.value()->lookup("f")))),
              pattern(100, 1));
    EXPECT_EQ(warnings_, std::vector<std::uint16_t>{3106});
    EXPECT_TRUE(last_warning_.starts_with(kTreeIndex + std::string(": "))) << last_warning_;
    EXPECT_NE(last_warning_.find(reason), std::string::npos) << last_warning_;
    EXPECT_TRUE(last_warning_.ends_with("; the copy in the image is used instead"))
        << last_warning_;
    std::size_t damaged = 0;
    expect_ok(opened.value()->verify_index([&](const Error&) { ++damaged; }));
    EXPECT_EQ(damaged, 1U) << "verify reports it";
    // A caller who names the file gets the error.
    options_.index_path = kTreeIndex;
    EXPECT_FALSE(open(kTree)) << reason;
  }
  EXPECT_NE(last_warning_.find(std::string(kTree) + " has uuid 11111111"), std::string::npos)
      << last_warning_;
}

TEST_F(AbsentFiles, WhatIsNotTheIndexOfAnImageWithoutACopyIsRefused) {
  for (const auto* path : {kTree, kTreeIndex}) expect_ok(env_->remove(path));
  expect_ok(env_->remove(kVolume));
  write(*env_, 0x11, false);
  put(kTreeIndex, other_index_);
  expect_refused(kTree, 3297);
  EXPECT_NE(open(kTree).error().message().find("the index of another image"), std::string::npos);
  expect_ok(env_->remove(kTreeIndex));
  expect_ok(env_->make_directory(kTreeIndex, 0755));
  expect_refused(kTree, 3297);
  EXPECT_EQ(open(kTree).error().kind(), ErrorKind::kIsDirectory);
}

// The same holds at the place of a volume: the reader looks further.
TEST_F(AbsentFiles, WhatIsNoFileInThePlaceOfAVolumeIsPassedOver) {
  const auto folder = value_of(env_->open_directory("/v"));
  expect_ok(env_->rename(kVolume, "/v/two"));
  expect_ok(folder->make_node("one", 0010644, 0));
  EXPECT_EQ(missing({kVolume, "/v/two"}), "read");
  expect_ok(env_->remove(kVolume));
  expect_ok(folder->make_symlink("one", "one"));
  EXPECT_EQ(missing({kVolume, "/v/two"}), "read");
  expect_ok(env_->remove(kVolume));
  expect_ok(env_->make_directory(kVolume, 0755));
  EXPECT_EQ(missing({kVolume, "/v/two"}), "read");
}

TEST_F(AbsentFiles, AHeaderThatNamesAnotherIndex) {
  auto bytes = read_file(*env_, kTree);
  auto header = value_of(format::decode_volume_header(Bytes(bytes).first(format::kPageBytes)));
  header.index_bytes += format::kPageBytes;
  header.file_bytes += format::kPageBytes;
  const auto page = format::encode_volume_header(header);
  std::copy(page.begin(), page.end(), bytes.begin());
  put(kTree, bytes);
  EXPECT_FALSE(value_of(open(kTree))->has_second_index());  // the reader uses the file beside it
  expect_ok(env_->remove(kTreeIndex));
  expect_refused(kTree, 3100);
}

TEST_F(AbsentFiles, AnImageWithoutAnIndexOfItsOwn) {
  put(kTree, other(kTree, 0x11, false));
  put(kTreeIndex, other(kTreeIndex, 0x11, false));
  EXPECT_FALSE(value_of(open(kTree))->has_second_index());
  EXPECT_FALSE(value_of(open(kTreeIndex))->has_second_index());
  put(kTreeIndex, pattern(20000, 1));
  EXPECT_EQ(open(kTree).error().kind(), ErrorKind::kCorrupt);
  expect_refused(kTreeIndex, 3105);
  expect_ok(env_->remove(kTreeIndex));
  expect_refused(kTree, 3102);
}

// No image has the name that goes with this index.
TEST_F(AbsentFiles, AnIndexAlone) {
  put("/v/index", read_file(*env_, kTreeIndex));
  const auto image = value_of(open("/v/index"));
  EXPECT_FALSE(image->has_second_index());
  EXPECT_TRUE(image->lookup("f"));
  EXPECT_EQ(image->files().front().first, "index");
  const auto report = value_of(reader::verify(*image, {}));
  EXPECT_EQ(report.index_copies, 1U);
  EXPECT_EQ(report.damaged_index_places, 1U);  // at volume 0, which is missing
}

TEST_F(AbsentFiles, ImagesBesideADamagedIndexThatDoNotHelp) {
  put(kTreeIndex, pattern(20000, 1));
  EXPECT_TRUE(open(kTreeIndex));
  for (const auto& beside : {Buffer(), pattern(20000, 3), read_file(*env_, kVolume)}) {
    put(kTree, beside);
    expect_refused(kTreeIndex, 3105);
  }
  expect_ok(env_->remove(kTree));
  expect_refused(kTreeIndex, 3105);
}

}  // namespace
}  // namespace dgfs::test
