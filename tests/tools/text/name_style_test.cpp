// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/name_style.h"

#include <gtest/gtest.h>

namespace dgfs::tools {
namespace {

TEST(NameStyle, WritesNamesAsLsDoes) {
  const std::string name = "it's a\tb\\\xff";
  const std::pair<QuotingStyle, const char*> cases[] = {
      {QuotingStyle::kLiteral, "it's a\tb\\\xff"},
      {QuotingStyle::kShell, "'it'\\''s a\tb\\\xff'"},
      {QuotingStyle::kShellEscapeAlways, "'it'\\''s a'$'\\t''b\\'$'\\377'"},
      {QuotingStyle::kC, "\"it's a\\tb\\\\\\377\""},
      {QuotingStyle::kEscape, "it's a\\tb\\\\\\377"},
      {QuotingStyle::kCMaybe, "\"it's a\\tb\\\\\\377\""},
      {QuotingStyle::kLocale, "‘it's a\\tb\\\\\\377’"},
  };
  for (const auto& [quoting, text] : cases) {
    EXPECT_EQ((NameStyle{.quoting = quoting, .hides_controls = false, .also = {}}).text(name),
              text);
  }
  EXPECT_EQ(
      (NameStyle{.quoting = QuotingStyle::kLiteral, .hides_controls = true, .also = {}}).text(name),
      "it's a?b\\?");
  EXPECT_EQ((NameStyle{.quoting = QuotingStyle::kCMaybe, .also = {}}).text("a \\b"), "a \\b");
  EXPECT_EQ((NameStyle{.quoting = QuotingStyle::kLocale, .also = {}}).text("a’\"b"), "‘a\\’\"b’");
}

TEST(NameStyle, DoesNotCountQuestionMarksAsQuotes) {
  const NameStyle style{.quoting = QuotingStyle::kShell, .hides_controls = true, .also = {}};
  EXPECT_EQ(style.text("a\x01"), "a?");
  EXPECT_FALSE(style.changes("a\x01"));
  EXPECT_TRUE(style.changes("a b"));
}

}  // namespace
}  // namespace dgfs::tools
