// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each storage call of an extraction is the last before the process dies: each file that has its
// name then is complete, with all its attributes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "format/entry/mode.h"
#include "reader/extract/extract.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

class ExtractCrash : public testing::Test {
 protected:
  void SetUp() override {
    tree_.directory("d");
    add("d/small", pattern(3000, 1));
    add("large", pattern((std::size_t{2} << 20) + 5, 2));
    add("linked", pattern(10, 3));
    tree_.link("linked", "d/again");
    tree_.file("d/empty", "");
    tree_.pack();
    image_ = tree_.open();
  }
  void add(const std::string& path, const Buffer& content) {
    tree_.file(path, content);
    const auto parent = tree_.parent(path);
    const auto name = storage::base_name(path);
    expect_ok(parent->set_owner(name, 1234, 5678));
    expect_ok(parent->set_xattr(name, "user.x", as_bytes("value")));
    expect_ok(parent->set_mode(name, 04751));
    expect_ok(parent->set_times(name, Time{10, 1}, Time{20, 2}));
  }

  // Compares the files at `path`, if any, with the image. Returns how many it found.
  std::size_t expect_whole(const storage::Directory& directory, const std::string& path) {
    std::size_t count = 0;
    for (const auto& name : value_of(directory.list())) {
      const auto entry = path.empty() ? name : path + "/" + name;
      const auto node = image_->lookup(entry);
      if (!node) {
        ADD_FAILURE() << entry << " is none of the image's names";
      } else if (format::is_directory(node.value().mode)) {
        count += expect_whole(*value_of(directory.open_directory(name)), entry);
      } else {
        ++count;
        expect_same(node.value(), directory, name);
      }
    }
    return count;
  }
  void expect_same(const reader::Node& node, const storage::Directory& directory,
                   const std::string& name) {
    const auto status = value_of(directory.status(name));
    if (!without_attributes_.contains(node.inode)) {
      EXPECT_EQ(status.mode, node.mode) << name;
      EXPECT_EQ(status.uid, node.uid) << name;
      EXPECT_EQ(status.gid, node.gid) << name;
      EXPECT_EQ(status.modify_time, node.mtime) << name;
      EXPECT_EQ(value_of(directory.xattrs(name)), value_of(image_->xattrs(node))) << name;
    }
    ASSERT_EQ(status.size_bytes, node.size_bytes) << name;
    Buffer content(node.size_bytes);
    expect_ok(storage::read_exactly(*value_of(directory.open_file(name)), 0, content));
    EXPECT_EQ(content, value_of(contents(*image_, node))) << name;
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  std::set<reader::InodeNumber> without_attributes_;  ///< reported as without attributes
};

TEST_F(ExtractCrash, LeavesNoFileThatIsNotWhole) {
  const auto faulty = storage::make_faulty_env(tree_.memory(), 1);
  reader::ExtractOptions options;
  options.privileged = true;
  options.jobs = 1;
  std::size_t found_min = 5;
  std::size_t found = 0;
  for (std::uint64_t call = 1; found < 5 && call < 1000; ++call) {
    const auto destination = "/dest" + std::to_string(call);
    faulty->arm({storage::FaultKind::kStop, call});
    const auto report = reader::extract(*image_, *faulty, destination, options);
    EXPECT_NE(report.has_value(), faulty->fired() != 0);
    found = 0;
    if (tree_.memory().status(destination)) {
      found = expect_whole(*value_of(tree_.memory().open_directory(destination)), "");
    }
    found_min = std::min(found, found_min);
    if (faulty->fired() != 0) found = 0;
  }
  EXPECT_EQ(found, 5U);
  EXPECT_EQ(found_min, 0U);
}

// If it keeps going, a file may lack attributes that were reported; otherwise none.
TEST_F(ExtractCrash, AnyFailureOfOneCallLeavesNoFileThatIsNotWhole) {
  const auto faulty = storage::make_faulty_env(tree_.memory(), 1);
  reader::ExtractOptions options;
  options.privileged = true;
  options.jobs = 1;
  options.lost_attribute = [&](const std::string& path, const auto&, const Error&) {
    if (options.keep_going) without_attributes_.insert(value_of(image_->lookup(path)).inode);
  };
  int destinations = 0;
  std::size_t lost_attributes = 0;
  for (const bool keep_going : {false, true}) {
    options.keep_going = keep_going;
    for (const auto kind : {storage::FaultKind::kIoError, storage::FaultKind::kNoSpace}) {
      for (std::uint64_t call = 1, fired = 1; fired != 0 || call < 10; ++call) {
        SCOPED_TRACE("fault at call " + std::to_string(call) + " of kind " +
                     std::to_string(static_cast<int>(kind)) + (keep_going ? ", going on" : ""));
        const auto destination = "/dest" + std::to_string(++destinations);
        without_attributes_.clear();
        faulty->arm({kind, call});
        const auto report = reader::extract(*image_, *faulty, destination, options);
        fired = std::max(faulty->fired(), std::uint64_t{faulty->calls() >= call});
        if (!tree_.memory().status(destination)) continue;
        static_cast<void>(expect_whole(*value_of(tree_.memory().open_directory(destination)), ""));
        if (faulty->fired() == 0) continue;
        EXPECT_TRUE(!report || keep_going);
        if (!report) continue;
        EXPECT_GE(report.value().failures + report.value().lost_attributes, 1U);
        lost_attributes += report.value().lost_attributes;
      }
    }
  }
  EXPECT_GT(lost_attributes, 10U);
}

}  // namespace
}  // namespace dgfs::test
