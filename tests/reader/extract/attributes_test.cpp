// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Attributes that the destination refuses: contents are written without them, or not at all.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "format/entry/mode.h"
#include "reader/extract/extract.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/refusing_env.h"

namespace dgfs::test {
namespace {

using reader::AttributeKind;

constexpr std::string_view kAccessAcl = "system.posix_acl_access";
// user::rw-, user:1234:rw-, group::---, mask::rw-, other::---
const Buffer kAcl = {2, 0,   0,   0,   1,   0,   6,    0, 255, 255, 255, 255, 2,   0,    6,
                     0, 210, 4,   0,   0,   4,   0,    0, 0,   255, 255, 255, 255, 0x10, 0,
                     6, 0,   255, 255, 255, 255, 0x20, 0, 0,   0,   255, 255, 255, 255};

class ExtractAttributes : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.directory("d");
    tree_.file("d/f", "content");
    tree_.link("d/f", "d/g");
    tree_.symlink("d/l", "target");
    const auto d = tree_.parent("d/f");
    expect_ok(d->make_node("fifo", format::kTypeFifo | 0600, 0));
    for (const auto* name : {"f", "fifo", ""}) {
      expect_ok(d->set_xattr(name, "user.a", as_bytes("a")));
      expect_ok(d->set_xattr(name, "trusted.b", as_bytes("b")));
    }
    expect_ok(d->set_xattr("l", "trusted.b", as_bytes("b")));
    for (const auto* name : {"f", "fifo", "l", ""}) {
      expect_ok(d->set_owner(name, 1234, 5678));
      if (std::string_view(name) != "l") expect_ok(d->set_mode(name, 0751));
      expect_ok(d->set_times(name, Time{10, 1}, Time{20, 2}));
    }
    tree_.pack();
    options_.privileged = true;
    options_.jobs = 1;
    options_.failed = [](const std::string& path, const Error& error) {
      ADD_FAILURE() << path << ": " << error.message();
    };
    options_.lost_attribute = [this](const std::string& path, const reader::LostAttribute& lost,
                                     const Error& error) {
      EXPECT_TRUE(error.file().empty()) << error.message();
      EXPECT_TRUE(told_.emplace(path, lost.name).second) << path << " " << lost.name;
      kinds_[lost.name] = lost.kind;
    };
  }

  // Extracts to a destination that refuses the attribute called `attribute` for these paths, or for
  // all if there are none.
  Result<reader::ExtractReport> extract(std::string_view attribute,
                                        const std::set<std::string>& paths = {}) {
    told_.clear();
    RefusingEnv env(tree_.memory(), [&](const std::string& of, std::string_view what) -> Status {
      const bool is_meant = paths.empty() || paths.contains(of.substr(out_.size()));
      if (what != attribute || !is_meant) return ok();
      return Error(ErrorKind::kPermission, 1, "refused").in_file(of);
    });
    return reader::extract(*tree_.open(), env, out_, options_);
  }
  storage::FileStatus status(const std::string& path) {
    const auto slash = path.rfind('/');
    const auto directory = value_of(tree_.memory().open_directory(out_ + path.substr(0, slash)));
    return value_of(directory->status(path.substr(slash + 1)));
  }
  void expect_all_but(const std::string& lost) {
    for (const auto* path : {"/d", "/d/f", "/d/fifo", "/d/l"}) {
      SCOPED_TRACE(path);
      const auto now = status(path);
      const bool is_link = format::is_symlink(now.mode);
      EXPECT_EQ(now.uid, lost == "owner" ? 0U : 1234U);
      if (!is_link) {
        EXPECT_EQ((now.mode & 07777U) == 0751U, lost != "mode");
      }
      EXPECT_EQ(now.modify_time == (Time{20, 2}), lost != "times");
      const std::string parent = std::string(path) == "/d" ? "" : "/d";
      const auto directory = value_of(tree_.memory().open_directory(out_ + parent));
      std::set<std::string> names;
      for (const auto& xattr :
           value_of(directory->xattrs(std::string(path).substr(parent.size() + 1)))) {
        names.insert(xattr.name);
      }
      std::set<std::string> expected = {"trusted.b"};
      if (!is_link) expected.insert("user.a");
      expected.erase(lost);
      EXPECT_EQ(names, expected);
    }
    EXPECT_EQ(status("/d/f").inode, status("/d/g").inode);
    EXPECT_EQ(tree_below(*value_of(tree_.memory().open_directory(out_ + "/d"))),
              (std::map<std::string, std::string>{
                  {"f", "content"}, {"fifo", ""}, {"g", "content"}, {"l", "target"}}));
  }

