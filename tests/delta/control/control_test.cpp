// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/control/control.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "delta/control/closing_wait.h"
#include "delta/control/control_server.h"
#include "storage/posix/env.h"
#include "tests/support/temp_dir.h"

namespace dgfs::delta {
namespace {

class Control : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<ControlServer> serve(ControlServer::Answer answer) {
    auto server = ControlServer::start(directory(), std::move(answer));
    EXPECT_TRUE(server) << server.error().message();
    return server ? std::move(server).value() : nullptr;
  }
  [[nodiscard]] std::string directory() const { return place_.path(); }
  [[nodiscard]] std::string socket() const { return directory() + "/" + kControlName; }

  test::TempDir place_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
};

TEST_F(Control, AQuestionGetsItsAnswer) {
  const auto server =
      serve([](std::string_view question) { return std::string(question) + "!\nand more"; });
  for (const std::string question : {"state", "info", ""}) {
    const auto answer = ask_holder(directory(), question);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value(), question + "!\nand more");
  }
}

TEST_F(Control, LongAnswersComeWhole) {
  const std::string answer(500'000, 'x');
  const auto server = serve([&](std::string_view) { return answer; });
  const auto heard = ask_holder(directory(), kAskInfo);
  ASSERT_TRUE(heard) << heard.error().message();
  EXPECT_EQ(heard.value(), answer);
}

TEST_F(Control, WhatCannotBeDoneIsSaid) {
  const auto server = serve([](std::string_view) -> Result<std::string> {
    return Error(ErrorKind::kNoSpace, 7999, "no room for it");
  });
  const auto answer = ask_holder(directory(), kAskCheckpoint);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kIo);
  EXPECT_NE(answer.error().text().find("no room for it"), std::string::npos);
}

TEST_F(Control, ASlowAnswerDelaysNoOther) {
  std::atomic<bool> is_done = false;
  std::atomic<bool> has_begun = false;
  const auto server = serve([&](std::string_view question) -> Result<std::string> {
    if (question != kAskCheckpoint) return std::string("at once");
    has_begun = true;
    is_done.wait(false);
    return std::string("at last");
  });
  std::thread slow([&] {
    const auto answer = ask_holder(directory(), kAskCheckpoint);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value(), "at last");
  });
  while (!has_begun) std::this_thread::yield();
  const auto answer = ask_holder(directory(), kAskState);
  EXPECT_TRUE(answer) << answer.error().message();
  is_done = true;
  is_done.notify_all();
  slow.join();
}

// A mount that is stopped does not answer; a signal to the process that asks ends the wait.
TEST_F(Control, AWaitForALongAnswerCanBeStopped) {
  std::atomic<bool> is_done = false;
  const auto server = serve([&](std::string_view) -> Result<std::string> {
    is_done.wait(false);
    return std::string("at last");
  });
  int asked = 0;
  const auto answer = ask_holder(directory(), kAskSeal, [&] { return ++asked == 2; });
  EXPECT_EQ(answer.error().kind(), ErrorKind::kInterrupted);
  is_done = true;
  is_done.notify_all();
}

TEST_F(Control, NobodyIsThere) {
  EXPECT_EQ(ask_holder(directory(), kAskState).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(ask_holder(directory() + "/none", kAskState).error().kind(), ErrorKind::kNotFound);
}

// One that went could make cp or tar fail.
TEST_F(Control, TheNameOfTheSocketStays) {
  struct stat found {};
  {
    const auto server = serve([](std::string_view) { return std::string("x"); });
    ASSERT_EQ(::stat(socket().c_str(), &found), 0);
    EXPECT_TRUE(S_ISSOCK(found.st_mode));
    EXPECT_EQ(found.st_mode & 07777, 0600u);
  }
  EXPECT_EQ(::stat(socket().c_str(), &found), 0);
  EXPECT_EQ(ask_holder(directory(), kAskState).error().kind(), ErrorKind::kNotFound);
}

TEST_F(Control, OneThatAKilledProcessHasLeftIsReplaced) {
  {
    // A listener leaves its socket's name behind when it ends.
    const auto left = storage::LocalListener::open(directory(), kControlName);
    ASSERT_TRUE(left);
  }
  EXPECT_EQ(ask_holder(directory(), kAskState).error().kind(), ErrorKind::kNotFound);
  const auto server = serve([](std::string_view) { return std::string("here"); });
  EXPECT_EQ(ask_holder(directory(), kAskState).value(), "here");
}

TEST_F(Control, SomethingElseByItsNameIsLeftAlone) {
  std::ofstream(socket()) << "precious";
  const auto server =
      ControlServer::start(directory(), [](std::string_view) { return std::string("x"); });
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().kind(), ErrorKind::kExists);
  std::string content;
  std::ifstream(socket()) >> content;
  EXPECT_EQ(content, "precious");
}

TEST_F(Control, PathsOfAnyLengthDo) {
  std::string path = directory();
  for (int i = 0; i < 5; ++i) {
    path += "/" + std::string(200, 'd');
    ASSERT_TRUE(env_->make_directory(path, 0700));
  }
  const auto server =
      ControlServer::start(path, [](std::string_view) { return std::string("far"); });
  ASSERT_TRUE(server) << server.error().message();
  EXPECT_EQ(ask_holder(path, kAskState).value(), "far");
}

TEST_F(Control, ManyAskAtOnce) {
  std::atomic<int> asked = 0;
  const auto server = serve([&](std::string_view) { return std::to_string(++asked); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) EXPECT_TRUE(ask_holder(directory(), kAskState));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(asked, 160);
}

TEST_F(Control, OneThatIsClosingIsWaitedForAndOneThatIsOpenIsNot) {
  std::vector<std::string> told;
  const auto tell = [&](const std::string& line) { told.push_back(line); };
  {
    const auto server =
        serve([](std::string_view) { return std::string(R"({"state":"closing"})"); });
    ClosingWait closing(directory(), tell);
    for (int i = 0; i < 30; ++i) EXPECT_TRUE(closing.wait());
    EXPECT_EQ(told.size(), 1u);
  }
  const auto server = serve([](std::string_view) { return std::string(R"({"state":"open"})"); });
  ClosingWait open(directory(), tell);
  int waits = 0;
  while (open.wait()) ++waits;
  EXPECT_LE(waits, 10);
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(Control, OneThatCannotBeAskedIsGivenASecond) {
  ClosingWait silent(directory(), {});
  int waits = 0;
  while (silent.wait()) ++waits;
  EXPECT_EQ(waits, 20);
}

}  // namespace
}  // namespace dgfs::delta
