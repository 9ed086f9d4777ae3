// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Damage of every kind: the reader gives an error or the right answer, never other data.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "reader/check/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

// All answers of an image as text; "error" for an error.
using Answers = std::map<std::string, std::string>;

Answers ask_all(const reader::Image& image, const std::vector<std::string>& paths) {
  Answers answers;
  for (const auto& path : paths) {
    const auto node = image.lookup(path);
    if (!node) {
      answers[path] = "error";
      continue;
    }
    const auto& n = node.value();
    auto& text = answers[path];
    text = std::to_string(n.inode) + " " + std::to_string(n.mode) + " " +
           std::to_string(n.size_bytes) + " " + std::to_string(n.mtime.seconds) + " " +
           std::to_string(n.link_count);
    if ((n.mode & 0170000U) == 0100000U) {
      const auto content = contents(image, n);
      answers[path + ":content"] =
          content ? std::string(as_text(content.value())) : std::string("error");
    }
    if ((n.mode & 0170000U) == 0120000U) {
      const auto target = image.read_link(n);
      answers[path + ":target"] = target ? target.value() : "error";
    }
  }
  return answers;
}

class ImageDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.directory("d");
    tree_.file("d/one", "first content");
    tree_.file("d/two", pattern(700, 2));
    tree_.link("d/one", "d/three");
    tree_.symlink("long", std::string(300, 'y'));
    tree_.symlink("short", "d/one");
    tree_.file("z", pattern(66'000, 3));
    tree_.pack();
    image_ = read_file(tree_.memory(), kImage);
    index_ = read_file(tree_.memory(), kIndex);
    truth_ = ask_all(*tree_.open(), paths_);
    for (const auto& [what, answer] : truth_) EXPECT_NE(answer, "error") << what;
  }

  Result<std::unique_ptr<const reader::Image>> open_damaged(const Buffer* image,
                                                            const Buffer* index) {
    damaged_ = storage::make_memory_env(1);
    if (image) write_file(*damaged_, "/t.dgfs", *image);
    if (index) write_file(*damaged_, "/t.dgfs.idx", *index);
    reader::OpenOptions options;
    options.warn = [this](const Error&) { ++warnings_; };
    return reader::Image::open(*damaged_, image ? "/t.dgfs" : "/t.dgfs.idx", options);
  }
  // Expects each answer to be right or an error; returns how many are errors.
  std::size_t expect_true_or_error(const reader::Image& image, const std::string& what) {
    std::size_t errors = 0;
    for (const auto& [question, answer] : ask_all(image, paths_)) {
      if (answer == "error") {
        ++errors;
      } else {
        EXPECT_EQ(answer, truth_.at(question)) << question << " with " << what;
      }
    }
    return errors;
  }

  PackedTree tree_;
  std::vector<std::string> paths_ = {"", "d", "d/one", "d/two", "d/three", "long", "short", "z"};
  Buffer image_;
  Buffer index_;
  Answers truth_;
  std::unique_ptr<storage::MemoryEnv> damaged_;
  int warnings_ = 0;
};

TEST_F(ImageDamage, FlippedBytesOfALoneIndex) {
  for (std::size_t at = 0; at < index_.size(); ++at) {
    auto damaged = index_;
    damaged[at] ^= 0x10;
    damaged_ = storage::make_memory_env(1);
    write_file(*damaged_, "/t.idx", damaged);
    const auto opened = reader::Image::open(*damaged_, "/t.idx");
    if (opened) expect_true_or_error(*opened.value(), "byte " + std::to_string(at));
  }
}

TEST_F(ImageDamage, FlippedBytesOfTheImage) {
  // Without a sidecar, and in steps through the data of the large file.
  const auto index_begin = image_.size() - index_.size() - 4096;
  for (std::size_t at = 0; at<image_.size(); at += at> 8192 && at < index_begin ? 997 : 1) {
    auto damaged = image_;
    damaged[at] ^= 0x01;
    const auto opened = open_damaged(&damaged, nullptr);
    if (opened) expect_true_or_error(*opened.value(), "byte " + std::to_string(at));
  }
}

TEST_F(ImageDamage, ADamagedSidecarIsReplacedByTheCopyInTheImage) {
  for (std::size_t at = 0; at < index_.size(); at += 3) {
    auto damaged = index_;
    damaged[at] ^= 0x80;
    const auto opened = open_damaged(&image_, &damaged);
    ASSERT_TRUE(opened) << "byte " << at << ": " << opened.error().message();
    EXPECT_EQ(expect_true_or_error(*opened.value(), "byte " + std::to_string(at)), 0U) << at;
  }
  EXPECT_GT(warnings_, 0);
}