  PackedTree tree_;
  std::string out_ = "/dest";
  reader::ExtractOptions options_;
  std::set<std::pair<std::string, std::string>> told_;
  std::map<std::string, AttributeKind> kinds_;
};

TEST_F(ExtractAttributes, AreNamedAndAllElseIsRestored) {
  options_.keep_going = true;
  const std::map<std::string, AttributeKind> kinds = {{"owner", AttributeKind::kOwner},
                                                      {"user.a", AttributeKind::kXattr},
                                                      {"trusted.b", AttributeKind::kXattr},
                                                      {"mode", AttributeKind::kMode},
                                                      {"times", AttributeKind::kTimes}};
  for (const auto& [attribute, kind] : kinds) {
    SCOPED_TRACE(attribute);
    out_ = "/out-" + attribute;
    const auto report = value_of(extract(attribute));
    EXPECT_EQ(report.failures, 0U);
    EXPECT_EQ(report.entries, 6U);
    EXPECT_EQ(report.lost_attributes, told_.size());
    EXPECT_EQ(kinds_[attribute], kind);
    std::set<std::string> paths;
    for (const auto& [path, name] : told_) {
      EXPECT_EQ(name, attribute);
      paths.insert(path);
    }
    // An object with two names has one set of attributes.
    std::set<std::string> expected = {"d", "d/f", "d/fifo"};
    if (attribute != "mode" && attribute != "user.a") expected.insert("d/l");
    if (kind != AttributeKind::kXattr) expected.insert("");
    EXPECT_EQ(paths, expected);
    expect_all_but(attribute);
  }
}

TEST_F(ExtractAttributes, EndTheExtractionOtherwiseWithNothingHalf) {
  for (const auto* path : {"/d/f", "/d/fifo", "/d/l"}) {
    for (const auto* attribute : {"owner", "trusted.b", "times"}) {
      SCOPED_TRACE(std::string(path) + " " + attribute);
      out_ = std::string("/out-") + attribute + "-" + (path + 3);
      const auto report = extract(attribute, {path});
      ASSERT_FALSE(report);
      ASSERT_EQ(told_.size(), 1U);
      EXPECT_EQ(told_.begin()->second, attribute);
      EXPECT_EQ(report.error().message(), told_.begin()->first + ": refused");
      const auto made = tree_below(*value_of(tree_.memory().open_directory(out_)));
      EXPECT_FALSE(made.contains(told_.begin()->first));
      EXPECT_EQ(status("/d").mode & 07777U, 0751U);
    }
  }
}

// A directory exists already when its attributes are set.
TEST_F(ExtractAttributes, OfADirectoryEndTheExtractionWithTheOthersRestored) {
  for (const auto* attribute : {"owner", "user.a", "trusted.b"}) {
    SCOPED_TRACE(attribute);
    out_ = std::string("/out-") + attribute;
    const auto report = extract(attribute, {"/d"});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message(), "d: refused");
    EXPECT_EQ(status("/d").mode & 07777U, 0751U);
    EXPECT_EQ(status("/d").modify_time, (Time{20, 2}));
  }
}

TEST_F(ExtractAttributes, MayBeLeftOut) {
  options_.xattrs = false;
  EXPECT_EQ(value_of(extract("user.a")).lost_attributes, 0U);
  const auto d = value_of(tree_.memory().open_directory("/dest/d"));
  for (const auto* name : {"", "f", "fifo", "l"}) EXPECT_TRUE(value_of(d->xattrs(name)).empty());
  EXPECT_EQ(status("/d/f").uid, 1234U);
}

