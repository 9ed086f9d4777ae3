// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Where further volumes may go, and which files are there afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "storage/memory/env.h"
#include "tests/builder/image_dump.h"
#include "tests/builder/source_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

constexpr const char* kUsualImage = "/out/i";

class VolumePathsTest : public testing::Test {
 protected:
  VolumePathsTest() {
    for (const std::string path : {"/out", "/v"}) EXPECT_TRUE(env_->make_directory(path, 0755));
    for (unsigned i = 0; i < 20; ++i) tree_.file(std::to_string(i), noise(1000, i));
  }
  builder::BuildOptions options(std::vector<std::string> volumes,
                                const std::string& image_path = kUsualImage) {
    auto options = options_for(tree_, image_path);
    options.volume_paths = std::move(volumes);
    options.volume_groups = builder::GroupLimits{3, 1 << 20};
    return options;
  }
  void expect_refused(const builder::BuildOptions& options, ErrorKind kind,
                      const std::string& path) {
    const auto report = builder::build(*env_, options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind(), kind) << report.error().message();
    EXPECT_EQ(report.error().file(), path);
  }
  std::vector<std::string> names_in(const std::string& path) {
    return env_->open_directory(path).value()->list().value();
  }
  void expect_readable() {
    const auto image = dump_image(*env_, kUsualImage, {}, {"/v"});
    ASSERT_TRUE(image) << image.error().message();
    EXPECT_EQ(image.value().nodes.at("7").content, noise(1000, 7));
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
};

TEST_F(VolumePathsTest, MustDiffer) {
  expect_refused(options({"/v/a", "/v/b", "/v/a"}), ErrorKind::kInvalidArgument, "/v/a");
  expect_refused(options({"/v/a", "/out/../v/a"}), ErrorKind::kInvalidArgument, "/out/../v/a");
  expect_refused(options({"/out/i"}), ErrorKind::kInvalidArgument, "/out/i");
  expect_refused(options({"/out/i.idx"}), ErrorKind::kInvalidArgument, "/out/i.idx");
  auto elsewhere = options({"/out/i.idx"});
  elsewhere.index_path = "/out/x";
  expect_refused(elsewhere, ErrorKind::kInvalidArgument, "/out/i.idx");
  elsewhere.volume_paths = {"/out/x"};
  expect_refused(elsewhere, ErrorKind::kInvalidArgument, "/out/x");
  EXPECT_TRUE(names_in("/out").empty());
}

TEST_F(VolumePathsTest, AreNoneOfWhatIsNoFile) {
  expect_refused(options({"/v"}), ErrorKind::kIsDirectory, "/v");
  ASSERT_TRUE(env_->open_directory("/v").value()->make_symlink("link", "/out/x"));
  expect_refused(options({"/v/link"}), ErrorKind::kExists, "/v/link");
}

TEST_F(VolumePathsTest, AreNoneOfVolumesOfOthers) {
  ASSERT_TRUE(builder::build(*env_, options({"/v/a"})));
  const auto theirs = read_whole(*env_, "/v/a").value();
  expect_refused(options({"/v/b", "/v/a"}, "/out/j"), ErrorKind::kExists, "/v/a");
  ASSERT_TRUE(env_->open("/out/k", {storage::OpenOptions::Mode::kCreateNew}));
  expect_refused(options({"/v/a"}, "/out/k"), ErrorKind::kExists, "/v/a");
  expect_refused(options({"/out/i"}, "/out/j"), ErrorKind::kExists, "/out/i");
  // Neither an image nor an index may replace another image's volume.
  expect_refused(options({}, "/v/a"), ErrorKind::kExists, "/v/a");
  auto index = options({}, "/out/j");
  index.index_path = "/v/a";
  expect_refused(index, ErrorKind::kExists, "/v/a");
  EXPECT_EQ(read_whole(*env_, "/v/a").value(), theirs);
  // The same holds if the first header page is damaged.
  const auto file = env_->open("/v/a", {storage::OpenOptions::Mode::kReadWrite}).value();
  ASSERT_TRUE(file->write_at(100, Buffer(1, 77)));
  expect_refused(options({"/v/a"}, "/out/j"), ErrorKind::kExists, "/v/a");
  ASSERT_TRUE(file->write_at(0, Buffer(1, 77)));
  expect_refused(options({"/v/a"}, "/out/j"), ErrorKind::kExists, "/v/a");
  // The volume's own image may replace it.
  ASSERT_TRUE(builder::build(*env_, options({"/v/a"})));
  EXPECT_EQ(read_whole(*env_, "/v/a").value(), theirs);
}

// A rename puts the foreign volume there during the build; a second build could not, as it is
// refused.
TEST_F(VolumePathsTest, AreLookedAtAgainBeforeTheyAreReplaced) {
  bool is_there = false;
  HookEnv env(*env_, [&](storage::CallKind kind, const std::string&) -> Status {
    if (kind == storage::CallKind::kSync && !is_there) {
      is_there = true;
      EXPECT_TRUE(builder::build(*env_, options({"/v/t"}, "/out/theirs")));
      EXPECT_TRUE(env_->rename("/v/t", "/v/a"));
    }
    return ok();
  });
  const auto report = builder::build(env, options({"/v/a"}));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kExists) << report.error().message();
  EXPECT_EQ(names_in("/out"), (std::vector<std::string>{"theirs", "theirs.idx"}));
  const auto image = dump_image(*env_, "/out/theirs", {}, {"/v"});
  EXPECT_TRUE(image) << image.error().message();
}

