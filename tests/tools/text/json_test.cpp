// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/json.h"

#include <gtest/gtest.h>

#include "tools/text/name_style.h"

namespace dgfs::tools {
namespace {

TEST(JsonString, HoldsPrintableCharactersOnly) {
  const std::pair<const char*, const char*> cases[] = {
      {"plain", "\"plain\""},
      {"a\"b\\c", "\"a\\\"b\\\\c\""},
      {"\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\""},
      {"\xc2\x9b", "\"\\u009b\""},                                        // C1: CSI
      {"\xe2\x80\xae\xe2\x81\xa6", "\"\\u202e\\u2066\""},                 // overrides, isolates
      {"\xe2\x80\x8e\xd8\x9c\xe2\x80\xa8", "\"\\u200e\\u061c\\u2028\""},  // marks, line separator
      {"\xf3\xa0\x80\x81", "\"\\udb40\\udc01\""},                         // a tag: two units
      {"caf\xc3\xa9 \xf0\x9f\x98\x80", "\"caf\xc3\xa9 \xf0\x9f\x98\x80\""},
  };
  for (const auto& [text, json] : cases) EXPECT_EQ(json_string(text), json);
}

TEST(JsonString, KeepsBytesThatAreNoText) {
  EXPECT_EQ(json_string("\xff\xc3"), "\"\\udcff\\udcc3\"");
  // A surrogate in UTF-8 is malformed, so that no valid text can look like an escaped byte.
  EXPECT_EQ(json_string("\xed\xb2\x80"), "\"\\udced\\udcb2\\udc80\"");
}

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
