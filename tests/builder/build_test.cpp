// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/build.h"

#include <gtest/gtest.h>

#include <memory>

#include "format/entry/mode.h"
#include "format/limits.h"
#include "storage/posix/env.h"
#include "tests/builder/build_fixture.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

template <class T>
std::string message(const Result<T>& result) {
  return result ? "" : result.error().message();
}

using BuildTest = BuildFixture;

TEST_F(BuildTest, PacksAnEmptyDirectory) {
  const auto report = build(options_for(tree_, "/i"));
  EXPECT_EQ(report.superblock.namespace_entries, 1);
  const ImageDump image = dump("/i");
  ASSERT_EQ(image.nodes.size(), 1);
  EXPECT_TRUE(format::is_directory(image.nodes.at("").entry.mode));
  EXPECT_TRUE(image.nodes.at("").children.empty());
}

TEST_F(BuildTest, PacksAnEmptyDirectoryThatWantsTokens) {
  auto options = options_for(tree_, "/i");
  options.token_entries_min = 0;
  EXPECT_EQ(build(options).superblock.namespace_entries, 1);
  EXPECT_EQ(dump("/i").nodes.size(), 1);
}

TEST_F(BuildTest, KeepsEveryFeature) {
  make_feature_tree(tree_);
  const auto report = build(options_for(tree_, "/i"));
  for (const std::string index : {"", "/i.idx"}) {
    ImageDump image = dump("/i", index);
    auto& nodes = image.nodes;
    ASSERT_EQ(nodes.size(), report.superblock.namespace_entries);
    EXPECT_EQ(nodes["hello"].content, "hello\n");
    EXPECT_EQ(nodes["hello"].entry.mode, format::kTypeRegular | 0600);
    EXPECT_EQ(nodes["hello"].entry.mtime, (Time{-5, 123456789}));
    EXPECT_EQ(nodes["hello"].entry.uid, 1000);
    EXPECT_EQ(nodes["hello"].entry.gid, 70000);
    EXPECT_EQ(nodes["frame"].content, noise(65536, 1));
    EXPECT_EQ(nodes["frames"].content, noise(65536 * 3 + 1, 2));
    EXPECT_EQ(nodes["a/b/c/deep"].content, "deep");
    EXPECT_EQ(nodes["a!/x"].content, "x");
    EXPECT_EQ(nodes["bytes \xff\x01\n"].content, "odd");
    EXPECT_EQ(nodes["short"].target, "hello");
    EXPECT_EQ(nodes["long"].target, std::string(300, 't'));
    EXPECT_EQ(nodes["long"].entry.size_bytes, 300);
    EXPECT_EQ(nodes["null"].entry.rdev, 0x103);
    EXPECT_EQ(nodes["a/b"].entry.mtime, (Time{1700000000, 1}));
    EXPECT_EQ(nodes["bare"].children, std::vector<std::string>{"bare/name"});
  }
}

TEST_F(BuildTest, LinksNamesOfOneObject) {
  make_feature_tree(tree_);
  const auto report = build(options_for(tree_, "/i"));
  EXPECT_EQ(report.hard_links, 4);
  EXPECT_EQ(report.superblock.link_entries, 3);
  ImageDump image = dump("/i");
  auto& nodes = image.nodes;
  EXPECT_EQ(nodes["zfirst"].entry.link_count, 3);
  EXPECT_EQ(nodes["a/name"].inode, nodes["zfirst"].inode);
  EXPECT_EQ(nodes["bare/name"].inode, nodes["zfirst"].inode);
  EXPECT_EQ(nodes["bare/name"].content, "linked");
  EXPECT_EQ(nodes["a/fifo"].inode, nodes["fifo"].inode);
  EXPECT_EQ(nodes["a!/link"].inode, nodes["short"].inode);
  EXPECT_EQ(nodes["a!/link"].target, "hello");
}

