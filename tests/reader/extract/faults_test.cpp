// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each storage call at the destination of an extraction fails once, with objects of all kinds: the
// failure is reported, and each file that has its name has all of its contents.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>

#include "format/entry/mode.h"
#include "reader/extract/extract.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::FaultKind;

/// The kind of fault, whether root extracts, whether extraction keeps going after a failure.
using FaultCase = std::tuple<FaultKind, bool, bool>;

class ExtractFaults : public ::testing::TestWithParam<FaultCase> {
 protected:
  void SetUp() override {
    tree_.directory("d");
    tree_.directory("d/e");
    tree_.file("d/e/file", "first content");
    tree_.file("d/empty", "");
    tree_.file("large", pattern((std::size_t{1} << 20) + 5, 2));
    tree_.link("large", "d/large-again");
    tree_.symlink("d/link", "file");
    tree_.symlink("long", std::string(300, 'y'));
    const auto root = tree_.parent("x");
    for (const auto* key : {"user.a", "trusted.b", "system.posix_acl_access"}) {
      expect_ok(root->set_xattr("large", key, as_bytes("value")));
    }
    expect_ok(root->set_xattr("d", "user.a", as_bytes("value")));
    expect_ok(root->set_owner("large", 12, 34));
    expect_ok(root->set_mode("large", 06751));
    auto holes = value_of(root->create_file("holes", 0644));
    expect_ok(holes->write_at(8192, pattern(4096, 4)));
    expect_ok(holes->truncate(32768));
    expect_ok(root->make_node("device", format::kTypeBlockDevice | 0600, 0x103));
    expect_ok(root->make_node("fifo", format::kTypeFifo | 0620, 0));
    tree_.link("device", "d/device-again");
    tree_.pack();
    image_ = tree_.open();
    options_.jobs = 1;
    std::tie(kind_, options_.privileged, options_.keep_going) = GetParam();
    options_.failed = [this](const std::string&, const Error& error) {
      if (error.kind() != ErrorKind::kPermission) ++told_;
    };
    options_.lost_attribute = [this](const std::string&, const reader::LostAttribute& attribute,
                                     const Error&) {
      EXPECT_FALSE(attribute.name.empty());
      ++lost_attributes_;
    };
  }

  // Makes a directory that gives ACLs to all that is made in it.
  std::string destination() {
    const auto path = "/dest" + std::to_string(++destinations_);
    expect_ok(tree_.memory().make_directory(path, 0755));
    const auto made = value_of(tree_.memory().open_directory(path));
    for (const auto* key : {"system.posix_acl_access", "system.posix_acl_default", "user.other"}) {
      expect_ok(made->set_xattr("", key, as_bytes("inherited")));
    }
    expect_ok(made->make_directory("d", 0755));
    expect_ok(value_of(made->open_directory("d"))
                  ->set_xattr("", "system.posix_acl_default", as_bytes("inherited")));
    return path;
  }

  // Expects each regular file below `directory` to equal that of the image; returns how many there
  // are.
  std::size_t expect_whole(const storage::Directory& directory, const std::string& path) {
    std::size_t count = 0;
    for (const auto& name : value_of(directory.list())) {
      const auto entry = path.empty() ? name : path + "/" + name;
      const auto status = value_of(directory.status(name));
      if (format::is_directory(status.mode)) {
        count += expect_whole(*value_of(directory.open_directory(name)), entry);
      } else if (format::is_regular(status.mode)) {
        ++count;
        Buffer content(status.size_bytes);
        expect_ok(storage::read_exactly(*value_of(directory.open_file(name)), 0, content));
        EXPECT_EQ(content, value_of(contents(*image_, value_of(image_->lookup(entry))))) << entry;
      }
    }
    return count;
  }

