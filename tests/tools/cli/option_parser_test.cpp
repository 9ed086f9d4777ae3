// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/option_parser.h"

#include <gtest/gtest.h>

namespace dgfs::tools {
namespace {

using Words = std::vector<std::string>;

class OptionParserTest : public ::testing::Test {
 protected:
  void declare(OptionParser& options) {
    options.flag("-l,--long", "Long", long_);
    options.value("--index", "FILE", "Index", index_);
    options.values("-e,--exclude", "PATTERN", "Exclude", exclude_);
    options.number("-j,--jobs", "N", "Threads", jobs_);
    options.on_optional_value("--color", "WHEN", "always", "Color",
                              [this](const std::string& when) -> Status {
                                color_ = when;
                                return ok();
                              });
    for (const std::string key : {"-t", "-S"}) {
      options.on_flag(key, "Sort", [this, key](const std::string&) -> Status {
        sort_ = key;
        return ok();
      });
    }
  }

  Words operands(const Words& arguments) {
    OptionParser options({"dgfs test", "IMAGE [PATH]...", "Tests."}, "--help");
    declare(options);
    help_ = options.help();
    auto parsed = options.parse(arguments);
    if (!parsed) return {"error: " + parsed.error().text()};
    return parsed.value() ? *parsed.value() : Words{"help"};
  }

  std::string help_;
  bool long_ = false;
  std::optional<std::string> index_;
  Words exclude_;
  unsigned jobs_ = 0;
  std::string color_;
  std::string sort_;
};

TEST_F(OptionParserTest, TakesOptionsAndOperandsInAnyOrder) {
  EXPECT_EQ(operands({"a", "-l", "b", "--index", "i", "c"}), (Words{"a", "b", "c"}));
  EXPECT_TRUE(long_);
  EXPECT_EQ(index_, "i");
}

TEST_F(OptionParserTest, LeavesOperandsAsTheyAre) {
  const Words strange = {"[a,b]", "", "-", "{}", "a=b", "'q'", "++", "\n", "%%"};
  EXPECT_EQ(operands(strange), strange);
}

TEST_F(OptionParserTest, EndsOptionsAtTwoDashes) {
  EXPECT_EQ(operands({"a", "--", "-l", "--color", "--index=", "--"}),
            (Words{"a", "-l", "--color", "--index=", "--"}));
  EXPECT_FALSE(long_);
}

TEST_F(OptionParserTest, GivesEachOptionOneValue) {
  EXPECT_EQ(operands({"-e", "x", "a", "--exclude=y", "-ez", "b", "--exclude", "[p,q]"}),
            (Words{"a", "b"}));
  EXPECT_EQ(exclude_, (Words{"x", "y", "z", "[p,q]"}));
}

TEST_F(OptionParserTest, TakesEmptyAndDashedValues) {
  EXPECT_EQ(operands({"--index=", "a"}), Words{"a"});
  EXPECT_EQ(index_, "");
  EXPECT_EQ(operands({"--index", "-l", "a"}), Words{"a"});
  EXPECT_EQ(index_, "-l");
}

TEST_F(OptionParserTest, LetsTheLastOneWin) {
  EXPECT_EQ(operands({"-tS"}), Words{});
  EXPECT_EQ(sort_, "-S");
  EXPECT_EQ(operands({"-S", "-l", "-t"}), Words{});
  EXPECT_EQ(sort_, "-t");
  EXPECT_EQ(operands({"-j1", "-j", "7"}), Words{});
  EXPECT_EQ(jobs_, 7U);
}

TEST_F(OptionParserTest, AssumesLeftOutValues) {
  EXPECT_EQ(operands({"--color", "a"}), Words{"a"});
  EXPECT_EQ(color_, "always");
  EXPECT_EQ(operands({"--color=never", "a"}), Words{"a"});
  EXPECT_EQ(color_, "never");
}

TEST_F(OptionParserTest, SaysWhatIsWrong) {
  const std::pair<Words, const char*> cases[] = {
      {{"--lnog"}, "error: --lnog: unknown option; did you mean --long?"},
      {{"-lz"}, "error: -z: unknown option"},
      {{"--jobs", "many"}, "error: --jobs: 'many' is not a number"},
      {{"--jobs", "4294967296"}, "error: --jobs: '4294967296' is too large"},
  };
  for (const auto& [arguments, text] : cases) EXPECT_EQ(operands(arguments), Words{text});
  EXPECT_TRUE(operands({"--index"})[0].starts_with("error: --index"));
  EXPECT_TRUE(operands({"--long=yes"})[0].starts_with("error: "));
}

TEST_F(OptionParserTest, HelpNamesEverything) {
  EXPECT_EQ(operands({"--help", "-z"}), Words{"help"});
  for (const char* text : {"Usage: dgfs test [OPTION]... IMAGE [PATH]...", "-e,--exclude PATTERN",
                           "--color [=WHEN]", "-l,--long"}) {
    EXPECT_NE(help_.find(text), std::string::npos) << text << " is missing in\n" << help_;
  }
}

TEST_F(OptionParserTest, DescribesWhatItTakes) {
  OptionParser options({"dgfs test", "IMAGE [PATH]...", "Tests."}, "--help");
  declare(options);
  options.choices("--color", {"always", "never"});
  const CommandDescription description = options.description();
  EXPECT_EQ(description.command, "dgfs test");
  EXPECT_EQ(description.operands, "IMAGE [PATH]...");
  const auto described = [&](const std::string& name) {
    for (const OptionDescription& option : description.options) {
      if (option.names.back() == name) return option;
    }
    return OptionDescription();
  };
  EXPECT_EQ(described("--help").help, "Print this help and exit");
  EXPECT_EQ(described("--exclude").names, (Words{"-e", "--exclude"}));
  EXPECT_EQ(described("--exclude").value_name, "PATTERN");
  EXPECT_FALSE(described("--exclude").value_optional);
  EXPECT_EQ(described("--long").value_name, "");
  EXPECT_EQ(described("--color").value_name, "WHEN");
  EXPECT_TRUE(described("--color").value_optional);
  EXPECT_EQ(described("--color").choices, (Words{"always", "never"}));
  EXPECT_EQ(described("-S").names, Words{"-S"});
}

TEST_F(OptionParserTest, PrintsSectionsAfterTheOptions) {
  OptionParser options({"dgfs test", "IMAGE", "Tests."});
  options.section({"Words", "as they come.", "  one   two\n"});
  EXPECT_NE(options.help().find("\n\nWords: as they come.\n  one   two\n\nExit status:\n"),
            std::string::npos)
      << options.help();
}

TEST_F(OptionParserTest, TheHelpEndsWithTheExitStatuses) {
  OptionParser options({"dgfs test", "IMAGE", "Tests."});
  EXPECT_TRUE(options.help().ends_with("\n  2   Wrong usage.\n")) << options.help();
  std::string words;
  for (int i = 0; i < 20; ++i) words += "words ";
  options.manual({.exit_statuses = {{0, "Fine."}, {130, words}}});
  const std::string help = options.help();
  const auto begin = help.find("\n\nExit status:\n  0   Fine.\n  130 words words");
  ASSERT_NE(begin, std::string::npos) << help;
  EXPECT_NE(help.find("\n      words", begin), std::string::npos) << help;
}

}  // namespace
}  // namespace dgfs::tools