TEST_F(BuildTest, AnObjectWithOneNameInTheTreeIsNoLink) {
  tree_.file("in", "content");
  SourceTree elsewhere(*env_, "/other");
  const auto from = env_->open_directory("/src");
  const auto to = env_->open_directory("/other");
  ASSERT_TRUE(to.value()->make_link(*from.value(), "in", "out"));
  build(options_for(tree_, "/i"));
  const ImageDump image = dump("/i");
  EXPECT_EQ(image.superblock.link_entries, 0);
  EXPECT_EQ(image.nodes.at("in").entry.link_count, 0);
}

TEST_F(BuildTest, KeepsHolesOfWholeBlocks) {
  make_feature_tree(tree_);
  build(options_for(tree_, "/i"));
  ImageDump image = dump("/i");
  const DumpedNode& sparse = image.nodes["sparse"];
  ASSERT_EQ(sparse.segments.size(), 1);
  EXPECT_EQ(sparse.segments[0].begin, 300000 / 4096 * 4096);
  EXPECT_EQ(sparse.segments[0].length % 4096, 0);
  std::string expected(300000, '\0');
  expected += noise(100000, 3);
  expected.resize((1 << 20) + 77);
  EXPECT_EQ(sparse.content, expected);
  EXPECT_TRUE(image.nodes["hole"].entry.sparse_map.present());
  EXPECT_EQ(image.nodes["hole"].entry.stored_bytes, 0);
  EXPECT_EQ(image.nodes["hole"].content, std::string(1 << 20, '\0'));
  EXPECT_FALSE(image.nodes["frames"].entry.sparse_map.present());
}

TEST_F(BuildTest, SharesEqualXattrSets) {
  make_feature_tree(tree_);
  auto options = options_for(tree_, "/i");
  build(options);
  ImageDump image = dump("/i");
  EXPECT_EQ(image.superblock.compat,
            format::feature::kCompatXattrs | format::feature::kCompatLinkNames);
  EXPECT_EQ(image.nodes["hello"].xattrs, (std::vector<Xattr>{{"user.one", {'1'}}}));
  EXPECT_EQ(image.nodes["hello"].entry.xattrs, image.nodes["frames"].entry.xattrs);
  EXPECT_EQ(image.nodes["a"].xattrs.at(0).value.size(), 3000);
  options.xattrs = false;
  build(options);
  image = dump("/i");
  EXPECT_EQ(image.superblock.compat, format::feature::kCompatLinkNames);
  EXPECT_TRUE(image.nodes["hello"].xattrs.empty());
}

TEST_F(BuildTest, GivesTheSameBytesOnAnyNumberOfThreads) {
  make_feature_tree(tree_);
  for (int i = 0; i < 3000; ++i) {
    tree_.file("a/f" + std::to_string(i), noise(static_cast<std::size_t>(i), 4));
  }
  tree_.file("large", noise(9 << 20, 5));
  auto options = options_for(tree_, "/i");
  options.jobs = 1;
  build(options);
  const auto image = read_whole(*env_, "/i").value();
  const auto index = read_whole(*env_, "/i.idx").value();
  for (const unsigned jobs : {2U, 8U}) {
    options.jobs = jobs;
    options.image_path = "/j";
    options.memory_bytes = jobs == 8 ? 1 << 20 : 1 << 28;
    build(options);
    EXPECT_EQ(read_whole(*env_, "/j").value(), image) << jobs;
    EXPECT_EQ(read_whole(*env_, "/j.idx").value(), index) << jobs;
  }
  EXPECT_EQ(dump("/j").nodes["large"].content, noise(9 << 20, 5));
}

TEST_F(BuildTest, PacksALargeSparseFileInPieces) {
  tree_.sparse("large", std::uint64_t{5} << 30, (std::uint64_t{4} << 30) + 5, noise(9 << 20, 6));
  tree_.file("next", "next");
  build(options_for(tree_, "/i"));
  // Decoding this content whole would take 5 GiB; the next file shows that its extent is right.
  auto options = options_for(tree_, "/i2");
  options.memory_bytes = 1 << 20;
  build(options);
  EXPECT_EQ(read_whole(*env_, "/i").value(), read_whole(*env_, "/i2").value());
  const auto bytes = read_whole(*env_, "/i").value();
  EXPECT_LT(bytes.size(), 11 << 20);
}

