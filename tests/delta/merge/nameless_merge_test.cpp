// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Objects that programs use without a name while a merge puts a base below the view: of each kind,
// unlinked before the seal or after it, released at any time, and after a crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <string>

#include "format/entry/mode.h"
#include "tests/delta/merge/live_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

/// An object "victim" that will lose its name.
struct NamelessKind {
  const char* name = "";
  void (*fill)(LiveTree& tree) = nullptr;      ///< before the image is packed; null: nothing
  void (*change)(view::View& view) = nullptr;  ///< makes or changes it; null: nothing
  friend void PrintTo(const NamelessKind& kind, std::ostream* out) { *out << kind.name; }
};

constexpr const char* kName = "d/victim";

void pack_file(LiveTree& tree) { tree.tree().file(kName, pattern(3'000, 7)); }

void pack_with_xattrs(LiveTree& tree) {
  pack_file(tree);
  expect_ok(tree.tree().parent(kName)->set_xattr("victim", "user.of", as_bytes("the image")));
  expect_ok(tree.tree().parent(kName)->set_xattr("victim", "user.other", as_bytes("one")));
}

void pack_sparse(LiveTree& tree) {
  const auto file = value_of(tree.tree().parent(kName)->create_file("victim", 0644));
  expect_ok(file->truncate(100'000));
  expect_ok(file->write_at(40'960, as_bytes("data between holes")));
}

// Small files that share one frame with it.
void pack_frame(LiveTree& tree) {
  tree.build_options().compression = builder::Compression{3};
  for (int i = 0; i < 6; ++i) {
    tree.tree().file("d/u" + std::to_string(i), std::string(300, static_cast<char>('a' + i)));
  }
  tree.tree().file(kName, std::string(400, 'v') + "end");
  tree.tree().file("d/w", std::string(300, 'w'));
}

void pack_digest(LiveTree& tree) {
  tree.build_options().digest = format::DigestAlgorithm::kSha256;
  pack_file(tree);
}

void pack_links(LiveTree& tree) {
  pack_file(tree);
  tree.tree().link(kName, "d/another name");
}

ObjectNumber directory_of(view::View& view) { return object_at(view, "d"); }

void write_into(view::View& view) {
  write_at(view, object_at(view, kName), 600, "changed in the delta");
  value_of(view.set_attributes(object_at(view, kName), {.permissions = 0711, .uid = 5}));
}

void make_in_delta(view::View& view) {
  const auto file = make_file(view, kName, "made in the delta");
  expect_ok(view.set_xattr(file, "user.new", as_bytes("value")));
}

void make_link_in_delta(view::View& view) {
  value_of(view.make_symlink(directory_of(view), "victim", "where it leads", {}));
}

void make_special(view::View& view, std::uint32_t type, std::uint64_t rdev) {
  value_of(view.create(directory_of(view), "victim", {type | 0640U, rdev}, {3, 4, 0}));
}

void make_directory_in_delta(view::View& view) {
  const auto made = value_of(view.make_directory(directory_of(view), "victim", 0750, {}));
  expect_ok(view.set_xattr(made.object, "user.of", as_bytes("a working directory")));
}

void pack_directory(LiveTree& tree) {
  tree.tree().directory(kName);
  expect_ok(tree.tree().parent(kName)->set_xattr("victim", "user.of", as_bytes("the image")));
}

const std::array kKinds = {
    NamelessKind{"UntouchedFile", pack_file},
    NamelessKind{"ChangedFile", pack_file, write_into},
    NamelessKind{"TruncatedFile", pack_file,
                 [](view::View& view) {
                   value_of(view.set_attributes(object_at(view, kName), {.size_bytes = 0}));
                   write_at(view, object_at(view, kName), 1'000, "behind a hole");
                 }},
    NamelessKind{"EmptyFile", [](LiveTree& tree) { tree.tree().file(kName, ""); }},
    NamelessKind{"FileOfTheDelta", nullptr, make_in_delta},
    NamelessKind{"FileWithXattrs", pack_with_xattrs},
    NamelessKind{"FileWithChangedXattrs", pack_with_xattrs,
                 [](view::View& view) {
                   const auto file = object_at(view, kName);
                   expect_ok(view.remove_xattr(file, "user.of"));
                   expect_ok(view.set_xattr(file, "user.new", as_bytes("comes")));
                 }},
    NamelessKind{"FileThatLostItsXattrs", pack_with_xattrs,
                 [](view::View& view) {
                   const auto file = object_at(view, kName);
                   expect_ok(view.remove_xattr(file, "user.of"));
                   expect_ok(view.remove_xattr(file, "user.other"));
                 }},
    NamelessKind{"SparseFile", pack_sparse},
    NamelessKind{"ChangedSparseFile", pack_sparse, write_into},
    NamelessKind{"FileInASharedFrame", pack_frame},
    NamelessKind{"ChangedFileInASharedFrame", pack_frame, write_into},
    NamelessKind{"FileWithADigest", pack_digest},
    NamelessKind{"ChangedFileWithADigest", pack_digest, write_into},
    NamelessKind{"FileWithTwoNames", pack_links},
    NamelessKind{"ChangedFileWithTwoNames", pack_links, write_into},
    NamelessKind{"Symlink", [](LiveTree& tree) { tree.tree().symlink(kName, "to somewhere"); }},
    NamelessKind{"LongSymlink",
                 [](LiveTree& tree) { tree.tree().symlink(kName, std::string(900, 't')); }},
    NamelessKind{"SymlinkOfTheDelta", nullptr, make_link_in_delta},
    NamelessKind{"Fifo", nullptr,
                 [](view::View& view) { make_special(view, format::kTypeFifo, 0); }},
    NamelessKind{"Device", nullptr,
                 [](view::View& view) { make_special(view, format::kTypeCharacterDevice, 0x503); }},
    NamelessKind{"Directory", pack_directory},
    NamelessKind{"DirectoryOfTheDelta", nullptr, make_directory_in_delta},
};

class NamelessMerge : public testing::TestWithParam<NamelessKind> {
 protected:
  NamelessMerge() {
    tree_.tree().directory("d");
    tree_.tree().file("d/before", "another file");
    tree_.tree().file("d/wait", "another file behind it");
    if (GetParam().fill != nullptr) GetParam().fill(tree_);
    tree_.open();
    if (GetParam().change != nullptr) GetParam().change(view());
    victim_ = tree_.object(kName);
    is_directory_ = format::is_directory(value_of(view().attributes(victim_)).mode);
    is_file_ = format::is_regular(value_of(view().attributes(victim_)).mode);
  }

  [[nodiscard]] view::View& view() { return tree_.view(); }
  /// All its names go; somebody still uses it.
  void unlink() {
    tree_.clock().step();
    const auto directory = tree_.object("d");
    if (is_directory_) {
      value_of(view().remove_directory(directory, "victim"));
      return;
    }
    value_of(view().unlink(directory, "victim"));
    if (view().lookup(directory, "another name")) {
      value_of(view().unlink(directory, "another name"));
    }
    EXPECT_EQ(value_of(view().attributes(victim_)).link_count, 0U);
  }
  [[nodiscard]] std::string facts() { return facts_of(view(), victim_); }
  [[nodiscard]] bool is_in_base() { return std::ranges::count(tree_.nameless(), victim_) == 1; }
  /// Changes of it do what they do to any object without a name.
  void expect_usable() {
    tree_.clock().step();
    const auto changed = value_of(view().set_attributes(victim_, {.permissions = 0604}));
    EXPECT_EQ(changed.link_count, 0U);
    expect_ok(view().set_xattr(victim_, "user.later", as_bytes("set after the switch")));
    EXPECT_NE(facts().find("user.later=set after the switch"), std::string::npos);
    EXPECT_EQ(kind_of(view().link(victim_, kRoot, "again")),
              is_directory_ ? ErrorKind::kNotPermitted : ErrorKind::kNotFound);
    if (!is_file_) return;
    auto content = content_of(view(), victim_);
    write_at(view(), victim_, 10, "written after the switch");
    content.resize(std::max<std::size_t>(content.size(), 34));
    content.replace(10, 24, "written after the switch");
    EXPECT_EQ(content_of(view(), victim_), content);
    value_of(view().set_attributes(victim_, {.size_bytes = 5}));
    EXPECT_EQ(content_of(view(), victim_), content.substr(0, 5));
    value_of(view().set_attributes(victim_, {.size_bytes = 2'000}));
    EXPECT_EQ(content_of(view(), victim_), content.substr(0, 5) + std::string(1'995, '\0'));
  }
  void expect_gone() {
    EXPECT_EQ(kind_of(view().attributes(victim_)), ErrorKind::kNotFound);
    Buffer bytes(4);
    EXPECT_EQ(kind_of(view().read(victim_, 0, bytes)), ErrorKind::kNotFound);
    tree_.expect_sound();
  }
  void expect_gone_for_ever() {
    expect_gone();
    tree_.reopen();
    expect_gone();
    tree_.merge();
    expect_gone();
    EXPECT_TRUE(tree_.nameless().empty());
  }

  LiveTree tree_;
  ObjectNumber victim_ = 0;
  bool is_directory_ = false;
  bool is_file_ = false;
};

INSTANTIATE_TEST_SUITE_P(Kinds, NamelessMerge, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(NamelessMerge, StaysWholeOverTheSwitch) {
  unlink();
  const auto before = facts();
  tree_.merge();
  EXPECT_EQ(facts(), before);
  EXPECT_EQ(is_in_base(), !is_directory_);
  expect_usable();
  tree_.expect_sound();
  expect_ok(view().release(victim_));
  expect_gone_for_ever();
}

TEST_P(NamelessMerge, StaysWholeIfUnlinkedAfterTheSeal) {
  tree_.seal();
  unlink();
  const auto before = facts();
  const auto made = tree_.make();
  EXPECT_EQ(facts(), before);
  tree_.put(made);
  EXPECT_EQ(facts(), before);
  tree_.expect_sound();
  expect_usable();
  expect_ok(view().release(victim_));
  expect_gone_for_ever();
}

TEST_P(NamelessMerge, StaysWholeIfUnlinkedWhenTheBaseIsMade) {
  std::string before;
  tree_.merge([&] {
    unlink();
    before = facts();
  });
  EXPECT_EQ(facts(), before);
  EXPECT_FALSE(is_in_base());
  expect_usable();
  expect_ok(view().release(victim_));
  expect_gone_for_ever();
}

TEST_P(NamelessMerge, IsKeptByFurtherMergesUntilItIsReleased) {
  unlink();
  const auto before = facts();
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    tree_.merge();
    EXPECT_EQ(facts(), before);
    EXPECT_EQ(is_in_base(), !is_directory_);
  }
  expect_usable();
  const auto changed = facts();
  tree_.merge();
  EXPECT_EQ(facts(), changed);
  expect_ok(view().release(victim_));
  expect_gone_for_ever();
}

TEST_P(NamelessMerge, EndsIfItIsReleasedBeforeTheSwitch) {
  unlink();
  tree_.merge([&] { expect_ok(view().release(victim_)); });
  expect_gone_for_ever();
}

TEST_P(NamelessMerge, EndsIfItIsReleasedBeforeTheBaseIsMade) {
  unlink();
  tree_.seal();
  expect_ok(view().release(victim_));
  tree_.put(tree_.make());
  EXPECT_FALSE(is_in_base());
  expect_gone_for_ever();
}

// Its contents are read through the view then, and not kept.
TEST_P(NamelessMerge, IsPackedAnewByARepack) {
  unlink();
  const auto before = facts();
  for (int i = 0; i < 2; ++i) {
    tree_.seal();
    merge::RepackRules rules;
    rules.all = true;
    const auto made = value_of(tree_.try_make(rules));
    EXPECT_TRUE(made.report.kept_volumes.empty());
    tree_.put(made);
    EXPECT_EQ(facts(), before);
    EXPECT_EQ(is_in_base(), !is_directory_);
  }
  expect_usable();
  expect_ok(view().release(victim_));
  expect_gone_for_ever();
}

TEST_P(NamelessMerge, EndsWithTheViewThatUsesIt) {
  unlink();
  tree_.merge();
  tree_.reopen();
  expect_gone_for_ever();
}

TEST_P(NamelessMerge, IsGoneAfterACrash) {
  for (const auto loss : {storage::CrashLoss::kDropUnsynced, storage::CrashLoss::kKeepAll}) {
    LiveTree tree;
    tree.tree().directory("d");
    if (GetParam().fill != nullptr) GetParam().fill(tree);
    tree.open();
    if (GetParam().change != nullptr) GetParam().change(tree.view());
    const auto victim = tree.object(kName);
    const auto directory = tree.object("d");
    if (is_directory_) {
      value_of(tree.view().remove_directory(directory, "victim"));
    } else {
      value_of(tree.view().unlink(directory, "victim"));
      if (tree.view().lookup(directory, "another name")) remove_name(tree.view(), "d/another name");
    }
    tree.merge();
    const auto names = facts_below(tree.view());
    tree.reopen_after_crash(loss);
    EXPECT_EQ(facts_below(tree.view()), names);
    EXPECT_EQ(kind_of(tree.view().attributes(victim)), ErrorKind::kNotFound);
    tree.expect_sound();
    tree.merge();
    EXPECT_TRUE(tree.nameless().empty());
    EXPECT_EQ(kind_of(tree.view().attributes(victim)), ErrorKind::kNotFound);
  }
}

}  // namespace
}  // namespace dgfs::test