TEST_F(VolumePathsTest, AreNotReplacedUnread) {
  ASSERT_TRUE(env_->open("/v/a", {storage::OpenOptions::Mode::kCreateNew}));
  HookEnv env(*env_, [](storage::CallKind kind, const std::string& path) {
    return kind == storage::CallKind::kOpen && path == "/v/a"
               ? Status(Error(ErrorKind::kPermission, 1, "refused"))
               : ok();
  });
  const auto report = builder::build(env, options({"/v/a"}));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kPermission);
}

TEST_F(VolumePathsTest, MayChange) {
  for (const auto& volumes : std::vector<std::vector<std::string>>{
           {"/v/a", "/v/b"}, {"/v/b", "/v/a"}, {"/v/b"}, {"/v/c", "/v/b", "/v/d"}}) {
    tree_.file("more" + volumes.back().substr(3) + std::to_string(volumes.size()), "more");
    const auto report = builder::build(*env_, options(volumes));
    ASSERT_TRUE(report) << report.error().message();
    expect_readable();
  }
  // A volume that a smaller image does not need stays: it may be the last copy of something.
  EXPECT_TRUE(env_->status("/v/a"));
  for (const auto& name : names_in("/v")) {
    EXPECT_FALSE(name.starts_with('.')) << name;
  }
}

TEST_F(VolumePathsTest, OfEmptyFilesAreReplaced) {
  ASSERT_TRUE(env_->open("/v/a", {storage::OpenOptions::Mode::kCreateNew}));
  ASSERT_TRUE(builder::build(*env_, options({"/v/a"})));
  expect_readable();
}

class ForeignFileTest : public VolumePathsTest {
 protected:
  /// One output at each place where an output may lie.
  std::vector<std::pair<std::string, builder::BuildOptions>> outputs() {
    auto index = options({"/v/a"});
    index.index_path = "/v/index";
    auto alone = options({});
    alone.index_path = "";
    return {{"/v/a", index},
            {"/v/index", index},
            {kUsualImage, index},
            {kUsualImage, alone},
            {"/out/i.idx", options({})}};
  }
  void put(const std::string& path, std::string_view text) {
    if (env_->status(path)) {
      EXPECT_TRUE(env_->remove(path));
    }
    const auto file = env_->open(path, {storage::OpenOptions::Mode::kCreateNew});
    EXPECT_TRUE(file.value()->write_at(0, as_bytes(text)));
  }
};

TEST_F(ForeignFileTest, StaysUnlessForced) {
  for (const std::string& text : {std::string("my notes"), noise(20000, 5)}) {
    for (const auto& [path, build] : outputs()) {
      for (const std::string folder : {"/out", "/v"}) {
        for (const auto& name : names_in(folder)) EXPECT_TRUE(env_->remove(folder + "/" + name));
      }
      put(path, text);
      expect_refused(build, ErrorKind::kExists, path);
      EXPECT_EQ(as_text(read_whole(*env_, path).value()), text);
      EXPECT_EQ(names_in("/out").size() + names_in("/v").size(), 1U);
      auto forced = build;
      forced.force = true;
      const auto report = builder::build(*env_, forced);
      ASSERT_TRUE(report) << path << ": " << report.error().message();
      // The forced output is a DGFS file, so a further build replaces it without force.
      EXPECT_TRUE(builder::build(*env_, build)) << path;
    }
  }
}