TEST_F(BuildTest, HashesContentIntoTheUuid) {
  tree_.file("f", "one");
  const auto first = build(options_for(tree_, "/i")).superblock.uuid;
  EXPECT_EQ(first[6] >> 4, 8);
  EXPECT_EQ(first[8] >> 6, 2);
  EXPECT_EQ(build(options_for(tree_, "/other")).superblock.uuid, first);
  const auto mtime = env_->status("/src/f").value().modify_time;
  ASSERT_TRUE(env_->remove("/src/f"));
  tree_.file("f", "two");
  tree_.time("f", mtime);
  EXPECT_NE(build(options_for(tree_, "/i")).superblock.uuid, first);
  auto options = options_for(tree_, "/i");
  options.uuid = format::Uuid{1, 2, 3};
  EXPECT_EQ(build(options).superblock.uuid, *options.uuid);
}

TEST_F(BuildTest, TakesTheTimeOfCreationFromOptionEnvironmentOrTree) {
  tree_.file("f", "");
  tree_.time("f", {2000000000, 5});
  auto options = options_for(tree_, "/i");
  EXPECT_EQ(build(options).superblock.created_seconds, 2000000000);
  env_->set_variable("SOURCE_DATE_EPOCH", "77");
  EXPECT_EQ(build(options).superblock.created_seconds, 77);
  options.created_seconds = 78;
  EXPECT_EQ(build(options).superblock.created_seconds, 78);
  options.created_seconds.reset();
  env_->set_variable("SOURCE_DATE_EPOCH", "7x");
  EXPECT_EQ(builder::build(*env_, options).error().kind(), ErrorKind::kInvalidArgument);
}

TEST_F(BuildTest, OverridesOwnerAndMode) {
  tree_.file("f", "x", 0777);
  auto options = options_for(tree_, "/i");
  options.uid = 7;
  options.gid = 8;
  options.permission_mask = 022;
  build(options);
  ImageDump image = dump("/i");
  EXPECT_EQ(image.nodes["f"].entry.mode, format::kTypeRegular | 0755);
  EXPECT_EQ(image.nodes["f"].entry.uid, 7);
  EXPECT_EQ(image.nodes[""].entry.gid, 8);
}

TEST_F(BuildTest, LeavesOutWhatPatternsExclude) {
  make_feature_tree(tree_);
  auto options = options_for(tree_, "/i");
  for (const auto* pattern : {"f*", "/a/b", "bare"}) {
    options.rules.add(rules::RuleAction::kExclude, pattern);
  }
  build(options);
  const ImageDump image = dump("/i");
  for (const char* gone : {"frame", "frames", "fifo", "a/fifo", "a/b", "a/b/c", "bare"}) {
    EXPECT_FALSE(image.nodes.contains(gone)) << gone;
  }
  EXPECT_TRUE(image.nodes.contains("a/name"));
  EXPECT_EQ(image.nodes.at("zfirst").entry.link_count, 2);
}

TEST_F(BuildTest, RulesTellFilesFromDirectories) {
  tree_.directory("keep");
  tree_.file("keep/x", "1");
  tree_.directory("d");
  tree_.file("d/keep", "2");
  tree_.file("d/other", "3");
  auto options = options_for(tree_, "/i");
  options.rules.add(rules::RuleAction::kExclude, "keep/");
  options.rules.add(rules::RuleAction::kInclude, "*/");
  options.rules.add(rules::RuleAction::kInclude, "keep");
  options.rules.add(rules::RuleAction::kExclude, "*");
  build(options);
  const ImageDump image = dump("/i");
  EXPECT_EQ(image.nodes.size(), 3);
  EXPECT_TRUE(image.nodes.contains("d/keep"));
}

