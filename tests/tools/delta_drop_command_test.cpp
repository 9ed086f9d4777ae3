// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/delta_states.h"

namespace dgfs::test {
namespace {

using Names = std::vector<std::string>;

constexpr std::int64_t kSecondsOfDay = 86'400;
constexpr std::int64_t kNoon = 1'764'504'000;  // 2025-11-30, a Sunday

class DeltaDropCommand : public DeltaStates {
 protected:
  // Of the oldest first; "" for a state without one.
  [[nodiscard]] Names names() {
    Names names;
    for (const auto& store : manifest().stores) names.push_back(store.layer.name);
    names.pop_back();
    return names;
  }
  void start() {
    make_state("one", "a");
    make_state("two", "b");
    make_state("", "c");
    make_state("four", "d");
    make("e");
  }
};

TEST_F(DeltaDropCommand, TakesNamesAway) {
  start();
  const auto one = "one (" + short_id(1) + ")";
  EXPECT_EQ(run({"delta", "drop", "/d/", "one", id(2).substr(0, 6)}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("dropped " + one + ", two (" + short_id(2) + "); 1 state stays"))
      << out_;
  EXPECT_EQ(names(), (Names{"", "", "", "four"}));
  EXPECT_EQ(files(), (Names{"a", "b", "c", "d", "e", "f"}));
  // The newest state loses its name, too.
  EXPECT_EQ(run({"delta", "drop", "/d", "newest", "four"}), 0) << err_;
  EXPECT_TRUE(says("; no state has a name")) << out_;
  EXPECT_EQ(names(), Names(4));
}

TEST_F(DeltaDropCommand, SaysItInJson) {
  start();
  EXPECT_EQ(run({"delta", "drop", "--json", "/d", "one"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("{\"dry_run\":false,\"dropped\":[{\"id\":\"" + id(1) + "\","))
      << out_;
  EXPECT_TRUE(says("\"name\":\"one\"}],\"kept\":[{\"id\":\"" + id(4) + "\"")) << out_;
}

TEST_F(DeltaDropCommand, UnknownStatesChangeNothing) {
  start();
  EXPECT_EQ(run({"delta", "drop", "/d", "one", "three"}), 1);
  EXPECT_EQ(err_,
            "dgfs: delta: no state \"three\"; 'dgfs delta log /d' lists them; nothing was "
            "dropped\n");
  EXPECT_EQ(run({"delta", "drop", "/d", "base"}), 1);
  EXPECT_TRUE(complains("that is the image alone")) << err_;
  EXPECT_EQ(run({"delta", "drop", "/nothing", "one"}), 1);
  EXPECT_EQ(names(), (Names{"one", "two", "", "four"}));
}

TEST_F(DeltaDropCommand, ADryRunChangesNothing) {
  start();
  for (const auto& what : {Names{"one"}, Names{"--keep-last", "2"}}) {
    Names arguments = {"delta", "drop", "--dry-run", "/d"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    EXPECT_EQ(run(arguments), 0) << err_;
    EXPECT_TRUE(out_.starts_with("would drop one (" + short_id(1) + "); 2 states stay")) << out_;
    EXPECT_EQ(names(), (Names{"one", "two", "", "four"}));
  }
}

TEST_F(DeltaDropCommand, RulesJudgeStatesWithNamesByTheirTime) {
  std::int64_t day = 0;
  for (const char* name : {"mon", "tue", "", "tue-late", "wed", "thu"}) {
    if (*name != 0 && std::string(name) != "tue-late") ++day;
    env().set_now({kNoon + day * kSecondsOfDay, 0});
    make_state(name, "at-" + std::to_string(day) + name);
  }
  EXPECT_EQ(run({"delta", "drop", "--keep-daily", "3", "/d"}), 0) << err_;
  EXPECT_EQ(names(), (Names{"", "", "", "tue-late", "wed", "thu"}));
  EXPECT_EQ(run({"delta", "drop", "--keep-daily", "3", "/d"}), 0) << err_;
  EXPECT_EQ(out_, "nothing to drop; 3 states stay\n");
  EXPECT_EQ(run({"delta", "drop", "--keep-weekly", "1", "--keep-last", "1", "/d"}), 0) << err_;
  EXPECT_EQ(names(), (Names{"", "", "", "", "", "thu"}));
}

TEST_F(DeltaDropCommand, ADeltaInUseIsNamed) {
  start();
  const auto held = open();
  EXPECT_EQ(run({"delta", "drop", "/d", "one"}), 1);
  EXPECT_TRUE(complains("/d: the delta is in use by another process; nothing was dropped\n"))
      << err_;
}

}  // namespace
}  // namespace dgfs::test
