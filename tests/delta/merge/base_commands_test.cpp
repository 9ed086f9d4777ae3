// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Commands that read images, over a base with objects without a name: they show none of them, and
// find nothing wrong; verify checks their contents, too.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "reader/check/verify.h"
#include "storage/wrapped.h"
#include "tests/delta/merge/live_tree.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

/// How the contents of the image are stored. A value.
struct BaseShape {
  const char* name = "";
  bool compressed = false;
  bool has_digests = false;
  friend void PrintTo(const BaseShape& shape, std::ostream* out) { *out << shape.name; }
};

class BaseCommands : public testing::TestWithParam<BaseShape> {
 protected:
  BaseCommands() {
    tree_.tree().directory("d");
    for (int i = 0; i < 5; ++i) {
      tree_.tree().file("d/f" + std::to_string(i), std::string(300, static_cast<char>('a' + i)));
    }
    tree_.tree().file("large", pattern(20'000, 1));
    tree_.tree().file("open", pattern(9'000, 2));
    tree_.tree().file("written", pattern(9'000, 3));
    tree_.tree().symlink("link", "to somewhere");
    expect_ok(tree_.tree().parent("open")->set_xattr("open", "user.a", as_bytes("value")));
    if (GetParam().compressed) {
      tree_.build_options().compression = builder::Compression{3};
      tree_.build_options().compression->fragment_frame_bytes = builder::kFragmentFrameBytesMin;
    }
    if (GetParam().has_digests) {
      tree_.build_options().digest = format::DigestAlgorithm::kSha256;
    }
    tree_.open();
    write_at(view(), tree_.object("written"), 100, "changed in the delta");
    written_ = tree_.object("written");
    for (const char* name : {"open", "written", "link"}) value_of(view().unlink(kRoot, name));
    value_of(view().unlink(tree_.object("d"), "f2"));
    value_of(view().create(kRoot, "pipe", {format::kTypeFifo | 0600U, 0}, {}));
    value_of(view().unlink(kRoot, "pipe"));
    value_of(view().make_directory(kRoot, "place", 0700, {}));
    value_of(view().remove_directory(kRoot, "place"));
    const auto unnamed = value_of(view().create_unnamed(kRoot, 0600, {})).object;
    write_at(view(), unnamed, 0, std::string(700, 'u'));
    make_file(view(), "new", "made in the delta");
    base_ = tree_.merge().path;
    EXPECT_EQ(tree_.nameless().size(), 6U);
  }

  [[nodiscard]] view::View& view() { return tree_.view(); }
  int run(const std::string& command, const std::vector<std::string>& rest = {}) {
    ToolRun tool(tree_.memory());
    std::vector<std::string> arguments{command, "--volume", kImage, base_};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    const int code = tool.run(arguments);
    out_ = tool.out();
    err_ = tool.err();
    return code;
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return (out_ + err_).find(text) != std::string::npos;
  }
  void expect_no_other(const std::map<std::string, std::string>& files) {
    std::vector<std::string> names;
    for (const auto& [name, content] : files) names.push_back(name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"d", "d/f0", "d/f1", "d/f3", "d/f4", "large", "new"}));
  }

  LiveTree tree_;
  std::string base_;
  ObjectNumber written_ = 0;
  std::string out_;
  std::string err_;
};

INSTANTIATE_TEST_SUITE_P(Shapes, BaseCommands,
                         testing::Values(BaseShape{"Plain"}, BaseShape{"Compressed", true},
                                         BaseShape{"Digests", false, true},
                                         BaseShape{"CompressedDigests", true, true}),
                         [](const auto& shape) { return std::string(shape.param.name); });

TEST_P(BaseCommands, FindNothingWrong) {
  EXPECT_EQ(run("verify"), 0) << out_ << err_;
  if (GetParam().has_digests) {
    EXPECT_EQ(run("verify", {"--digest"}), 0) << out_ << err_;
  }
  EXPECT_EQ(run("salvage", {"--list"}), 0) << out_ << err_;
  EXPECT_TRUE(says("nothing is lost")) << out_;
}

TEST_P(BaseCommands, ShowNoObjectWithoutAName) {
  EXPECT_EQ(run("ls", {"-R"}), 0) << err_;
  EXPECT_TRUE(says("large") && says("f3")) << out_;
  for (const char* name : {"open", "written", "link", "f2", "pipe", "place"}) {
    EXPECT_FALSE(says(name)) << out_;
  }
  EXPECT_EQ(run("find"), 0) << err_;
  EXPECT_FALSE(says("open")) << out_;
  EXPECT_TRUE(says("new")) << out_;
  EXPECT_EQ(run("du"), 0) << err_;
  EXPECT_EQ(run("info"), 0) << err_;
  EXPECT_TRUE(says("nameless-objects")) << out_;
  EXPECT_EQ(run("info", {"--json"}), 0) << err_;
  EXPECT_EQ(run("stat", {"large"}), 0) << err_;
  EXPECT_EQ(run("cat", {"new"}), 0) << err_;
  EXPECT_EQ(out_, "made in the delta");
  EXPECT_NE(run("cat", {"open"}), 0);
}

TEST_P(BaseCommands, ExtractOnlyWhatHasAName) {
  EXPECT_EQ(run("extract", {"/extracted"}), 0) << out_ << err_;
  const auto files = tree_below(*value_of(tree_.memory().open_directory("/extracted")));
  expect_no_other(files);
  EXPECT_EQ(files.at("large"), as_text(pattern(20'000, 1)));
  EXPECT_EQ(run("salvage", {"/salvaged"}), 0) << out_ << err_;
  EXPECT_EQ(tree_below(*value_of(tree_.memory().open_directory("/salvaged"))), files);
}

// The volume origins say as whose volumes the files are known.
TEST_P(BaseCommands, SalvageNeedsNoVolumeTable) {
  EXPECT_EQ(run("salvage", {"/whole"}), 0) << out_ << err_;
  const auto index = value_of(tree_.memory().open(base_ + ".idx"));
  const auto& section = tree_.view().image()->superblock().section(format::SectionKind::kVolumes);
  Buffer table(section.length_bytes);
  expect_ok(storage::read_exactly(*index, section.offset_bytes, table));
  for (const auto& path : {base_ + ".idx", base_}) {
    const auto file = value_of(tree_.memory().open(path, {storage::OpenOptions::Mode::kReadWrite}));
    Buffer bytes(value_of(file->size()));
    expect_ok(storage::read_exactly(*file, 0, bytes));
    const auto at = as_text(bytes).find(as_text(table));
    ASSERT_NE(at, std::string::npos) << path;
    expect_ok(file->write_at(at, Buffer(table.size(), 0xA5)));
  }
  run("salvage", {"/salvaged"});
  EXPECT_EQ(tree_below(*value_of(tree_.memory().open_directory("/salvaged"))),
            tree_below(*value_of(tree_.memory().open_directory("/whole"))))
      << out_ << err_;
}

TEST_P(BaseCommands, VerifyTellsOfDamageInAnObjectWithoutAName) {
  const auto base = tree_.view().image();
  std::optional<reader::Node> damaged;
  expect_ok(base->walk_nameless([&](const reader::Node& node) {
    if (node.inode == written_) damaged = node;
    return !damaged;
  }));
  ASSERT_TRUE(damaged);
  const auto place = value_of(base->locate(*damaged, 0));
  const auto file =
      value_of(tree_.memory().open(place.file, {storage::OpenOptions::Mode::kReadWrite}));
  expect_ok(file->write_at(place.offset_bytes, Buffer(64, 0xA5)));
  EXPECT_EQ(run("verify"), 1) << out_;
  EXPECT_TRUE(says("object " + std::to_string(written_) + ", which has no name")) << out_ << err_;
  // All that has a name is whole.
  EXPECT_EQ(run("extract", {"/extracted"}), 0) << out_ << err_;
}

TEST_P(BaseCommands, ADamagedIndexIsToldOf) {
  const auto index = base_ + ".idx";
  const auto size = value_of(tree_.memory().status(index)).size_bytes;
  const auto image = tree_.view().image();
  for (std::uint64_t at = 5; at < size; at += 61) {
    SCOPED_TRACE(at);
    const auto disk = tree_.memory().snapshot();
    const auto file = value_of(disk->open(index, {storage::OpenOptions::Mode::kReadWrite}));
    Buffer byte(1);
    expect_ok(storage::read_exactly(*file, at, byte));
    byte[0] ^= 0x55U;
    expect_ok(file->write_at(at, byte));
    reader::OpenOptions options;
    options.volume_paths = {kImage};
    const auto opened = reader::Image::open(*disk, base_, options);
    if (!opened) continue;
    static_cast<void>(opened.value()->walk_nameless([](const reader::Node&) { return true; },
                                                    [](const Error&) { return true; }));
    reader::VerifyOptions verify;
    verify.jobs = 1;
    static_cast<void>(reader::verify(*opened.value(), verify));
  }
}

}  // namespace
}  // namespace dgfs::test
