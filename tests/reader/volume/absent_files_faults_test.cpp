// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Files of an image that may not be read, that change or vanish between two looks, or that a newer
// version made; and places where the reader must not look for volumes.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "reader/volume/search.h"
#include "storage/names.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/hook_env.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using reader::Image;
using storage::CallKind;

constexpr const char* kPlacedImage = "/i/a.dgfs";
constexpr const char* kPlacedIndex = "/i/a.dgfs.idx";
constexpr const char* kPlacedVolume = "/v/one";
constexpr std::uint64_t kUnknownFeature = std::uint64_t{1} << 60;

class AbsentFilesFaults : public ::testing::Test {
 protected:
  void SetUp() override { write(*memory_, 0x11); }
  // Writes an image whose one file lies in volume 1.
  static void write(storage::Env& env, std::uint8_t uuid) {
    for (const auto* folder : {"/i", "/v"}) expect_ok(env.make_directory(folder, 0755));
    ImageAssembler assembler;
    assembler.uuid.fill(uuid);
    assembler.add_file("f", pattern(100, 1));
    assembler.volume_of_page = [](std::size_t) { return format::VolumeNumber{1}; };
    assembler.more_volumes = {{1, kPlacedVolume}};
    assembler.write(env, kPlacedImage, kPlacedIndex, true);
  }
  static Buffer foreign(const char* path) {
    const auto env = storage::make_memory_env(2);
    write(*env, 0x22);
    return read_file(*env, path);
  }
  void put(const std::string& path, Bytes bytes) {
    if (memory_->status(path)) expect_ok(memory_->remove(path));
    write_file(*memory_, path, bytes);
  }
  // Changes a field of a header page and keeps the checksum right.
  template <class Change>
  void change_header(const char* path, const Change& change, bool both = false) {
    auto bytes = read_file(*memory_, path);
    auto header = value_of(format::decode_volume_header(Bytes(bytes).first(format::kPageBytes)));
    change(header);
    const auto page = format::encode_volume_header(header);
    std::copy(page.begin(), page.end(), bytes.begin());
    if (both) std::copy(page.begin(), page.end(), bytes.end() - format::kPageBytes);
    put(path, bytes);
  }
  Result<std::unique_ptr<const Image>> open(const std::string& path,
                                            std::vector<std::string> volumes = {kPlacedVolume}) {
    options_.volume_paths = std::move(volumes);
    options_.warn = [this](const Error& error) { warnings_.push_back(error); };
    return Image::open(env_, path, options_);
  }
  [[nodiscard]] std::vector<std::uint16_t> warned_codes() const {
    std::vector<std::uint16_t> codes;
    for (const auto& warning : warnings_) codes.push_back(warning.code());
    return codes;
  }
  // Returns the error of reading the file, or "read".
  static std::string answer_of(const Image& image) {
    const auto read = contents(image, value_of(image.lookup("f")));
    if (!read) return read.error().message();
    EXPECT_EQ(read.value(), pattern(100, 1));
    return "read";
  }
  std::string answer(std::vector<std::string> volumes) {
    return answer_of(*value_of(open(kPlacedImage, std::move(volumes))));
  }
  // Refuses such calls, from the `first` one to the `last` one.
  void refuse(CallKind kind, const std::string& path, ErrorKind error, int first = 1,
              int last = 1000) {
    seen_ = 0;
    hook_ = [=, this](CallKind called, const std::string& at) -> Status {
      if (called != kind || at != path) return ok();
      ++seen_;
      return seen_ < first || seen_ > last ? Status(ok())
                                           : Status(Error(error, 1, "refused").in_file(path));
    };
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  HookEnv::Hook hook_;
  int seen_ = 0;
  HookEnv env_{*memory_, [this](CallKind kind, const std::string& path) {
                 return hook_ ? hook_(kind, path) : Status(ok());
               }};
  reader::OpenOptions options_;
  std::vector<Error> warnings_;
};

TEST_F(AbsentFilesFaults, AnIndexThatMayNotBeReadIsReplacedByTheCopyInTheImage) {
  refuse(CallKind::kOpen, kPlacedIndex, ErrorKind::kPermission);
  const auto image = value_of(open(kPlacedImage));
  ASSERT_EQ(warned_codes(), std::vector<std::uint16_t>{3106});
  EXPECT_EQ(warnings_[0].file(), kPlacedIndex);
  EXPECT_FALSE(warnings_[0].offset());
  EXPECT_EQ(answer_of(*image), "read");
  EXPECT_FALSE(image->has_second_index());
  hook_ = {};  // no damage, so the reader does not look at the file again
  EXPECT_FALSE(image->has_second_index());
  // A caller who names the file gets the error.
  refuse(CallKind::kOpen, kPlacedIndex, ErrorKind::kPermission);
  options_.index_path = kPlacedIndex;
  EXPECT_EQ(open(kPlacedImage).error().kind(), ErrorKind::kPermission);
}

TEST_F(AbsentFilesFaults, AnIndexThatIsTooShortToSayWhoseItIs) {
  put(kPlacedIndex, Buffer(3));
  const auto image = value_of(open(kPlacedImage));
  EXPECT_EQ(warned_codes(), std::vector<std::uint16_t>{3106});
  EXPECT_EQ(answer_of(*image), "read");
  EXPECT_FALSE(image->has_second_index());
}

TEST_F(AbsentFilesFaults, AnImageThatCannotBeReadIsNoHelpForADamagedIndex) {
  put(kPlacedIndex, pattern(20000, 1));
  EXPECT_TRUE(open(kPlacedIndex));
  refuse(CallKind::kRead, kPlacedImage, ErrorKind::kIo);
  const auto opened = open(kPlacedIndex);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), 3105);
}