  // Fails one call after the other; a failure without consequence need not be reported.
  void sweep() {
    const auto faulty = storage::make_faulty_env(tree_.memory(), 5);
    std::uint64_t failed_runs = 0;
    for (std::uint64_t call = 1;; ++call) {
      SCOPED_TRACE("fault at call " + std::to_string(call));
      ASSERT_LT(call, 1000U);
      const auto path = destination();
      told_ = lost_attributes_ = 0;
      faulty->arm({kind_, call});
      const auto report = reader::extract(*image_, *faulty, path, options_);
      const auto is_last = faulty->calls() < call;
      const auto files = expect_whole(*value_of(tree_.memory().open_directory(path)), "");
      if (report) {
        // Contents that could be written stay, even if their attributes fail.
        EXPECT_TRUE(told_ != 0 || files == files_) << files;
        EXPECT_EQ(report.value().failures, told_);
        EXPECT_EQ(report.value().lost_attributes, lost_attributes_);
      } else {
        EXPECT_FALSE(report.error().message().empty());
        EXPECT_EQ(report.error().message().find("unnamed"), std::string::npos);
        EXPECT_GE(faulty->fired(), 1U);
      }
      if (!report || told_ + lost_attributes_ != 0) ++failed_runs;
      if (is_last) break;
    }
    EXPECT_GT(failed_runs, 10U);
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> image_;
  reader::ExtractOptions options_;
  FaultKind kind_ = FaultKind::kIoError;
  std::uint64_t told_ = 0;
  std::uint64_t lost_attributes_ = 0;
  std::size_t files_ = 0;  ///< files extracted without a fault
  int destinations_ = 0;
};

TEST_P(ExtractFaults, OfTheWholeTree) {
  files_ = 5;
  sweep();
  // The last run had no fault.
  const auto last = "/dest" + std::to_string(destinations_);
  EXPECT_EQ(told_, 0U);
  EXPECT_EQ(expect_whole(*value_of(tree_.memory().open_directory(last)), ""), 5U);
}

TEST_P(ExtractFaults, OfChosenPaths) {
  options_.paths = {"d/e/file", "d/large-again", "holes", "large"};
  options_.wanted = [](std::string_view path, bool) { return path != "d/empty"; };
  files_ = 4;
  std::uint64_t told_progress = 0;
  options_.progress = [&](const reader::ExtractProgress& progress) {
    EXPECT_EQ(progress.entries_total, 0U);
    ++told_progress;
  };
  sweep();
  EXPECT_GE(told_progress, static_cast<std::uint64_t>(destinations_) / 2);
  const auto last = "/dest" + std::to_string(destinations_);
  EXPECT_EQ(expect_whole(*value_of(tree_.memory().open_directory(last)), ""), 4U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExtractFaults,
                         ::testing::Combine(::testing::Values(FaultKind::kIoError,
                                                              FaultKind::kNoSpace),
                                            ::testing::Bool(), ::testing::Bool()));

// Extraction finds an obstacle before it writes anything in vain, and leaves it unchanged.
TEST(ExtractInTheWay, OfEachKind) {
  PackedTree tree;
  tree.directory("directory");
  tree.file("directory/below", "1");
  tree.file("file", "1");
  tree.file("large", pattern((std::size_t{1} << 20) + 1, 1));
  tree.symlink("link", "file");
  tree.link("file", "name");
  expect_ok(tree.parent("x")->make_node("fifo", format::kTypeFifo | 0600, 0));
  tree.pack();
  const auto image = tree.open();
  expect_ok(tree.memory().make_directory("/dest", 0755));
  const auto destination = value_of(tree.memory().open_directory("/dest"));
  for (const auto* name : {"directory", "file", "large", "link", "name", "fifo"}) {
    static_cast<void>(value_of(destination->create_file(name, 0600)));
  }
  for (const bool keep_going : {false, true}) {
    reader::ExtractOptions options;
    options.keep_going = keep_going;
    options.jobs = 1;
    std::size_t told = 0;
    options.failed = [&](const std::string& path, const Error& error) {
      const bool is_below = path == "directory/below";
      EXPECT_EQ(error.kind(), is_below ? ErrorKind::kNotFound : ErrorKind::kExists) << path;
      ++told;
    };
    const auto report = reader::extract(*image, tree.memory(), "/dest", options);
    EXPECT_EQ(told, keep_going ? 7U : 0U);
    if (keep_going) {
      EXPECT_EQ(value_of(report).failures, 7U);
    } else {
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().kind(), ErrorKind::kExists);
    }
  }
  for (const auto& name : value_of(destination->list())) {
    EXPECT_EQ(value_of(destination->status(name)).size_bytes, 0U) << name;
  }
}

// Only the destination itself is made.
TEST(ExtractStopped, BeforeItBegins) {
  PackedTree tree;
  tree.directory("d");
  tree.file("d/f", "1");
  tree.pack();
  const std::atomic<bool> stop = true;
  reader::ExtractOptions options;
  options.stop = &stop;
  for (const bool chosen : {false, true}) {
    if (chosen) options.paths = {"d/f"};
    const auto report = reader::extract(*tree.open(), tree.memory(), "/dest", options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind(), ErrorKind::kInterrupted);
    EXPECT_TRUE(value_of(value_of(tree.memory().open_directory("/dest"))->list()).empty());
  }
}

// Whatever the extraction does when the flag is set: each file that has its name is complete.
TEST(ExtractStopped, AtAnyCall) {
  PackedTree tree;
  for (const auto* path : {"d", "d/e"}) tree.directory(path);
  tree.file("d/e/f", "1");
  const auto large = pattern(1'200'000, 1);
  tree.file("large", large);
  tree.pack();
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> calls = 0;
  std::uint64_t stop_at = 0;
  HookEnv env(tree.memory(), [&](storage::CallKind, const std::string&) {
    if (++calls == stop_at) stop = true;
    return ok();
  });
  const auto image = tree.open();
  reader::ExtractOptions options;
  options.stop = &stop;
  options.jobs = 1;
  for (const bool saves : {false, true}) {
    if (saves) options.lost_range = [](const auto&, const auto&, const auto&) {};
    bool is_last = false;
    for (stop_at = 1; !is_last; ++stop_at) {
      stop = false;
      calls = 0;
      const auto path = "/dest" + std::to_string(stop_at) + (saves ? "s" : "");
      const auto report = reader::extract(*image, env, path, options);
      is_last = !stop;
      EXPECT_EQ(report.has_value(), is_last) << stop_at;
      EXPECT_TRUE(report || report.error().kind() == ErrorKind::kInterrupted);
      const auto directory = tree.memory().open_directory(path);
      if (!directory) continue;
      const auto below = tree_below(*directory.value());
      for (const auto& [name, content] : below) {
        EXPECT_TRUE(name != "large" || content == as_text(large)) << stop_at;
        EXPECT_TRUE(name != "d/e/f" || content == "1") << stop_at;
      }
    }
    EXPECT_GT(stop_at, 20U);
  }
}

}  // namespace
}  // namespace dgfs::test
