// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The output of GNU ls 9.1 for these names with --quoting-style=shell-escape in a UTF-8 locale.
#include "tools/text/quoting.h"
#include "tests/support/skip.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <wchar.h>

#include "tests/support/random.h"

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

TEST(ShellQuoted, LeavesWhatGnuPrintsWhereAsked) {
  const ShellQuoting as_gnu{.printed = Printed::kAsGnu};
  EXPECT_EQ(shell_quoted("a\xe2\x80\xae", as_gnu), "a\xe2\x80\xae");
  EXPECT_EQ(shell_quoted("\xcd\xb8", as_gnu), "''$'\\315\\270'");  // U+0378 is not assigned
  EXPECT_EQ(shell_quoted("\xcd\xb8"), "''$'\\315\\270'");
  EXPECT_EQ(c_escaped("a\xe2\x80\xae", "", Printed::kAsGnu), "a\xe2\x80\xae");
  EXPECT_EQ(c_escaped("a\xe2\x80\xae", "", Printed::kHarmless), "a\\342\\200\\256");
}

TEST(QuestionMarks, StandForWhatHasNoWidth) {
  EXPECT_EQ(with_question_marks("a\n\xff\xcd\xb8\xe2\x80\xae\xe6\xbc\xa2\xe6\xbc"),
            "a???\xe2\x80\xae\xe6\xbc\xa2?");
}

TEST(ShellQuoted, AlwaysQuotesWhereAsked) {
  EXPECT_EQ(shell_quoted("plain", {.always = true}), "'plain'");
  EXPECT_EQ(shell_quoted("it's", {.always = true}), "\"it's\"");
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\xc3\xa9"), 1U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);                 // combining acute accent
  EXPECT_EQ(display_width("\xe6\xbc\xa2\xe5\xad\x97"), 4U);  // two ideographs
}

/// Counts as characters what mbrtowc() accepts, as ls does.
std::size_t counted_by_the_c_library(const std::string& text) {
  mbstate_t state{};
  wchar_t value = 0;
  const auto length = ::mbrtowc(&value, text.data(), text.size(), &state);
  if (length == static_cast<std::size_t>(-2)) return text.size();
  return length == static_cast<std::size_t>(-1) || length == 0 ? 1 : length;
}

TEST(Quoting, CountsMalformedCharactersAsTheCLibraryDoes) {
  const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) DGFS_SKIP("no locale C.UTF-8 to compare with");
  const locale_t before = ::uselocale(utf8);
  EXPECT_EQ(character_bytes("\xfc\x95\xad"), 3U);  // the beginning of a former six-byte character
  EXPECT_EQ(display_width("\x0e\xfc\x95\xad"), 1U);
  // Bytes at the borders of every class.
  const std::string_view bytes(
      "\x00\x41\x7f\x80\x84\x87\x88\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0"
      "\xe1\xed\xef\xf0\xf1\xf4\xf5\xf7\xf8\xf9\xfb\xfc\xfd\xfe\xff",
      32);
  test::SeededEngine random(1);
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    const auto length = 1 + random() % 7;
    while (text.size() < length) {
      // A lead byte and its continuation bytes, more often than by chance.
      const auto continued = !text.empty() && random() % 4 != 0;
      text += bytes[continued ? 3 + random() % 9 : random() % bytes.size()];
    }
    ASSERT_EQ(character_bytes(text), counted_by_the_c_library(text))
        << ::testing::PrintToString(text);
  }
  ::uselocale(before);
  ::freelocale(utf8);
}

}  // namespace
}  // namespace dgfs::tools