// An error for which the other copy is no help is returned as it is, for each read.
TEST_F(AbsentFilesFaults, WhatIsNoDamageIsNotTakenForIt) {
  for (int read = 1;; ++read) {
    refuse(CallKind::kRead, kPlacedIndex, ErrorKind::kLimit, read);
    const auto opened = open(kPlacedImage);
    if (opened) {
      EXPECT_GT(read, 3);
      break;
    }
    EXPECT_EQ(opened.error().kind(), ErrorKind::kLimit) << read;
    EXPECT_TRUE(warnings_.empty()) << read;
  }
}

TEST_F(AbsentFilesFaults, ACopyOfANewerVersionIsNoSecondOne) {
  auto bytes = read_file(*memory_, kPlacedImage);
  const auto header =
      value_of(format::decode_volume_header(Bytes(bytes).first(format::kPageBytes)));
  const auto place = MutableBytes(bytes).subspan(header.index_offset, format::kPageBytes);
  auto superblock = value_of(format::decode_superblock(place));
  superblock.incompat |= kUnknownFeature;
  const auto page = format::encode_superblock(superblock);
  std::copy(page.begin(), page.end(), place.begin());
  put(kPlacedImage, bytes);
  const auto image = value_of(open(kPlacedImage));
  EXPECT_EQ(answer_of(*image), "read");
  EXPECT_FALSE(image->has_second_index());
  std::vector<ErrorKind> found;
  expect_ok(image->verify_index([&](const Error& error) { found.push_back(error.kind()); }));
  EXPECT_EQ(found, std::vector<ErrorKind>{ErrorKind::kUnsupported});
}

TEST_F(AbsentFilesFaults, ACopyOfAnotherImageIsNotUsed) {
  change_header(
      kPlacedImage, [](auto& header) { header.image_uuid.fill(0x33); }, true);
  EXPECT_EQ(open(kPlacedImage).error().code(), 3101);
  expect_ok(memory_->remove(kPlacedIndex));
  EXPECT_EQ(open(kPlacedImage).error().code(), 3100);
}

// The last page is not read, because the same builder wrote it.
TEST_F(AbsentFilesFaults, AHeaderOfANewerVersionIsNotDamage) {
  const auto newer = [](auto& header) { header.incompat |= kUnknownFeature; };
  change_header(kPlacedVolume, newer);
  EXPECT_NE(answer({kPlacedVolume}).find("/v/one"), std::string::npos);
  change_header(kPlacedImage, newer);
  const auto opened = open(kPlacedImage);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind(), ErrorKind::kUnsupported);
  EXPECT_TRUE(warnings_.empty());
}

// The file is cut between the read of its superblock and the look at its length.
TEST_F(AbsentFilesFaults, AnImageThatIsCutWhileItIsOpened) {
  expect_ok(memory_->remove(kPlacedIndex));
  hook_ = [&](CallKind kind, const std::string& path) -> Status {
    if (kind != CallKind::kOther || path != kPlacedImage) return ok();
    const auto file = value_of(memory_->open(path, {storage::OpenOptions::Mode::kReadWrite}));
    return file->truncate(100);
  };
  const auto opened = open(kPlacedImage);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), 3001);
}

