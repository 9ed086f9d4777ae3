// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/damage_log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <sstream>

#include "storage/posix/env.h"

namespace dgfs::fuse {
namespace {

// The real environment with a clock that the test moves; the log uses only the clock.
class ClockEnv final : public storage::Env {
 public:
  using Env::open;
  std::uint64_t now_ns = 1;

  Result<std::unique_ptr<storage::File>> open(const std::string& path,
                                              storage::OpenOptions options) override {
    return real_->open(path, options);
  }
  Result<std::unique_ptr<storage::File>> create_unnamed(const std::string& path) override {
    return real_->create_unnamed(path);
  }
  Status publish(storage::File& file, const std::string& path, std::uint32_t mode) override {
    return real_->publish(file, path, mode);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return real_->rename(from, to);
  }
  Status remove(const std::string& path) override { return real_->remove(path); }
  Result<storage::FileStatus> status(const std::string& path) const override {
    return real_->status(path);
  }
  Status make_directory(const std::string& path, std::uint32_t mode) override {
    return real_->make_directory(path, mode);
  }
  Result<std::unique_ptr<storage::Directory>> open_directory(const std::string& path) override {
    return real_->open_directory(path);
  }
  Status sync_directory(const std::string& path) override { return real_->sync_directory(path); }
  Time now() const override { return real_->now(); }
  std::uint64_t monotonic_ns() const override { return now_ns; }
  void random(MutableBytes out) override { real_->random(out); }
  std::optional<std::string> variable(const std::string& name) const override {
    return real_->variable(name);
  }
  unsigned processor_count() const override { return real_->processor_count(); }
  std::uint32_t user_id() const override { return real_->user_id(); }
  storage::Caller caller() const override { return real_->caller(); }
  std::uint64_t process_id() const override { return real_->process_id(); }

 private:
  std::unique_ptr<storage::Env> real_ = storage::make_posix_env();
};

Error damage_at(std::uint64_t offset) {
  return Error(ErrorKind::kCorrupt, 1, "checksum mismatch").in_file("a.dgfs").at_offset(offset);
}

class DamageLogTest : public testing::Test {
 protected:
  bool tell(std::uint64_t offset) {
    if (!log_.is_due(damage_at(offset))) return false;
    log_.write("read of /x", damage_at(offset));
    return true;
  }

  ClockEnv env_;
  std::ostringstream text_;
  DamageLog log_{env_, std::make_shared<spdlog::logger>(
                           "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_))};
};

TEST_F(DamageLogTest, APlaceIsToldOnce) {
  EXPECT_TRUE(tell(1));
  EXPECT_FALSE(tell(1));
  EXPECT_TRUE(tell(2));
  env_.now_ns += 100'000'000'000;
  EXPECT_FALSE(tell(1));
  EXPECT_NE(text_.str().find("read of /x: a.dgfs: offset 2: checksum mismatch"), std::string::npos);
}

TEST_F(DamageLogTest, AfterAnHourItIsToldAgain) {
  EXPECT_TRUE(tell(1));
  env_.now_ns += kDamageSilenceSeconds * 1'000'000'000;
  EXPECT_TRUE(tell(1));
  EXPECT_FALSE(tell(1));
}

TEST_F(DamageLogTest, TheFirstLineOfAKindSaysWhatToDo) {
  EXPECT_TRUE(tell(1));
  EXPECT_TRUE(tell(2));
  const auto failure = Error(ErrorKind::kIo, 1, "cannot read: Input/output error");
  for (int i = 0; i < 2; ++i) log_.write("read of /x", failure);
  const auto text = text_.str();
  for (const char* advice : {"dgfs verify IMAGE", "the kernel's log"}) {
    const auto at = text.find(advice);
    EXPECT_NE(at, std::string::npos) << advice;
    EXPECT_EQ(text.find(advice, at + 1), std::string::npos) << "once";
  }
}

TEST_F(DamageLogTest, ANameWritesNoLineOfItsOwn) {
  log_.write("read of /x\ndgfs: all is well\x1b[2J", damage_at(1));
  log_.warn(Error(ErrorKind::kCorrupt, 1, "x").in_file("a\n.dgfs"));
  const auto text = text_.str();
  EXPECT_NE(text.find("/x\\ndgfs: all is well\\033[2J: a.dgfs: "), std::string::npos) << text;
  EXPECT_NE(text.find("[warning] a\\n.dgfs: x"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;  // one line is advice
}

TEST_F(DamageLogTest, HarmlessDamageIsLimitedToo) {
  for (int i = 0; i < 3; ++i) log_.warn(damage_at(7));
  const auto text = text_.str();
  EXPECT_NE(text.find("[warning] a.dgfs: offset 7"), std::string::npos) << text;
  EXPECT_EQ(text.find("offset 7"), text.rfind("offset 7"));
}

TEST_F(DamageLogTest, ASecondHasFewLinesAndTheRestIsCounted) {
  unsigned told = 0;
  for (std::uint64_t offset = 0; offset < 1000; ++offset) told += tell(offset) ? 1u : 0u;
  EXPECT_EQ(told, kDamageLinesPerSecondMax);
  EXPECT_EQ(text_.str().find("left out"), std::string::npos);
  env_.now_ns += 1'000'000'000;
  EXPECT_TRUE(tell(999)) << "a place that was left out is logged when it comes again";
  EXPECT_NE(text_.str().find("990 more failures were not logged"), std::string::npos)
      << text_.str();
}

TEST_F(DamageLogTest, RememberedPlacesAreBounded) {
  std::uint64_t told = 0;
  for (std::uint64_t offset = 0; offset < kDamagedPlacesMax + 100; ++offset) {
    env_.now_ns += 1'000'000'000 / kDamageLinesPerSecondMax;  // all places within the hour
    told += tell(offset) ? 1u : 0u;
  }
  EXPECT_EQ(told, kDamagedPlacesMax);
}

}  // namespace
}  // namespace dgfs::fuse
