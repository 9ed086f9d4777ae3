// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Devices that fail under a live mount, and recover: every answer is right or EIO, the server
// lives, and no trace of the failure is left when the device answers again.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/fuse/mounted_image.h"

namespace dgfs::test {
namespace {

// Question -> answer. A failure is "errno N".
using Answers = std::map<std::string, std::string>;

std::string failure_text(int number) { return "errno " + std::to_string(number); }
const std::string kEio = failure_text(EIO);

constexpr std::size_t kSmallFiles = 12;

class FuseDevice : public testing::Test {
 protected:
  void SetUp() override {
    DGFS_NEEDS_FUSE();
    source_.directory("dir");
    for (std::size_t i = 0; i < kSmallFiles; ++i) {
      source_.file("dir/" + std::to_string(i), noise(3000 + i, i));
    }
    source_.file("large", noise(400'000, 77));
    source_.file("sparse", "");
    source_.write_at("sparse", noise(5000, 5), 300'000);
    source_.write_at("sparse", noise(5000, 6), 900'000);
    source_.symlink("short", "target");
    source_.symlink("long", std::string(1000, 'x'));
    source_.hard_link("other-name", "dir/3");
    source_.xattr("large", "user.noise", noise(2000, 9));
    // Enough files for more than one index page.
    source_.directory("many");
    for (int i = 0; i < 400; ++i) {
      std::string name;
      for (const char byte : noise(60, 1000 + static_cast<std::uint64_t>(i))) {
        name += static_cast<char>('0' + (byte & 63));
      }
      source_.file("many/" + name, "");
      if (i % 40 == 0) names_.push_back("many/" + name);
    }
    device_ = make_shared_switch();
  }

  std::unique_ptr<MountedImage> mount() {
    return std::make_unique<MountedImage>(
        source_, MountedImage::Options{.mount_options = {}, .daemon = false, .device = device_});
  }

  static std::string content_of(const std::string& path) {
    int failure = 0;
    auto content = slurp(path, &failure);
    return failure == 0 ? content : failure_text(failure);
  }
  static std::string names_in(const std::string& path) {
    DIR* directory = ::opendir(path.c_str());
    if (directory == nullptr) return failure_text(errno);
    std::string names;
    errno = 0;
    while (const auto* entry = ::readdir(directory)) {
      names += std::string(entry->d_name) + "\n";
      errno = 0;
    }
    const int failure = errno;
    ::closedir(directory);
    return failure == 0 ? names : failure_text(failure);
  }
  static std::string attributes_of(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return failure_text(errno);
    return std::to_string(status.st_mode) + " " + std::to_string(status.st_size) + " " +
           std::to_string(status.st_nlink) + " " + std::to_string(status.st_mtim.tv_nsec);
  }
  static std::string target_of(const std::string& path) {
    char target[2000];
    const auto length = ::readlink(path.c_str(), target, sizeof target);
    return length < 0 ? failure_text(errno) : std::string(target, static_cast<std::size_t>(length));
  }
  static std::string xattr_of(const std::string& path, const char* name) {
    char value[4000];
    const auto length = ::getxattr(path.c_str(), name, value, sizeof value);
    return length < 0 ? failure_text(errno) : std::string(value, static_cast<std::size_t>(length));
  }
  static std::string data_begin_of(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY);
    if (fd < 0) return failure_text(errno);
    const auto begin = ::lseek(fd, 0, SEEK_DATA);
    const int failure = errno;
    ::close(fd);
    return begin < 0 ? failure_text(failure) : std::to_string(begin);
  }

  Answers ask(const MountedImage& mounted) const {
    Answers answers;
    for (std::size_t i = 0; i < kSmallFiles; ++i) {
      const auto name = "dir/" + std::to_string(i);
      answers["content of " + name] = content_of(mounted.path(name));
    }
    for (const char* name : {"large", "sparse", "other-name"}) {
      answers[std::string("content of ") + name] = content_of(mounted.path(name));
      answers[std::string("attributes of ") + name] = attributes_of(mounted.path(name));
    }
    for (const char* name : {"short", "long"}) {
      answers[std::string("target of ") + name] = target_of(mounted.path(name));
    }
    answers["xattr"] = xattr_of(mounted.path("large"), "user.noise");
    answers["data of sparse"] = data_begin_of(mounted.path("sparse"));
    answers["absent"] = attributes_of(mounted.path("dir/absent"));
    for (const auto& name : names_) answers[name] = attributes_of(mounted.path(name));
    for (const char* name : {"", "dir", "many"}) {
      answers[std::string("names in ") + name] = names_in(mounted.path(name));
    }
    return answers;
  }
  // The answers of an undisturbed mount.
  const Answers& truth() {
    if (truth_.empty()) {
      device_->recover();
      truth_ = ask(*mount());
    }
    return truth_;
  }
  // Returns how many answers are EIO.
  std::size_t expect_true_or_eio(const Answers& answers) {
    std::size_t failures = 0;
    for (const auto& [question, answer] : answers) {
      if (answer == kEio) {
        ++failures;
      } else {
        EXPECT_TRUE(answer == truth().at(question)) << question << ": " << answer.substr(0, 80);
      }
    }
    return failures;
  }
  void expect_recovered(MountedImage& mounted) {
    EXPECT_TRUE(mounted.server_lives());
    EXPECT_EQ(expect_true_or_eio(ask(mounted)), 0u) << "a trace of the failure is left";
    EXPECT_EQ(mounted.unmount(), 0);
  }

  ScratchTree source_;
  std::vector<std::string> names_;
  DeviceSwitch* device_ = nullptr;
  Answers truth_;
};

struct Failing {
  DeviceFault fault;
  DevicePart part;
  bool metadata_survives;  // whether the other index copy answers
  bool contents_survive;
};
constexpr Failing kFailing[] = {
    {DeviceFault::kError, DevicePart::kAll, false, false},
    {DeviceFault::kError, DevicePart::kImage, true, false},
    {DeviceFault::kError, DevicePart::kIndex, true, true},
    {DeviceFault::kShort, DevicePart::kAll, false, false},
    {DeviceFault::kShort, DevicePart::kImage, true, false},
    {DeviceFault::kShort, DevicePart::kIndex, true, true},
    {DeviceFault::kFlip, DevicePart::kAll, false, false},
    {DeviceFault::kFlip, DevicePart::kImage, true, false},
    {DeviceFault::kFlip, DevicePart::kIndex, true, true},
    {DeviceFault::kZeros, DevicePart::kAll, false, false},
    {DeviceFault::kZeros, DevicePart::kImage, true, false},
    {DeviceFault::kZeros, DevicePart::kIndex, true, true},
};

class FuseFailingDevice : public FuseDevice, public testing::WithParamInterface<Failing> {};

TEST_P(FuseFailingDevice, FromTheStartUntilItRecovers) {
  const auto& failing = GetParam();
  (void)truth();
  const auto mounted = mount();
  device_->set(failing.fault, failing.part);
  const auto answers = ask(*mounted);
  const auto failures = expect_true_or_eio(answers);
  EXPECT_GT(device_->fired(), 0u);
  EXPECT_EQ(answers.at("content of large") == kEio, !failing.contents_survive);
  EXPECT_EQ(answers.at("names in many") == kEio, !failing.metadata_survives);
  if (failing.metadata_survives && failing.contents_survive) {
    EXPECT_EQ(failures, 0u);
  }
  EXPECT_NE(mounted->log(), "");
  device_->recover();
  expect_recovered(*mounted);
}

// Answers from caches stay right. The others fail, and are right again afterwards.
TEST_P(FuseFailingDevice, InTheMiddleUntilItRecovers) {
  const auto& failing = GetParam();
  (void)truth();
  const auto mounted = mount();
  (void)names_in(mounted->path("many"));
  (void)content_of(mounted->path("dir/1"));
  device_->set(failing.fault, failing.part);
  (void)expect_true_or_eio(ask(*mounted));
  (void)expect_true_or_eio(ask(*mounted));
  device_->recover();
  expect_recovered(*mounted);
}

INSTANTIATE_TEST_SUITE_P(Every, FuseFailingDevice, testing::ValuesIn(kFailing));

// One read fails, each in turn.
TEST_F(FuseDevice, OneReadFailsAndNoTraceIsLeft) {
  (void)truth();
  for (const auto fault : {DeviceFault::kError, DeviceFault::kShort, DeviceFault::kFlip}) {
    std::int64_t nth = 0;
    for (bool fired = true; fired; nth += 3) {
      const auto mounted = mount();
      device_->set_once(fault, DevicePart::kAll, nth);
      (void)expect_true_or_eio(ask(*mounted));
      fired = device_->fired() != 0;
      device_->recover();
      expect_recovered(*mounted);
      ASSERT_LT(nth, 1000);
    }
    EXPECT_GT(nth, 20);
  }
}

// An image that is cut, and restored in place.
class FuseCutImage : public FuseDevice, public testing::WithParamInterface<std::size_t> {};

TEST_P(FuseCutImage, GivesEioAndRecovers) {
  (void)truth();
  const auto mounted = mount();
  const auto image = slurp(mounted->image_path());
  ASSERT_EQ(::truncate(mounted->image_path().c_str(),
                       static_cast<off_t>(image.size() * GetParam() / 100)),
            0);
  EXPECT_GT(expect_true_or_eio(ask(*mounted)), 0u);
  EXPECT_NE(mounted->log().find("image.dgfs"), std::string::npos);
  const int fd = ::open(mounted->image_path().c_str(), O_WRONLY);
  ASSERT_EQ(::pwrite(fd, image.data(), image.size(), 0), static_cast<ssize_t>(image.size()));
  ::close(fd);
  expect_recovered(*mounted);
}

INSTANTIATE_TEST_SUITE_P(ToPercent, FuseCutImage, testing::Values(0, 1, 20, 50, 80));

// Many threads ask while the device fails and recovers.
TEST_F(FuseDevice, AFlickeringDeviceNeverGivesWrongAnswers) {
  (void)truth();
  const auto mounted = mount();
  std::atomic<bool> stop = false;
  std::thread flicker([&] {
    for (int i = 0; !stop; ++i) {
      device_->set(static_cast<DeviceFault>(i % 5), static_cast<DevicePart>(i % 3));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  std::vector<std::thread> readers;
  std::vector<Answers> answers(4);
  for (auto& mine : answers) readers.emplace_back([&] { mine = ask(*mounted); });
  for (auto& reader : readers) reader.join();
  stop = true;
  flicker.join();
  device_->recover();
  for (const auto& mine : answers) (void)expect_true_or_eio(mine);
  expect_recovered(*mounted);
}

TEST_F(FuseDevice, TheLogSaysWhatWhereAndWhatToDo) {
  const auto mounted = mount();
  device_->set(DeviceFault::kError, DevicePart::kImage);
  EXPECT_EQ(content_of(mounted->path("dir/5")), kEio);
  device_->set(DeviceFault::kFlip, DevicePart::kImage);
  EXPECT_EQ(content_of(mounted->path("dir/6")), kEio);
  device_->recover();
  const auto log = mounted->log();
  for (const auto& part :
       {std::string("read of /dir/5: ") + mounted->image_path() + ": contents, offset ",
        std::string("Input/output error"), std::string("the device of the image fails"),
        std::string("read of /dir/6: ") + mounted->image_path() + ": contents, offset ",
        std::string("checksum mismatch"), std::string("'dgfs verify IMAGE'")}) {
    EXPECT_NE(log.find(part), std::string::npos) << part << " in\n" << log;
  }
}

}  // namespace
}  // namespace dgfs::test