TEST_F(ImageDamage, AnIndexOpenedAloneIsReplacedByTheCopyInTheImageBesideIt) {
  // Damages the magic number, the checksummed fields, the checksum; then a page, which heals by
  // itself.
  for (const std::size_t at : {0U, 7U, 60U, 4095U, 4096U + 100U}) {
    auto damaged = index_;
    damaged[at] ^= 0x80;
    static_cast<void>(open_damaged(&image_, &damaged));
    warnings_ = 0;
    reader::OpenOptions options;
    options.warn = [this](const Error& error) {
      ++warnings_;
      EXPECT_EQ(error.file(), "/t.dgfs.idx");
    };
    const auto opened = reader::Image::open(*damaged_, "/t.dgfs.idx", options);
    ASSERT_TRUE(opened) << "byte " << at << ": " << opened.error().message();
    EXPECT_EQ(expect_true_or_error(*opened.value(), "byte " + std::to_string(at)), 0U) << at;
    EXPECT_EQ(warnings_, 1) << at;
    EXPECT_FALSE(value_of(reader::verify(*opened.value(), {})).sound());
  }
}

TEST_F(ImageDamage, ADamagedIndexAloneIsNotReplacedByWhatIsNoImageOfIt) {
  auto damaged = index_;
  damaged[60] ^= 0x80;
  const auto alone = open_damaged(nullptr, &damaged);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().section(), "superblock");
  write_file(*damaged_, "/t.dgfs", Buffer(10'000, 'x'));
  const auto beside = reader::Image::open(*damaged_, "/t.dgfs.idx");
  ASSERT_FALSE(beside);
  EXPECT_EQ(beside.error().section(), "superblock");
  EXPECT_EQ(beside.error().file(), "/t.dgfs.idx");
}

TEST_F(ImageDamage, TruncatedFiles) {
  for (std::size_t length = 0; length < index_.size(); length += 61) {
    const Buffer cut(index_.begin(), index_.begin() + static_cast<long>(length));
    const auto opened = open_damaged(&image_, &cut);
    ASSERT_TRUE(opened) << length;
    EXPECT_EQ(expect_true_or_error(*opened.value(), std::to_string(length)), 0U);
    const auto alone = open_damaged(nullptr, &cut);
    EXPECT_FALSE(alone);
  }
  for (std::size_t length = 0; length < image_.size(); length += 509) {
    const Buffer cut(image_.begin(), image_.begin() + static_cast<long>(length));
    // An image without its last header page lacks nothing that reading needs.
    const auto alone = open_damaged(&cut, nullptr);
    EXPECT_EQ(alone.has_value(), length >= image_.size() - 4096) << length;
    if (alone) {
      EXPECT_EQ(expect_true_or_error(*alone.value(), std::to_string(length)), 0U);
      EXPECT_FALSE(value_of(reader::verify(*alone.value(), {})).sound());
    }
    const auto with_index = open_damaged(&cut, &index_);
    if (with_index) expect_true_or_error(*with_index.value(), std::to_string(length));
  }
}

TEST_F(ImageDamage, ADamagedFirstHeaderIsReplacedByTheLast) {
  auto damaged = image_;
  std::fill(damaged.begin(), damaged.begin() + 4096, std::uint8_t{0});
  const auto opened = open_damaged(&damaged, nullptr);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(expect_true_or_error(*opened.value(), "no first header"), 0U);
  EXPECT_EQ(warnings_, 1);
}

// Two builds at once, or a copy by hand, leave such files: nothing is lost, so the image opens.
TEST_F(ImageDamage, TheCopyInTheImageServesBesideASidecarOfAnotherImage) {
  ImageAssembler other;
  other.write(tree_.memory(), "/other.dgfs", "/other.idx", true);
  const auto index = read_file(tree_.memory(), "/other.idx");
  const auto opened = open_damaged(&image_, &index);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(warnings_, 1);
  EXPECT_EQ(expect_true_or_error(*opened.value(), "a foreign sidecar"), 0U);
  EXPECT_FALSE(opened.value()->has_second_index());
  EXPECT_FALSE(value_of(reader::verify(*opened.value(), {})).sound());
}

TEST_F(ImageDamage, FailingAndLyingDevices) {
  for (const auto kind : {storage::FaultKind::kIoError, storage::FaultKind::kShortRead,
                          storage::FaultKind::kBitFlip}) {
    const auto faulty = storage::make_faulty_env(tree_.memory(), 5);
    for (std::uint64_t call = 1;; ++call) {
      faulty->arm({kind, call, false});
      const auto opened = reader::Image::open(*faulty, kImage);
      if (opened) expect_true_or_error(*opened.value(), "fault at " + std::to_string(call));
      if (faulty->calls() < call) break;
      ASSERT_LT(call, 1000U);
    }
  }
}

// A device that fails when both copies are needed may answer later.
TEST_F(ImageDamage, TheSecondIndexIsLookedForAgain) {
  auto damaged_index = index_;
  damaged_index[4096 + 100] ^= 0x01;
  damaged_ = storage::make_memory_env(1);
  write_file(*damaged_, "/t.dgfs", image_);
  write_file(*damaged_, "/t.dgfs.idx", damaged_index);
  const auto faulty = storage::make_faulty_env(*damaged_, 1);
  const auto image = value_of(reader::Image::open(*faulty, "/t.dgfs"));
  faulty->only_for([](const std::string& path) { return path == "/t.dgfs"; });
  faulty->arm({.kind = storage::FaultKind::kIoError, .at_call = 1, .sticky = true});
  EXPECT_FALSE(image->lookup("d/one"));
  EXPECT_GT(faulty->fired(), 0U);
  faulty->arm({});
  EXPECT_TRUE(image->lookup("d/one"));
  EXPECT_EQ(image->counters().healed_pages, 1U);
}

// The error's offset must not count the begin of the index twice.
TEST_F(ImageDamage, AnIndexThatWasCutIsAnErrorAtItsPlace) {
  const auto opened = open_damaged(nullptr, &index_);
  ASSERT_TRUE(opened);
  const auto file =
      value_of(damaged_->open("/t.dgfs.idx", {.mode = storage::OpenOptions::Mode::kReadWrite}));
  expect_ok(file->truncate(4097));
  const auto lookup = opened.value()->lookup("d");
  ASSERT_FALSE(lookup);
  EXPECT_EQ(lookup.error().section(), "pages");
  EXPECT_EQ(lookup.error().offset(), 4096U);
}

TEST_F(ImageDamage, NothingOfAFailedFrameIsHandedOut) {
  auto damaged = image_;
  const auto node = value_of(tree_.open()->lookup("d/two"));
  damaged[node.data.offset_bytes + 8 + 699] ^= 1;
  const auto opened = value_of(open_damaged(&damaged, &index_));
  Buffer out(700, 0xEE);
  const auto read = opened->read(node, 0, out);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().offset(), node.data.offset_bytes);
  const auto content = pattern(700, 2);
  EXPECT_FALSE(std::equal(out.begin(), out.begin() + 16, content.begin()));
}

