// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <gtest/gtest.h>

#include <regex>

#include "delta/store/store_files.h"
#include "tests/tools/delta_states.h"

namespace dgfs::test {
namespace {

using Names = std::vector<std::string>;

class DeltaRollbackCommand : public DeltaStates {
 protected:
  void start() {
    make_state("one", "a");
    make_state("two", "b");
    make("c");
    before_ = manifest();
  }
  void expect_unchanged() {
    EXPECT_TRUE(manifest().says_the_same(before_));
    EXPECT_EQ(files(), (Names{"a", "b", "c", "f"}));
  }

  delta::Manifest before_;
};

TEST_F(DeltaRollbackCommand, ListsWhatIsLostAndAsks) {
  start();
  const auto one = "one (" + short_id(1) + ")";
  const auto two = "two (" + short_id(2) + ")";
  EXPECT_EQ(run({"delta", "rollback", "/d/", "one"}, "y"), 0) << err_;
  EXPECT_TRUE(out_.starts_with("/d: back to " + one + "; lost will be\n  since " + two + ", 2 "))
      << out_;
  EXPECT_TRUE(std::regex_search(
      out_, std::regex("\n  two \\([0-9a-f]{8}\\) of [-0-9]{10} [:0-9]{8}, \\d changes, ")))
      << out_;
  EXPECT_TRUE(says("\nrolled back to " + one + "; ")) << out_;
  EXPECT_TRUE(out_.ends_with(" are free again\n")) << out_;
  EXPECT_EQ(err_, "/d: go back to " + one + ", and lose this for good? [y/N] ");
  EXPECT_EQ(files(), (Names{"a", "f"}));
  EXPECT_EQ(run({"delta", "check", "/d"}), 0) << out_;
  EXPECT_EQ(run({"delta", "info", "/d"}), 0) << out_;
  EXPECT_TRUE(says("\nstores      2, the newest is 0004\n")) << out_;
  EXPECT_EQ(run({"delta", "log", "/d"}), 0) << out_;
  EXPECT_FALSE(says("two")) << out_;
}

TEST_F(DeltaRollbackCommand, AnythingButYesChangesNothing) {
  start();
  for (const char* answer : {"", "n", "no", "Yes!", "one"}) {
    EXPECT_EQ(run({"delta", "rollback", "/d", "one"}, answer), 1);
    EXPECT_TRUE(err_.ends_with("[y/N] dgfs: delta: /d: nothing was changed\n")) << err_;
    expect_unchanged();
  }
  EXPECT_EQ(run({"delta", "rollback", "/d", "one"}), 1);
  EXPECT_TRUE(
      complains("is no terminal, so nobody can be asked; --yes does without; nothing was "
                "changed\n"))
      << err_;
  EXPECT_TRUE(says("lost will be")) << out_;
  expect_unchanged();
}

TEST_F(DeltaRollbackCommand, YesDoesNotAsk) {
  start();
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/d", "base"}), 0) << err_;
  EXPECT_TRUE(says("\nrolled back to base; ")) << out_;
  EXPECT_EQ(err_, "");
  EXPECT_EQ(files(), Names{"f"});
}

TEST_F(DeltaRollbackCommand, ADryRunChangesNothing) {
  start();
  EXPECT_EQ(run({"delta", "rollback", "--dry-run", "/d", "one"}), 0) << err_;
  EXPECT_TRUE(says("; lost would be\n")) << out_;
  EXPECT_FALSE(says("rolled back")) << out_;
  EXPECT_EQ(run({"delta", "rollback", "--dry-run", "--json", "/d", "one"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("{\"rolled_back\":false,\"id\":\"" + id(1) +
                               "\",\"name\":\"one\",\"lost\":[{\"number\":3,\"changes\":2,"))
      << out_;
  expect_unchanged();
}

TEST_F(DeltaRollbackCommand, SaysItInJson) {
  start();
  const auto two = id(2);
  EXPECT_EQ(run({"delta", "rollback", "--yes", "--json", "/d", "one"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("{\"rolled_back\":true,\"id\":\"" + id(1) + "\",\"name\":\"one\","))
      << out_;
  EXPECT_TRUE(says("},{\"number\":2,\"id\":\"" + two + "\",\"time\":\"")) << out_;
  EXPECT_TRUE(says("\",\"name\":\"two\",\"changes\":")) << out_;
  EXPECT_TRUE(std::regex_search(out_, std::regex("\\],\"bytes\":\\d+\\}\n$"))) << out_;
  EXPECT_EQ(run({"delta", "rollback", "--yes", "--json", "/d", "newest"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("{\"rolled_back\":false,")) << out_;
  EXPECT_TRUE(out_.ends_with("\"lost\":[],\"bytes\":0}\n")) << out_;
}

TEST_F(DeltaRollbackCommand, TheNewestStateWithoutChangesNeedsNothing) {
  start();
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/d", "newest"}), 0) << err_;
  EXPECT_TRUE(says("\nrolled back to two (")) << out_;
  const auto after = manifest();
  EXPECT_EQ(run({"delta", "rollback", "/d", "newest"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("nothing has changed since two (")) << out_;
  EXPECT_TRUE(manifest().says_the_same(after));
}

// As after a kill right after a seal or a rollback.
TEST_F(DeltaRollbackCommand, TheNewestStateIsClosedWithoutALoss) {
  start();
  value_of(view::seal_offline(env(), "/d", {"three", {}}));
  const auto is_closed = [&] {
    const auto path = "/d/" + manifest().stores.back().name();
    return value_of(delta::read_store_superblock(env(), path)).log.is_end;
  };
  static_cast<void>(open());
  ASSERT_FALSE(is_closed());
  for (const char* option : {"--dry-run", "--json"}) {  // nobody can be asked
    EXPECT_EQ(run({"delta", "rollback", option, "/d", "newest"}), 0) << err_;
    EXPECT_FALSE(is_closed());
  }
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/d", "newest"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("nothing has changed since three (")) << out_;
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(run({"delta", "wait", "/d"}), 0) << err_;
}

TEST_F(DeltaRollbackCommand, WithoutSpaceNothingIsChanged) {
  start();
  env().set_capacity(1);
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/d", "one"}), 1);
  EXPECT_TRUE(err_.ends_with("; nothing was changed\n")) << err_;
  expect_unchanged();
}

TEST_F(DeltaRollbackCommand, UnreadableStoresAreNamed) {
  start();
  expect_ok(env().remove("/d/0003/store"));
  EXPECT_EQ(run({"delta", "rollback", "--dry-run", "--json", "/d", "one"}), 0) << err_;
  EXPECT_TRUE(says("[{\"number\":3,\"bytes\":")) << out_;
  EXPECT_TRUE(says(",\"unreadable\":\"/d/0003/store: ")) << out_;
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/d", "one"}), 0) << err_;
  EXPECT_TRUE(says("), unreadable (/d/0003/store: ")) << out_;
  EXPECT_EQ(files(), (Names{"a", "f"}));
}

TEST_F(DeltaRollbackCommand, WrongStatesAndDeltasAreRefused) {
  start();
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/d", "three"}), 1);
  EXPECT_EQ(err_,
            "dgfs: delta: no state \"three\"; 'dgfs delta log /d' lists them; nothing was "
            "changed\n");
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/nothing", "one"}), 1);
  expect_unchanged();
  const auto held = open();
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/d", "one"}), 1);
  EXPECT_TRUE(complains("/d: the delta is in use by another process; nothing was changed")) << err_;
}

TEST_F(DeltaRollbackCommand, AReaderOfAStateThatGoesIsTold) {
  start();
  const auto find = [](const delta::Manifest&) -> Result<std::size_t> { return 2; };
  const auto reader = value_of(delta::DeltaDirectory::open_state(env(), "/d", find, options_));
  EXPECT_EQ(run({"delta", "rollback", "--yes", "/d", "one"}), 0) << err_;
  EXPECT_TRUE(out_.ends_with(" will be free again\n")) << out_;
  EXPECT_TRUE(complains("the rollback is made, but ")) << err_;
}

TEST_F(DeltaRollbackCommand, AStopAtTheQuestionChangesNothing) {
  start();
  ToolRun tool(env());
  auto io = tool.io();
  io.read_line = []() -> Result<std::string> {
    return Error(ErrorKind::kInterrupted, 1160, "interrupted");
  };
  EXPECT_EQ(tools::tool_main({"delta", "rollback", "/d", "one"}, io), 130);
  expect_unchanged();
}

}  // namespace
}  // namespace dgfs::test