// An index may replace neither an image nor a volume, and neither may replace an index.
TEST_F(ForeignFileTest, IsAlsoOneOfDgfsOfAnotherKind) {
  ASSERT_TRUE(builder::build(*env_, options({"/v/a"})));
  expect_refused(options({}, "/out/i.idx"), ErrorKind::kExists, "/out/i.idx");
  expect_refused(options({"/out/i.idx"}, "/out/j"), ErrorKind::kExists, "/out/i.idx");
  auto index = options({}, "/out/j");
  index.index_path = kUsualImage;
  index.force = true;  // force does not help here
  expect_refused(index, ErrorKind::kExists, kUsualImage);
  expect_readable();
}

// The rest of a truncated DGFS file is replaced without force.
TEST_F(ForeignFileTest, IsNoneThatWasOfDgfsOnce) {
  ASSERT_TRUE(builder::build(*env_, options({})));
  for (const std::string path : {kUsualImage, "/out/i.idx"}) {
    const auto file = env_->open(path, {storage::OpenOptions::Mode::kReadWrite}).value();
    ASSERT_TRUE(file->truncate(100));
    EXPECT_TRUE(builder::build(*env_, options({}))) << path;
  }
  expect_readable();
}

TEST_F(ForeignFileTest, ThatCameDuringTheBuildStaysToo) {
  for (const auto& [path, build] : outputs()) {
    bool is_there = false;
    HookEnv env(*env_, [&, &path = path](storage::CallKind kind, const std::string&) -> Status {
      if (kind == storage::CallKind::kSync && !std::exchange(is_there, true)) put(path, "notes");
      return ok();
    });
    const auto report = builder::build(env, build);
    ASSERT_FALSE(report) << path;
    EXPECT_EQ(report.error().kind(), ErrorKind::kExists) << report.error().message();
    EXPECT_EQ(as_text(read_whole(*env_, path).value()), "notes");
    EXPECT_EQ(names_in("/out").size() + names_in("/v").size(), 1U) << path;
    ASSERT_TRUE(env_->remove(path));
  }
}

TEST_F(ForeignFileTest, ThatCannotBeReadStaysUnlessForced) {
  put(kUsualImage, "secret");
  HookEnv env(*env_, [](storage::CallKind kind, const std::string& path) {
    return kind == storage::CallKind::kOpen && path == kUsualImage
               ? Status(Error(ErrorKind::kPermission, 1, "refused"))
               : ok();
  });
  auto options = this->options({});
  EXPECT_EQ(builder::build(env, options).error().kind(), ErrorKind::kPermission);
  options.force = true;
  EXPECT_TRUE(builder::build(env, options));
}

// The report names files of the source tree that an output has replaced.
TEST_F(ForeignFileTest, InTheSourceThatIsReplacedIsReported) {
  tree_.directory("d");
  tree_.file("d/f", "content");
  auto inside = options({}, "/src/image");
  inside.index_path = "/src/d/f";
  expect_refused(inside, ErrorKind::kExists, "/src/d/f");
  inside.force = true;
  const auto first = builder::build(*env_, inside);
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(first.value().replaced_in_source, std::vector<std::string>{"d/f"});
  inside.jobs = 1;
  inside.rules.add(rules::RuleAction::kExclude, "f");  // the image would not contain it anyway
  EXPECT_EQ(builder::build(*env_, inside).value().replaced_in_source,
            std::vector<std::string>{"image"});
}

TEST_F(VolumePathsTest, InTheSourceAreNotPacked) {
  auto inside = options({"/src/volume"}, "/src/image");
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(builder::build(*env_, inside));
    const auto image = dump_image(*env_, "/src/image");
    ASSERT_TRUE(image) << image.error().message();
    EXPECT_FALSE(image.value().nodes.contains("volume"));
    EXPECT_EQ(image.value().nodes.size(), 21U);
  }
}

TEST_F(VolumePathsTest, AreNamedWhenTheDeviceIsFull) {
  for (unsigned i = 0; i < 40; ++i) tree_.file("large" + std::to_string(i), noise(300'000, i));
  env_->set_capacity(std::uint64_t{16} << 20);
  const std::vector<std::string> paths = {"/v/a", "/v/b", "/out/i"};
  const auto report = builder::build(*env_, options({"/v/a", "/v/b"}));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kNoSpace);
  EXPECT_NE(std::ranges::find(paths, report.error().file()), paths.end())
      << report.error().message();
  EXPECT_TRUE(names_in("/v").empty());
  EXPECT_TRUE(names_in("/out").empty());
}

}  // namespace
}  // namespace dgfs::test