// A build that was killed while it named volumes leaves such files.
TEST_F(AbsentFilesFaults, HiddenNamesAmongWhichOneIsTheVolume) {
  const auto hidden = [](std::uint8_t number) {
    return storage::hidden_name("one", Buffer{number}, "new");
  };
  put("/v/" + hidden(1), pattern(20000, 1));
  put("/v/" + hidden(2), foreign(kPlacedVolume));
  const auto folder = value_of(memory_->open_directory("/v"));
  expect_ok(folder->make_node(hidden(3), 0010644, 0));
  EXPECT_EQ(answer({kPlacedVolume}), "read");
  expect_ok(memory_->rename(kPlacedVolume, "/v/" + hidden(4)));
  EXPECT_EQ(answer({kPlacedVolume}), "read");
  refuse(CallKind::kOther, "/v/" + hidden(4), ErrorKind::kIo);  // the status of the hidden file
  EXPECT_NE(answer({kPlacedVolume}), "read");
}

TEST_F(AbsentFilesFaults, AVolumeThatGoesBetweenTwoLooks) {
  refuse(CallKind::kOpen, kPlacedVolume, ErrorKind::kNotFound, 2);
  EXPECT_NE(answer({"/v"}).find("; none of the files in /v is this volume"), std::string::npos);
  EXPECT_GE(seen_, 2);
}

TEST_F(AbsentFilesFaults, TheImagesFolderIsLookedThroughOnce) {
  put("/i/b", pattern(20000, 1));
  refuse(CallKind::kOpen, "/i/b", ErrorKind::kIo, 1000);
  EXPECT_NE(answer({"/i"}).find("; none of the files in /i is this volume"), std::string::npos);
  EXPECT_EQ(seen_, 1);
}

// Direct reads use a second descriptor, but only if it is of the same file.
TEST_F(AbsentFilesFaults, AVolumeThatIsReplacedWhileItIsOpened) {
  options_.contents_past_page_cache = true;
  EXPECT_EQ(answer({kPlacedVolume}), "read");
  refuse(CallKind::kOpen, kPlacedVolume, ErrorKind::kIo, 2);
  EXPECT_EQ(answer({kPlacedVolume}), "read");
  EXPECT_EQ(seen_, 2);
  seen_ = 0;
  auto other = foreign(kPlacedVolume);
  other[format::kPageBytes + 50] ^= 1;  // changed contents, which would count as damaged
  hook_ = [&](CallKind kind, const std::string& path) {
    if (kind == CallKind::kOpen && path == kPlacedVolume && ++seen_ == 2) put(kPlacedVolume, other);
    return ok();
  };
  EXPECT_EQ(answer({kPlacedVolume}), "read");
  EXPECT_EQ(seen_, 2);
}

// The reader does not look again for every file, but after a second.
TEST_F(AbsentFilesFaults, AMissingVolumeIsLookedForAgain) {
  const auto at_second = [&](std::int64_t second) {
    memory_->set_now(Time{1'800'000'000 + second, 0});
  };
  const auto whole = read_file(*memory_, kPlacedVolume);
  expect_ok(memory_->remove(kPlacedVolume));
  at_second(0);
  const auto image = value_of(open(kPlacedImage));
  EXPECT_NE(answer_of(*image), "read");
  put(kPlacedVolume, whole);
  EXPECT_NE(answer_of(*image), "read");
  at_second(1);
  EXPECT_EQ(answer_of(*image), "read");
}

TEST_F(AbsentFilesFaults, AHintDoesNotLeadOutOfTheFolder) {
  reader::VolumePlaces places;
  places.uuid.fill(0x11);
  places.folder = "/i";
  const auto found = reader::find_volume(*memory_, places, 1, {places.uuid, 1}, "../v/one");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), 3071);
  places.folder = "/v";
  EXPECT_TRUE(reader::find_volume(*memory_, places, 1, {places.uuid, 1}, "one"));
}

TEST_F(AbsentFilesFaults, AFolderStandsForItsRegularFiles) {
  put("/v/another", Buffer(10));
  const auto folder = value_of(memory_->open_directory("/v"));
  expect_ok(folder->make_node("pipe", 0010644, 0));
  expect_ok(folder->make_directory("folder", 0755));
  EXPECT_EQ(reader::files_of_places(*memory_, {"/x", "/v"}),
            (std::vector<std::string>{"/x", "/v/another", "/v/one"}));
}

}  // namespace
}  // namespace dgfs::test