TEST_F(ImageDamage, VerifyNamesEveryDamagedFile) {
  auto damaged = image_;
  const auto whole = tree_.open();
  damaged[value_of(whole->lookup("d/two")).data.offset_bytes + 20] ^= 1;
  damaged[value_of(whole->lookup("z")).data.offset_bytes + 65544 + 9] ^= 1;
  const auto opened = value_of(open_damaged(&damaged, &index_));
  std::map<std::string, std::string> found;
  reader::VerifyOptions options;
  options.jobs = 2;
  options.damaged_file = [&](const std::string& path, const Error& error) {
    found[path] = error.message();
  };
  const auto report = value_of(reader::verify(*opened, options));
  EXPECT_FALSE(report.sound());
  EXPECT_EQ(report.files, 3U);
  EXPECT_EQ(report.damaged_files, 2U);
  EXPECT_EQ(report.damaged_index_places, 0U);
  ASSERT_EQ(found.size(), 2U);
  const auto z = value_of(whole->lookup("z")).data.offset_bytes + 65544;
  EXPECT_EQ(found["z"], "contents, bytes 65536-65999 (/t.dgfs offset " + std::to_string(z) +
                            "): checksum mismatch");
  EXPECT_TRUE(found.contains("d/two"));
}

TEST_F(ImageDamage, VerifyFindsDamageOfEitherIndexCopy) {
  for (const bool trailing : {false, true}) {
    auto image = image_;
    auto index = index_;
    auto& copy = trailing ? image : index;
    const auto base = trailing ? image_.size() - index_.size() - 4096 : 0;
    copy[base + 4096 + 100] ^= 4;
    const auto opened = value_of(open_damaged(&image, &index));
    const auto report = value_of(reader::verify(*opened, {}));
    EXPECT_EQ(report.damaged_index_places, 1U) << trailing;
    EXPECT_EQ(report.damaged_files, 0U);
  }
  const auto sound = value_of(open_damaged(&image_, &index_));
  EXPECT_TRUE(value_of(reader::verify(*sound, {})).sound());
}

}  // namespace
}  // namespace dgfs::test
