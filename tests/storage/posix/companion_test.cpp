// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/companion.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace dgfs::storage {
namespace {

constexpr std::chrono::seconds kPatience{20};

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string said(const LocalConnection& connection) {
  return connection.receive_line(kCompanionLineBytesMax).value();
}

// Answers each line until the other side is gone.
void echo(const LocalConnection& connection) {
  for (auto line = said(connection); !line.empty(); line = said(connection)) {
    static_cast<void>(connection.send(line + " " + std::to_string(::getpid()) + "\n"));
  }
}

TEST(Companion, AnswersLineByLine) {
  const auto companion = start_companion("companion-test", kPatience, echo);
  ASSERT_TRUE(companion);
  ASSERT_TRUE(companion.value().send("one\n"));
  ASSERT_TRUE(companion.value().send("two\n"));
  EXPECT_TRUE(said(companion.value()).starts_with("one "));
  EXPECT_TRUE(said(companion.value()).starts_with("two "));
}

TEST(Companion, IsAProcessApartFromItsStarter) {
  const auto companion = start_companion("companion-test", kPatience, echo);
  ASSERT_TRUE(companion);
  ASSERT_TRUE(companion.value().send("x\n"));
  const auto id = said(companion.value()).substr(2);
  const auto place = "/proc/" + id;
  EXPECT_EQ(contents(place + "/comm"), "companion-test\n");
  const auto command = contents(place + "/cmdline");
  EXPECT_STREQ(command.c_str(), "companion-test");
  EXPECT_EQ(command.find_first_not_of('\0', command.find('\0')), command.npos);
  EXPECT_NE(::getsid(std::stoi(id)), ::getsid(0));
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::kill(std::stoi(id), signal);
  ASSERT_TRUE(companion.value().send("y\n"));
  EXPECT_TRUE(said(companion.value()).starts_with("y "));
}

TEST(Companion, ThrowsNothingIntoItsCopyOfTheCaller) {
  const auto companion = start_companion("companion-test", kPatience, [](const LocalConnection&) {
    throw std::runtime_error("thrown");
  });
  ASSERT_TRUE(companion);
  EXPECT_EQ(said(companion.value()), "");
}

}  // namespace
}  // namespace dgfs::storage