// For a file with an ACL, the group bits of the mode are the ACL's mask, not the group's rights.
TEST_F(ExtractAttributes, WithoutItsAclAGroupHasNoMore) {
  const auto d = tree_.parent("d/f");
  for (const auto* name : {"f", "fifo", ""}) {
    expect_ok(d->set_xattr(name, kAccessAcl, kAcl));
    expect_ok(d->set_mode(name, 0660));
  }
  tree_.pack();
  static_cast<void>(value_of(extract("")));
  EXPECT_EQ(status("/d/f").mode & 07777U, 0660U);

  out_ = "/without";
  options_.acls = false;
  EXPECT_EQ(value_of(extract(std::string(kAccessAcl))).lost_attributes, 0U);
  for (const auto* path : {"/d", "/d/f", "/d/fifo"}) EXPECT_EQ(status(path).mode & 07777U, 0600U);

  out_ = "/refused";
  options_.acls = true;
  options_.keep_going = true;
  EXPECT_EQ(value_of(extract(std::string(kAccessAcl))).lost_attributes, 3U);
  EXPECT_EQ(kinds_[std::string(kAccessAcl)], AttributeKind::kAcl);
  for (const auto* path : {"/d", "/d/f", "/d/fifo"}) EXPECT_EQ(status(path).mode & 07777U, 0600U);
}

// A malformed ACL may deny to any user the rights that the mode seems to give.
TEST_F(ExtractAttributes, WithoutAMalformedAclAGroupHasNothing) {
  const auto d = tree_.parent("d/f");
  auto longer = kAcl;
  longer.push_back(0);
  expect_ok(d->set_xattr("f", kAccessAcl, longer));
  expect_ok(d->set_mode("f", 0664));
  tree_.pack();
  options_.acls = false;
  static_cast<void>(value_of(extract("")));
  EXPECT_EQ(status("/d/f").mode & 07777U, 0604U);
}

TEST_F(ExtractAttributes, InheritedAclsStayWhereAclsAreLeftOut) {
  expect_ok(tree_.memory().make_directory("/dest", 0755));
  const auto out = value_of(tree_.memory().open_directory("/dest"));
  expect_ok(out->make_directory("d", 0755));
  const auto d = value_of(out->open_directory("d"));
  expect_ok(d->set_xattr("", kAccessAcl, as_bytes("inherited")));
  options_.acls = false;
  static_cast<void>(value_of(extract("remove")));
  EXPECT_EQ(value_of(d->xattrs()).size(), 3U);
  // With ACLs on, inherited ones are removed; those that cannot be removed are reported.
  for (const auto* name : {"f", "g", "l", "fifo"}) expect_ok(d->remove(name));
  options_.acls = true;
  options_.keep_going = true;
  EXPECT_EQ(value_of(extract("remove")).lost_attributes, 1U);
  EXPECT_TRUE(told_.contains({"d", std::string(kAccessAcl)}));
}

// No user may run a program with rights that the image gives to users of another owner or group.
TEST_F(ExtractAttributes, AProgramOfAnotherOwnerHasNoSpecialRights) {
  const auto d = tree_.parent("d/f");
  expect_ok(d->set_mode("f", 06755));
  expect_ok(d->set_xattr("f", "security.capability", as_bytes("c")));
  tree_.pack();
  options_.keep_going = true;
  static_cast<void>(value_of(extract("owner")));
  EXPECT_EQ(status("/d/f").mode & 07777U, 0755U);
  EXPECT_TRUE(told_.contains({"d/f", "security.capability"}));
  EXPECT_TRUE(told_.contains({"d/f", "set-id bits"}));
  const auto out = value_of(tree_.memory().open_directory("/dest/d"));
  for (const auto& xattr : value_of(out->xattrs("f"))) EXPECT_NE(xattr.name, "security.capability");
}

// Root in a container has these rights.
TEST_F(ExtractAttributes, DevicesThatTheSystemRefusesAreToldAndEndNothing) {
  expect_ok(tree_.parent("d")->make_node("a", format::kTypeBlockDevice | 0600, 0x103));
  tree_.link("a", "b");
  tree_.pack();
  std::set<std::string> refused;
  options_.failed = [&](const std::string& path, const Error& error) {
    EXPECT_EQ(error.text(), "refused");
    refused.insert(path);
  };
  for (const bool keep_going : {false, true}) {
    out_ = keep_going ? "/going" : "/dest";
    options_.keep_going = keep_going;
    refused.clear();
    const auto report = value_of(extract("node", {"/a", "/b"}));
    EXPECT_EQ(report.devices_refused, 2U);
    EXPECT_EQ(report.failures, 0U);
    EXPECT_EQ(refused, (std::set<std::string>{"a", "b"}));
  }
}

}  // namespace
}  // namespace dgfs::test