TEST_F(BuildTest, PacksChosenPathsWithTheWayThere) {
  for (const auto* path : {"a", "a/b", "a/b/c", "d"}) tree_.directory(path);
  for (const auto* path : {"a/f", "a/b/g", "a/b/c/h", "d/i", "j"}) tree_.file(path, "x");
  auto options = options_for(tree_, "/i");
  options.paths = {"a/b/c/", "./j"};
  build(options);
  ImageDump image = dump("/i");
  for (const auto* path : {"", "a", "a/b", "a/b/c", "a/b/c/h", "j"}) {
    EXPECT_TRUE(image.nodes.contains(path)) << path;
  }
  EXPECT_EQ(image.nodes.size(), 6);
  options.paths = {"a/b", "a/missing/x", "j/below"};
  EXPECT_EQ(builder::build(*env_, options).error().kind(), ErrorKind::kNotFound);
  options.keep_going = true;
  EXPECT_EQ(builder::build(*env_, options).value().loss_count, 2);
}

TEST_F(BuildTest, LeavesOutItsOwnOutputs) {
  tree_.file("f", "x");
  auto options = options_for(tree_, "/src/i");
  build(options);
  build(options);
  EXPECT_EQ(dump("/src/i").nodes.size(), 2);
}

TEST_F(BuildTest, WritesIndexesWhereTold) {
  tree_.file("f", "x");
  auto options = options_for(tree_, "/i");
  options.index_path = "";
  build(options);
  EXPECT_EQ(env_->status("/i.idx").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(dump("/i").nodes.size(), 2);
  options.index_path = "/elsewhere";
  options.trailing_index = false;
  build(options);
  EXPECT_EQ(dump("/i", "/elsewhere").nodes["f"].content, "x");
  options.index_path = "";
  EXPECT_EQ(builder::build(*env_, options).error().kind(), ErrorKind::kInvalidArgument);
}

TEST_F(BuildTest, RefusesOneNameForImageAndIndexHoweverSpelled) {
  builder::BuildOptions options = options_for(tree_, "/i");
  for (const std::string index : {"/i", "//i", "/./i", "/src/../i"}) {
    options.index_path = index;
    const auto report = builder::build(*env_, options);
    ASSERT_FALSE(report) << index;
    EXPECT_EQ(report.error().code(), 4092);
    EXPECT_FALSE(env_->status("/i"));
  }
}

TEST_F(BuildTest, TakesNoPlaceOfADevice) {
  const auto root = env_->open_directory("/");
  ASSERT_TRUE(root) << message(root);
  ASSERT_TRUE(root.value()->make_node("null", format::kTypeCharacterDevice | 0666, 0x103));
  builder::BuildOptions options = options_for(tree_, "/null");
  EXPECT_FALSE(builder::build(*env_, options));
  options.image_path = "/i";
  options.index_path = "/null";
  EXPECT_FALSE(builder::build(*env_, options));
  EXPECT_TRUE(format::is_device(env_->status("/null").value().mode));
  EXPECT_FALSE(env_->status("/i"));
}

TEST_F(BuildTest, TakesNoPlaceOfALink) {
  const auto root = env_->open_directory("/");
  ASSERT_TRUE(root) << message(root);
  ASSERT_TRUE(root.value()->make_symlink("link", "/elsewhere"));
  EXPECT_FALSE(builder::build(*env_, options_for(tree_, "/link")));
  EXPECT_EQ(root.value()->read_link("link").value(), "/elsewhere");
}

TEST_F(BuildTest, ReportsProgressAndTotals) {
  make_feature_tree(tree_);
  auto options = options_for(tree_, "/i");
  std::vector<builder::Phase> phases;
  builder::Progress last;
  options.progress = [&](const builder::Progress& progress) {
    if (phases.empty() || phases.back() != progress.phase) phases.push_back(progress.phase);
    last = progress;
  };
  const auto report = build(options);
  using builder::Phase;
  EXPECT_EQ(phases, (std::vector<Phase>{Phase::kScanning, Phase::kPacking, Phase::kIndexing,
                                        Phase::kSyncing}));
  EXPECT_EQ(last.entries, last.entries_total);
  EXPECT_EQ(last.entries, report.superblock.namespace_entries);
  EXPECT_EQ(last.content_bytes, last.content_bytes_total);
  const auto& superblock = report.superblock;
  EXPECT_EQ(superblock.regular_files + superblock.directories + superblock.symlinks +
                superblock.other_files,
            superblock.namespace_entries);
  EXPECT_EQ(report.image_bytes, env_->status("/i").value().size_bytes);
}

TEST_F(BuildTest, MakesSeveralPages) {
  for (int d = 0; d < 20; ++d) {
    const std::string directory = "d" + std::to_string(d);
    tree_.directory(directory);
    for (int i = 0; i < 400; ++i) {
      const std::string name = directory + "/file-" + std::to_string(i * 7919 % 1000);
      tree_.file(name, noise(5, static_cast<std::uint64_t>(d * 400 + i)));
      tree_.owner(name, static_cast<std::uint32_t>(d * 400 + i), 1);
    }
  }
  build(options_for(tree_, "/i"));
  ImageDump image = dump("/i");
  EXPECT_GT(image.pages, 2);
  ASSERT_EQ(image.nodes.size(), 8021);
  EXPECT_EQ(image.nodes["d7/file-0"].entry.uid, 2800);
  EXPECT_EQ(image.nodes["d7/file-0"].content, noise(5, 2800));
}

TEST(BuildPosix, PacksManyFilesAndLargeOnesPastThePageCache) {
  const auto env = storage::make_posix_env();
  const TempDir directory;
  SourceTree tree(*env, directory / "src");
  std::map<std::string, std::string> contents;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const std::string name = "d" + std::to_string(i % 7);
    if (i < 7) tree.directory(name);
    const std::string path = name + "/f" + std::to_string(i);
    contents[path] = noise((i + 1) * (i % 5 == 0 ? 400000 : 30000), i);
  }
  contents["large"] = noise((9 << 20) + 77, 1);
  for (const auto& [path, content] : contents) tree.file(path, content);
  for (const unsigned jobs : {1U, 0U}) {
    auto options = options_for(tree, directory / ("i" + std::to_string(jobs)));
    options.jobs = jobs;
    const auto report = builder::build(*env, options);
    ASSERT_TRUE(report) << message(report);
  }
  EXPECT_EQ(read_whole(*env, directory / "i0").value(), read_whole(*env, directory / "i1").value());
  auto image = dump_image(*env, directory / "i0");
  ASSERT_TRUE(image) << message(image);
  for (const auto& [path, content] : contents) {
    EXPECT_EQ(image.value().nodes[path].content, content) << path;
  }
}

TEST(BuildPosix, PacksARealTree) {
  const auto env = storage::make_posix_env();
  const TempDir directory;
  SourceTree tree(*env, directory / "src");
  tree.file("f", noise(100000, 1));
  tree.sparse("sparse", 1 << 22, 1 << 21, "middle");
  std::string deep;
  for (int i = 0; i < 100; ++i) {  // deeper than the levels that stay open
    deep += "d/";
    tree.directory(deep.substr(0, deep.size() - 1));
    tree.file(deep + "f", deep);
    tree.directory(deep + "z");
  }
  auto options = options_for(tree, directory / "i");
  const auto report = builder::build(*env, options);
  ASSERT_TRUE(report) << message(report);
  auto image = dump_image(*env, directory / "i", directory / "i.idx");
  ASSERT_TRUE(image) << message(image);
  EXPECT_EQ(image.value().nodes["f"].content, noise(100000, 1));
  EXPECT_EQ(image.value().nodes["sparse"].content.substr(1 << 21, 6), "middle");
  EXPECT_EQ(image.value().nodes[deep + "f"].content, deep);
  EXPECT_EQ(image.value().nodes.size(), 303);
}

}  // namespace
}  // namespace dgfs::test
