// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Numbers, times, modes and formats, both ways.
#include <gtest/gtest.h>

#include "tools/cli/suggestion.h"
#include "tools/text/block_unit.h"
#include "tools/text/columns.h"
#include "tools/text/date_text.h"
#include "tools/text/mode_text.h"
#include "tools/text/printf_text.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

TEST(SizeText, HumanSizesRoundUpAsLsDoes) {
  const std::pair<std::uint64_t, const char*> cases[] = {{0, "0"},           {1, "1"},
                                                         {1023, "1023"},     {1024, "1.0K"},
                                                         {1025, "1.1K"},     {10137, "9.9K"},
                                                         {10138, "10K"},     {10240, "10K"},
                                                         {10241, "11K"},     {1047552, "1023K"},
                                                         {1047553, "1.0M"},  {1048576, "1.0M"},
                                                         {88080384, "84M"},  {1ULL << 40, "1.0T"},
                                                         {UINT64_MAX, "16E"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(human_size(bytes), text) << bytes;
}

TEST(SizeText, SummarySizesHaveThreeDigits) {
  const std::pair<std::uint64_t, const char*> cases[] = {{0, "0 B"},
                                                         {999, "999 B"},
                                                         {1000, "1.00 KB"},
                                                         {9'994, "9.99 KB"},
                                                         {9'996, "10.0 KB"},
                                                         {99'960, "100 KB"},
                                                         {999'499, "999 KB"},
                                                         {999'500, "1.00 MB"},
                                                         {9'710'000'000, "9.71 GB"},
                                                         {214'000'000, "214 MB"},
                                                         {UINT64_MAX, "18.4 EB"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(size_text(bytes), text) << bytes;
}

TEST(SizeText, NumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1204311), "1,204,311");
  EXPECT_EQ(grouped(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(0, "file"), "0 files");
  EXPECT_EQ(counted(6284, "directory", "directories"), "6,284 directories");
}

TEST(SizeText, DurationsChangeUnits) {
  EXPECT_EQ(duration_text(160'000'000), "0.16 s");
  EXPECT_EQ(duration_text(16'200'000'000), "16.2 s");
  EXPECT_EQ(duration_text(125'000'000'000), "2 min 5 s");
  EXPECT_EQ(duration_text(3'720'000'000'000), "1 h 2 min");
}

TEST(ParseSize, UnderstandsUnits) {
  const std::pair<const char*, std::uint64_t> cases[] = {{"0", 0},
                                                         {"512", 512},
                                                         {"64K", 65536},
                                                         {"64k", 65536},
                                                         {"64KiB", 65536},
                                                         {"64KB", 64000},
                                                         {"1GiB", 1ULL << 30},
                                                         {"10MB", 10'000'000},
                                                         {"15E", 15ULL << 60},
                                                         {"18446744073709551615", UINT64_MAX}};
  for (const auto& [text, bytes] : cases) {
    const auto parsed = parse_size(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed.value(), bytes) << text;
  }
}

TEST(ParseSize, RefusesWhatIsNoSize) {
  for (const char* text : {"", "K", "-1", "+1", " 1", "1 K", "1X", "1KX", "1iB", "1.5G", "16E",
                           "18446744073709551616", "1KiBs"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(ModeText, ShowsSpecialBits) {
  EXPECT_EQ(mode_text(0100644), "-rw-r--r--");
  EXPECT_EQ(mode_text(0041777), "drwxrwxrwt");
  EXPECT_EQ(mode_text(0106755), "-rwsr-sr-x");
  EXPECT_EQ(mode_text(0107000), "---S--S--T");
  EXPECT_EQ(mode_text(0120777), "lrwxrwxrwx");
  EXPECT_EQ(mode_text(0010600), "prw-------");
}

TEST(ParseMode, ReadsOctalAndSymbolic) {
  const std::pair<const char*, std::uint32_t> cases[] = {
      {"0", 0},       {"644", 0644},       {"07777", 07777}, {"u=rw,go=r", 0644},
      {"+x", 0111},   {"a+rwx,o-w", 0775}, {"u+s", 04000},   {"g=rws", 02060},
      {"o+t", 01000}, {"ug=rx,o=", 0550},  {"a=rwx-w", 0555}};
  for (const auto& [text, mode] : cases) {
    const auto parsed = parse_mode(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed.value(), mode) << text;
  }
  for (const char* text : {"", "8", "10000", "u", "u=q", "=,", "rw"}) {
    EXPECT_FALSE(parse_mode(text)) << text;
  }
}

TEST(TimeText, ParsesUtcTimes) {
  const std::pair<const char*, std::int64_t> cases[] = {{"@1751360400", 1751360400},
                                                        {"-5", -5},
                                                        {"20250701", 1751328000},
                                                        {"2025-07-01", 1751328000},
                                                        {"2025-07-01 09:00", 1751360400},
                                                        {"2025-07-01 09:00:07", 1751360407},
                                                        {"2025-07-01T09:00:00Z", 1751360400}};
  for (const auto& [text, seconds] : cases) {
    const auto parsed = parse_utc_time(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed.value(), seconds) << text;
  }
  for (const char* text :
       {"", "@", "@x", "yesterday", "2025-07-01 9 o'clock", "@2025-07-01", "2025-02-30", "20250230",
        "25-07-01", "2025-06-31 09:00", "2016-12-31 23:59:60"}) {
    EXPECT_FALSE(parse_utc_time(text)) << text;
  }
}

TEST(DateText, TakesWhatCalendarsAndClocksShow) {
  const Time now{1751360400, 5};
  const std::pair<const char*, std::int64_t> cases[] = {{"2024-02-29 UTC", 1709164800},
                                                        {"20250701 09:00 UTC", 1751360400},
                                                        {"2025-07-01T09:00:00Z", 1751360400},
                                                        {"2025-07-01 09:00 +02:00", 1751353200},
                                                        {"tomorrow", now.seconds + 24 * 3600},
                                                        {"yesterday", now.seconds - 24 * 3600},
                                                        {"now", now.seconds},
                                                        {"@-5", -5}};
  for (const auto& [text, seconds] : cases) {
    const auto parsed = parse_date(text, now);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed.value().seconds, seconds) << text;
  }
  const auto clock = parse_date("09:30", now);
  ASSERT_TRUE(clock);
  EXPECT_EQ(format_time(clock.value(), "%F %T"), format_time(now, "%F") + " 09:30:00");
  for (const char* text : {"2025-02-30", "2023-02-29 UTC", "20250631", "2025-02-30 11:20 UTC",
                           "2016-12-31 23:59:60 UTC", "25-07-09", "2025-07-01 09:00 +02:60",
                           "2025-07-01 09:00 +2500", "24:00", "9", "soon", ""}) {
    EXPECT_FALSE(parse_date(text, now)) << text;
  }
}

TEST(SizeText, ParsesUnits) {
  const std::tuple<const char*, std::uint64_t, const char*> cases[] = {
      {"1", 1, ""},         {"2K", 2048, ""},   {"K", 1024, "K"},        {"k", 1024, "K"},
      {"kiB", 1024, "KiB"}, {"KB", 1000, "kB"}, {"mB", 1'000'000, "MB"}, {"M", 1 << 20, "M"},
      {"1kB", 1000, ""},    {"'1", 1, ""},      {"'K", 1024, "K"},       {"0x400", 1024, ""},
      {"010", 8, ""}};
  for (const auto& [text, bytes, letters] : cases) {
    const auto unit = parse_block_unit(text);
    ASSERT_TRUE(unit) << text;
    EXPECT_EQ(unit.value().bytes, bytes) << text;
    EXPECT_EQ(unit.value().letters, letters) << text;
  }
  EXPECT_EQ(parse_block_unit("human-readable").value().scale, SizeUnits::kBinary);
  EXPECT_EQ(parse_block_unit("'s").value().scale, SizeUnits::kDecimal);
  for (const char* text : {"", "'", "''1", "0", "0K", "08", "0x", "B", "c", "KIB", "-1", "his"}) {
    EXPECT_FALSE(parse_block_unit(text)) << text;
  }
}

TEST(TimeText, PrintsNanosecondsAndFarTimes) {
  EXPECT_EQ(utc_time({1751360400, 5}), "2025-07-01T09:00:00.000000005Z");
  EXPECT_EQ(utc_time({-1, 999999999}), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(utc_time({INT64_MAX, 0}), "@9223372036854775807");
  EXPECT_EQ(format_time({0, 42}, "%%N %N"), "%N 000000042");
}

TEST(TimeText, RecentMeansHalfAYear) {
  const TimeStyle style{"recent", "other"};
  const Time now{2'000'000'000, 5};
  EXPECT_EQ(styled_time(now, now, style), "recent");
  EXPECT_EQ(styled_time({now.seconds, 6}, now, style), "other");  // in the future
  EXPECT_EQ(styled_time({now.seconds - 15'778'475, 0}, now, style), "recent");
  EXPECT_EQ(styled_time({now.seconds - 15'778'476, 0}, now, style), "other");
}

TEST(Printf, PadsAndCuts) {
  const auto printed = [](const char* format, const char* value) {
    return padded(parse_format(format, "", Escapes::kNone).value()[0], value);
  };
  EXPECT_EQ(printed("%5s", "ab"), "   ab");
  EXPECT_EQ(printed("%-5s", "ab"), "ab   ");
  EXPECT_EQ(printed("%05s", "12"), "   12");
  EXPECT_EQ(printed("%.1s", "ab"), "a");
  EXPECT_EQ(printed("%1s", "ab"), "ab");
}

TEST(Printf, PlacesNumbers) {
  const std::tuple<const char*, NumberKind, const char*, const char*> cases[] = {
      {"%05d", NumberKind::kSigned, "12", "00012"},
      {"%05d", NumberKind::kSigned, "-12", "-0012"},
      {"%+d", NumberKind::kSigned, "0", "+0"},
      {"% d", NumberKind::kSigned, "7", " 7"},
      {"%+d", NumberKind::kUnsigned, "7", "7"},
      {"%.3d", NumberKind::kUnsigned, "1234", "1234"},
      {"%05.3d", NumberKind::kUnsigned, "7", "  007"},
      {"%.0d", NumberKind::kUnsigned, "0", ""},
      {"%#o", NumberKind::kOctal, "755", "0755"},
      {"%#o", NumberKind::kOctal, "0", "0"},
      {"%#8x", NumberKind::kHexadecimal, "f", "     0xf"},
      {"%#x", NumberKind::kHexadecimal, "0", "0"},
      {"%-5d|", NumberKind::kSigned, "-1", "-1   "}};
  for (const auto& [format, kind, digits, text] : cases) {
    const auto pieces = parse_format(format, "", Escapes::kNone).value();
    EXPECT_EQ(padded_number(pieces[0], kind, digits), text) << format;
  }
}

TEST(Printf, ParsesPiecesAndEscapes) {
  const auto pieces = parse_format("a%%b%Hd\\n\\101\\q", "H", Escapes::kFind).value();
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].literal, "a%b");
  EXPECT_EQ(pieces[0].modifier, 'H');
  EXPECT_EQ(pieces[0].letter, 'd');
  EXPECT_EQ(pieces[1].literal, "\nA\\q");
  EXPECT_EQ(parse_format("\\n", "", Escapes::kNone).value()[0].literal, "\\n");
  EXPECT_FALSE(parse_format("100%", "", Escapes::kNone));
  EXPECT_FALSE(parse_format("%-5.3", "", Escapes::kNone));
}

TEST(Suggestion, FindsTheNearestWord) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("-szie", "-size"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(did_you_mean("-szie", {"-name", "-size"}), "; did you mean -size?");
  EXPECT_EQ(did_you_mean("-quite-different", {"-name", "-size"}), "");
}

TEST(Columns, FillDownwards) {
  const std::vector<std::string> names = {"a", "bb", "ccc", "d", "e"};
  std::vector<std::size_t> widths;
  for (const std::string& name : names) widths.push_back(name.size());
  const auto lines = [&](std::size_t line_columns) {
    return in_columns(widths, {.line_columns = line_columns, .tab_columns = 0},
                      [&](std::size_t i, std::size_t) { return names[i]; });
  };
  EXPECT_EQ(lines(80), "a  bb  ccc  d  e\n");
  EXPECT_EQ(lines(12), "a    d\nbb   e\nccc\n");
  EXPECT_EQ(lines(1), "a\nbb\nccc\nd\ne\n");
  EXPECT_EQ(in_columns({}, {.line_columns = 80, .tab_columns = 0}, {}), "");
}

TEST(Columns, AskForTextsInTheOrderOfTheOutput) {
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  const auto text = [&](std::size_t i, std::size_t column) {
    asked.emplace_back(i, column);
    return std::string("xx");
  };
  EXPECT_EQ(in_columns({2, 2, 2}, {.line_columns = 9, .tab_columns = 0}, text), "xx  xx\nxx\n");
  EXPECT_EQ(asked, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {2, 4}, {1, 0}}));
  asked.clear();
  EXPECT_EQ(in_lines({2, 2, 2}, {.line_columns = 9, .line_end = '\0'}, ',', text),
            std::string("xx, xx,\0xx\0", 11));
  EXPECT_EQ(asked, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {1, 4}, {2, 0}}));
}

}  // namespace
}  // namespace dgfs::tools
