// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What GNU ls 9.1 prints for these names with --quoting-style=shell-escape in a UTF-8 locale.
#include "tools/quoting.h"

#include <gtest/gtest.h>

namespace dgfs::tools {
namespace {

TEST(ShellQuoted, IsWhatLsPrints) {
  const std::pair<std::string, const char*> cases[] = {
      {"plain", "plain"},
      {"", "''"},
      {"a b", "'a b'"},
      {"it's", "\"it's\""},
      {"it's $5", "'it'\\''s $5'"},
      {"a\nb", "'a'$'\\n''b'"},
      {"a\n", "'a'$'\\n'"},
      {"\n", "''$'\\n'"},
      {"a\n\tb", "'a'$'\\n\\t''b'"},
      {"\x1b[31m", "''$'\\033''[31m'"},
      {"\xff", "''$'\\377'"},
      {"~x", "'~x'"},
      {"a~", "a~"},
      {"#x", "'#x'"},
      {"x#", "x#"},
      {"{", "'{'"},
      {"x{", "x{"},
      {"a=b", "'a=b'"},
      {"b\\c", "'b\\c'"},
      {"q?", "'q?'"},
      {"\"", "'\"'"},
      {"caf\xc3\xa9", "caf\xc3\xa9"},
  };
  for (const auto& [name, quoted] : cases) EXPECT_EQ(shell_quoted(name), quoted);
}

TEST(ShellQuoted, HidesWhatReordersText) {
  EXPECT_EQ(shell_quoted("a\xe2\x80\xae"
                         "b"),
            "'a'$'\\342\\200\\256''b'");
  EXPECT_EQ(shell_quoted("\xc2\x9b"), "''$'\\302\\233'");  // C1: CSI
}

TEST(ShellQuoted, AlwaysQuotesWhereAsked) {
  EXPECT_EQ(shell_quoted("plain", {.always = true}), "'plain'");
  EXPECT_EQ(shell_quoted("it's", {.always = true}), "\"it's\"");
}

TEST(Printable, EscapesControlsOnly) {
  EXPECT_EQ(printable("a b'c\n\x1b\xff"), "a b'c\\n\\033\\377");
}

TEST(Utf8, RefusesMalformedCharacters) {
  for (const char* text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82", "\xc3z"}) {
    EXPECT_EQ(decode_utf8(text).length, 0U) << printable(text);
  }
  EXPECT_EQ(decode_utf8("\xf0\x9f\x98\x80").value, 0x1f600U);
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\xc3\xa9"), 1U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);                 // combining acute accent
  EXPECT_EQ(display_width("\xe6\xbc\xa2\xe5\xad\x97"), 4U);  // two ideographs
}

}  // namespace
}  // namespace dgfs::tools
