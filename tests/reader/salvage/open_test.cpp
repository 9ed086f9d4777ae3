// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Salvage from any remaining file of an image, and salvage that is asked to stop.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>

#include "reader/salvage/salvage.h"
#include "tests/reader/check/index_pieces.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/hook_env.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

/// An image of a few files; /i has all or some of the files of the image.
class SalvageOpen : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto* folder : {"/i", "/v"}) expect_ok(env_->make_directory(folder, 0755));
    write(true);
  }

  /// Pages with odd numbers have their contents in volume 1.
  void write(bool trailing) {
    ImageAssembler assembler;
    assembler.uuid.fill(0x11);
    assembler.entries_per_page = 2;
    for (const auto* path : {"a", "b", "c", "e", "f"}) {
      assembler.add_file(path, pattern(100, static_cast<std::uint8_t>(path[0])));
    }
    assembler.volume_of_page = [](std::size_t page) {
      return static_cast<format::VolumeNumber>(page % 2);
    };
    assembler.more_volumes = {{1, "/v/one"}};
    remove("/i/t");
    remove("/i/t.idx");
    remove("/v/one");
    assembler.write(*env_, "/i/t", "/i/t.idx", trailing);
  }
  void remove(const std::string& path) {
    if (env_->status(path)) expect_ok(env_->remove(path));
  }
  void put(const std::string& path, const Buffer& bytes) {
    remove(path);
    write_file(*env_, path, bytes);
  }
  /// Overwrites the first bytes, or the last ones, with zeros.
  void wipe(const std::string& path, std::size_t count) {
    auto bytes = read_file(*env_, path);
    std::fill_n(bytes.begin(), count, std::uint8_t{0});
    put(path, bytes);
  }
  void wipe_end(const std::string& path, std::size_t count) {
    auto bytes = read_file(*env_, path);
    std::fill(bytes.end() - static_cast<long>(count), bytes.end(), std::uint8_t{0});
    put(path, bytes);
  }

  // Damages the volume table in both copies.
  void damage_volume_table() {
    auto index = read_file(*env_, "/i/t.idx");
    auto image = read_file(*env_, "/i/t");
    const auto base = image.size() - index.size() - 4096;
    for (const auto& piece : pieces_of(index)) {
      if (piece.kind != format::SectionKind::kVolumes) continue;
      index[piece.offset + piece.length - 1] ^= 1;
      image[base + piece.offset + piece.length - 1] ^= 1;
    }
    put("/i/t", image);
    put("/i/t.idx", index);
  }

  Result<std::set<std::string>> salvage(const std::string& path) {
    std::set<std::string> kept;
    DGFS_TRY(report, reader::list_salvage(*env_, path, options_,
                                          [&](const std::string& there, const reader::Node&) {
                                            if (!there.empty()) kept.insert(there);
                                          }));
    is_complete_ = report.complete();
    return kept;
  }
  void expect_all(const std::string& path) {
    EXPECT_EQ(value_of(salvage(path)), (std::set<std::string>{"a", "b", "c", "e", "f"})) << path;
    EXPECT_TRUE(is_complete_) << path;
  }
  void expect_refused(const std::string& path, std::uint16_t code) {
    const auto kept = salvage(path);
    ASSERT_FALSE(kept) << path;
    EXPECT_EQ(kept.error().code(), code) << kept.error().message();
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  reader::SalvageOptions options_;
  bool is_complete_ = false;
};

TEST_F(SalvageOpen, ByTheImageOrByItsIndex) {
  options_.open.volume_paths = {"/v/one"};
  expect_all("/i/t");
  expect_all("/i/t.idx");
  // Recognised by its name, if nothing else says what it is.
  wipe("/i/t.idx", 4096);
  expect_all("/i/t.idx");
}

TEST_F(SalvageOpen, ByAnIndexAloneWhatIsInFurtherVolumes) {
  options_.open.volume_paths = {"/v/one"};
  remove("/i/t");
  EXPECT_EQ(value_of(salvage("/i/t.idx")), (std::set<std::string>{"b", "c"}));
  EXPECT_FALSE(is_complete_);
}

TEST_F(SalvageOpen, OfAnImageWithoutACopyOfTheIndex) {
  write(false);
  options_.open.volume_paths = {"/v/one"};
  expect_all("/i/t");
  remove("/i/t.idx");
  expect_refused("/i/t", 3210);
}

TEST_F(SalvageOpen, ByAnIndexThatIsNamed) {
  expect_ok(env_->rename("/i/t.idx", "/v/index"));
  options_.open.volume_paths = {"/v/one"};
  options_.open.index_path = "/v/index";
  expect_all("/i/t");
  options_.open.index_path = "/v/none";
  const auto kept = salvage("/i/t");
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().kind(), ErrorKind::kNotFound);
}

TEST_F(SalvageOpen, NotByAnotherVolume) { expect_refused("/v/one", 3211); }

// A named file that is no volume, or that has no header, does no harm.
TEST_F(SalvageOpen, WithFilesThatAreNoVolumes) {
  put("/v/empty", {});
  put("/v/text", pattern(9000, 1));
  options_.open.volume_paths = {"/v/empty", "/v/text", "/v/none", "/v/one"};
  expect_all("/i/t");
  // The same holds if the volume table is lost and only these files tell of the volumes.
  damage_volume_table();
  expect_all("/i/t");
}

// Its length says where the copy begins in an image without headers, or that there is no room for
// one.
TEST_F(SalvageOpen, WithAnIndexThatSaysAnotherLength) {
  options_.open.volume_paths = {"/v/one"};
  const auto index = read_file(*env_, "/i/t.idx");
  wipe("/i/t", 4096);
  wipe_end("/i/t", 4096);
  expect_all("/i/t");
  // The image is as short as the index, so the copy would begin before the file.
  auto image = read_file(*env_, "/i/t");
  image.resize(index.size());
  put("/i/t", image);
  EXPECT_FALSE(value_of(salvage("/i/t")).empty());
}

// Stops at each call of the file system in turn.
TEST_F(SalvageOpen, StopsWhenItIsTold) {
  options_.open.volume_paths = {"/v/one"};
  auto options = options_;  // the fixture's options outlive the flag
  options.jobs = 1;
  std::atomic<bool> stop = false;
  options.stop = &stop;
  for (const bool is_listed : {true, false}) {
    std::size_t stopped = 0;
    for (int at_call = 1;; ++at_call) {
      stop = false;
      std::atomic<int> calls = 0;
      HookEnv env(*env_, [&](auto, const std::string&) -> Status {
        stop = stop || ++calls == at_call;
        return ok();
      });
      const auto destination = "/saved" + std::to_string(at_call);
      const auto report =
          is_listed ? reader::list_salvage(env, "/i/t", options, [](const auto&, const auto&) {})
                    : reader::salvage(env, "/i/t", destination, options);
      if (!stop) {
        EXPECT_TRUE(value_of(report).complete());
        break;
      }
      if (report) continue;  // it had finished by then
      EXPECT_EQ(report.error().kind(), ErrorKind::kInterrupted) << report.error().message();
      ++stopped;
    }
    EXPECT_GT(stopped, 15U);
  }
}

}  // namespace
}  // namespace dgfs::test
