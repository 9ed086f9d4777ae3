// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sources that cannot be read as a whole, or change while they are read: the update fails, or
// leaves what it could not read as it is in the delta.
#include <gtest/gtest.h>

#include "tests/delta/update/updated_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using storage::CallKind;

class UpdateLosses : public testing::Test {
 protected:
  UpdateLosses() {
    for (const char* directory : {"d", "d/e"}) tree_.source().directory(directory);
    tree_.source().file("a", pattern(3000, 1));
    tree_.source().file("d/b", "bytes");
    tree_.source().file("d/e/c", "more bytes");
    tree_.source().link("a", "d/a");
    tree_.pack();
    before_ = tree_.shown();
  }

  /// Updates, while `hook` sees the calls for the source.
  Result<update::UpdateReport> update(const HookEnv::Hook& hook, bool keeps_going) {
    HookEnv env(tree_.memory(), [&](CallKind kind, const std::string& path) -> Status {
      return path.starts_with("/tree/") ? hook(kind, path) : ok();
    });
    auto request = request_of();
    request.keep_going = keeps_going;
    return tree_.try_update(request, &env);
  }
  /// Expects that the update fails, and with keep_going leaves these paths as they were.
  void expect_left(const HookEnv::Hook& hook, ErrorKind kind,
                   const std::vector<std::string>& left) {
    const auto failed = update(hook, false);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().kind(), kind) << failed.error().message();
    EXPECT_TRUE(tree_.shown() == before_);
    const auto report = value_of(update(hook, true));
    EXPECT_EQ(report.loss_count, 1U);
    tree_.expect_sound();
    const auto shown = tree_.shown();
    for (const auto& path : left) {
      ASSERT_TRUE(shown.contains(path)) << path;
      EXPECT_EQ(shown.at(path), before_.at(path)) << path;
    }
  }

  UpdatedTree tree_;
  std::map<std::string, std::string> before_;
};

HookEnv::Hook refuse(const std::string& refused) {
  return [refused](CallKind kind, const std::string& path) -> Status {
    if (kind != CallKind::kOpen || path != refused) return ok();
    return Error(ErrorKind::kPermission, 1132, "may not be read").in_file(path);
  };
}

TEST_F(UpdateLosses, AFileThatCannotBeOpened) {
  tree_.file("d/b", "other");
  tree_.file("d/new", "new");
  expect_left(refuse("/tree/d/b"), ErrorKind::kPermission, {"d/b"});
  EXPECT_EQ(tree_.shown().at("d/new"), "new");
}

TEST_F(UpdateLosses, ANewFileThatCannotBeOpened) {
  tree_.file("d/new", "new");
  tree_.file("d/b", "other");
  expect_left(refuse("/tree/d/new"), ErrorKind::kPermission, {});
  EXPECT_FALSE(tree_.shown().contains("d/new"));
  EXPECT_EQ(tree_.shown().at("d/b"), "other");
}

TEST_F(UpdateLosses, AFileOfAnotherTypeThatCannotBeOpened) {
  tree_.remove("d/e");
  tree_.file("d/e", "a file now");
  expect_left(refuse("/tree/d/e"), ErrorKind::kPermission, {"d/e", "d/e/c"});
}

TEST_F(UpdateLosses, ALinkedFileThatCannotBeOpened) {
  tree_.write("a", 0, "changed");
  tree_.source().link("a", "z");
  for (const char* path : {"/tree/a", "/tree/d/a", "/tree/z"}) {
    const auto failed = update(refuse(path), false);
    // It is opened by one of its names.
    EXPECT_EQ(failed.has_value(), std::string(path) != "/tree/a");
    if (failed) break;
    const auto report = value_of(update(refuse(path), true));
    EXPECT_EQ(report.loss_count, 1U);
    EXPECT_EQ(tree_.shown().at("d/a"), before_.at("d/a"));
    EXPECT_FALSE(tree_.shown().contains("z"));
  }
}

TEST_F(UpdateLosses, ADirectoryThatCannotBeListed) {
  tree_.remove("d/e");
  tree_.source().directory("d/e");
  tree_.file("a", "other");
  // Each update asks for its attributes twice, and then opens it.
  int calls = 0;
  const auto refuse_third = [&](CallKind kind, const std::string& path) -> Status {
    if (kind != CallKind::kOther || path != "/tree/d/e" || ++calls % 3 != 0) return ok();
    return Error(ErrorKind::kPermission, 1132, "may not be read").in_file(path);
  };
  expect_left(refuse_third, ErrorKind::kPermission, {"d/e", "d/e/c"});
  EXPECT_EQ(tree_.shown().at("a"), "other");
}

// The first change comes after the file was read in part.
HookEnv::Hook change_during(UpdatedTree& tree, const std::string& path, int times) {
  return [&tree, path, times](CallKind kind, const std::string& at) mutable -> Status {
    if (kind == CallKind::kRead && at == "/tree/" + path && times > 0) {
      --times;
      tree.write(path, static_cast<std::uint64_t>(times) * 700, "changed meanwhile");
    }
    return ok();
  };
}

TEST_F(UpdateLosses, AFileThatChangesOnceIsReadAgain) {
  tree_.write("a", 2000, "changed");
  value_of(update(change_during(tree_, "a", 1), false));
  EXPECT_EQ(tree_.difference_from_source(), "");
}

TEST_F(UpdateLosses, AFileThatKeepsChangingIsLeft) {
  tree_.write("a", 2000, "changed");
  tree_.file("d/new", "new");
  expect_left(change_during(tree_, "a", 1000), ErrorKind::kChanged, {"a", "d/a"});
  EXPECT_EQ(tree_.shown().at("d/new"), "new");
}

TEST_F(UpdateLosses, AFileThatGetsShorterIsReadAgain) {
  tree_.write("a", 2000, "changed");
  bool is_cut = false;
  value_of(update(
      [&](CallKind kind, const std::string& path) -> Status {
        if (kind != CallKind::kRead || path != "/tree/a" || is_cut) return ok();
        is_cut = true;
        tree_.step();
        return value_of(tree_.memory().open(path, {storage::OpenOptions::Mode::kReadWrite}))
            ->truncate(100);
      },
      false));
  EXPECT_TRUE(is_cut);
  EXPECT_EQ(tree_.difference_from_source(), "");
}

}  // namespace
}  // namespace dgfs::test
