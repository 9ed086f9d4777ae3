// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Grammar of the expression, loosest first:
//   list: or (',' or)*     or: and (-o and)*     and: not (-a? not)*     not: ! not | primary
//   primary: '(' list ')' | -TEST [VALUE] | -ACTION [VALUE]
#include "tools/find/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "tools/cli/suggestion.h"
#include "tools/find/list.h"
#include "tools/find/printf.h"
#include "tools/find/regex.h"
#include "tools/find/tests.h"
#include "tools/paths/image_path.h"
#include "tools/text/date_text.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

Error expression_error(std::uint16_t code, std::string text) {
  return Error(ErrorKind::kInvalidArgument, code, std::move(text));
}

/// Deeper than any expression written by hand; bounds the recursion of the parser.
constexpr std::size_t kNestingMax = 200;

// Flat lists, so that neither running nor freeing a long expression recurses.
FindTest all_of(std::vector<FindTest> tests) {
  if (tests.size() == 1) return std::move(tests.front());
  return [tests = std::move(tests)](const FindItem& item) {
    return std::all_of(tests.begin(), tests.end(),
                       [&](const FindTest& test) { return test(item); });
  };
}
FindTest any_of(std::vector<FindTest> tests) {
  if (tests.size() == 1) return std::move(tests.front());
  return [tests = std::move(tests)](const FindItem& item) {
    return std::any_of(tests.begin(), tests.end(),
                       [&](const FindTest& test) { return test(item); });
  };
}
FindTest last_of(std::vector<FindTest> tests) {
  if (tests.size() == 1) return std::move(tests.front());
  return [tests = std::move(tests)](const FindItem& item) {
    bool last = false;
    for (const FindTest& test : tests) last = test(item);
    return last;
  };
}
FindTest negated(FindTest a) {
  return [a = std::move(a)](const FindItem& item) { return !a(item); };
}

class Parser {
 public:
  Parser(std::span<const std::string> words, FindRun& run) : words_(words), run_(run) {}

  static std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& [name, primary] : primaries()) out.push_back(name);
    return out;
  }

  Result<FindExpression> parse() {
    FindTest test = [](const FindItem&) { return true; };
    if (!words_.empty()) {
      DGFS_TRY(parsed, list());
      test = std::move(parsed);
      if (!words_.empty()) {
        return expression_error(6090, fmt::format("unexpected '{}'", words_[0]));
      }
    }
    if (run_.json && !text_action_.empty()) {
      return expression_error(6104, fmt::format("--json and {} cannot be combined", text_action_));
    }
    out_.test = acts_ ? std::move(test) : all_of({std::move(test), print_action(run_, '\n')});
    return std::move(out_);
  }

 private:
  using Maker = Result<FindTest> (Parser::*)(const std::string& value);
  struct Primary {
    Maker make;
    bool takes_value;
  };
  static const std::map<std::string, Primary, std::less<>>& primaries();

  bool next_is(std::string_view a, std::string_view b) const {
    return !words_.empty() && (words_[0] == a || words_[0] == b);
  }
  std::string take() {
    std::string word = words_[0];
    words_ = words_.subspan(1);
    return word;
  }

  Result<FindTest> list() {
    std::vector<FindTest> tests;
    do {
      if (!tests.empty()) take();
      DGFS_TRY(test, any());
      tests.push_back(std::move(test));
    } while (next_is(",", ","));
    return last_of(std::move(tests));
  }

  Result<FindTest> any() {
    std::vector<FindTest> tests;
    do {
      if (!tests.empty()) take();
      DGFS_TRY(test, all());
      tests.push_back(std::move(test));
    } while (next_is("-o", "-or"));
    return any_of(std::move(tests));
  }

  Result<FindTest> all() {
    std::vector<FindTest> tests;
    do {
      if (!tests.empty() && next_is("-a", "-and")) take();
      DGFS_TRY(test, one());
      tests.push_back(std::move(test));
    } while (!words_.empty() && !next_is(",", ")") && !next_is("-o", "-or"));
    return all_of(std::move(tests));
  }

  Result<FindTest> one() {
    if (words_.empty()) return expression_error(6091, "the expression ends too early");
    if (++nesting_ > kNestingMax)
      return expression_error(6092, "the expression is nested too deep");
    Result<FindTest> test = operand();
    --nesting_;
    return test;
  }

  Result<FindTest> operand() {
    const std::string word = take();
    if (word == "!" || word == "-not") {
      DGFS_TRY(test, one());
      return negated(std::move(test));
    }
    if (word == "(") {
      if (next_is(")", ")")) return expression_error(6102, "'(' and ')' enclose nothing");
      DGFS_TRY(test, list());
      if (words_.empty()) return expression_error(6093, "missing ')'");
      take();  // the ')', the only word that list() stops at
      return std::move(test);
    }
    constexpr std::array kAfterOthers = {"-o", "-or", "-a", "-and", ",", ")"};
    if (std::find(kAfterOthers.begin(), kAfterOthers.end(), word) != kAfterOthers.end()) {
      return expression_error(6103, fmt::format("an expression is missing before '{}'", word));
    }
    return primary(word);
  }

  Result<FindTest> primary(const std::string& word) {
    const auto found = primaries().find(word);
    if (found == primaries().end()) {
      return word.starts_with("-newer") && word.size() == 8 ? newer_pair(word) : unknown(word);
    }
    if (!found->second.takes_value) return (this->*found->second.make)("");
    if (words_.empty()) return expression_error(6094, word + ": missing value");
    const std::string value = take();
    Result<FindTest> test = (this->*found->second.make)(value);
    if (test) return test;
    const std::string text = fmt::format("{}: {}", word, test.error().message());
    return Error(test.error().kind(), 6095, text);
  }

  /// Tests like -newermt.
  Result<FindTest> newer_pair(const std::string& word) {
    const TimeMember member = time_member(word[6]);
    const bool known = member != nullptr && (word[7] == 't' || time_member(word[7]) != nullptr);
    if (!known) {
      return expression_error(6099, word +
                                        ": images keep the times a, c and m; -newermt DATE "
                                        "compares with a date");
    }
    if (words_.empty()) return expression_error(6100, word + ": missing value");
    const std::string value = take();
    Result<FindTest> test = newer_than(member, word[7], value);
    if (test) return test;
    return Error(test.error().kind(), 6101, fmt::format("{}: {}", word, test.error().message()));
  }

  static Error unknown(const std::string& word) {
    constexpr std::array kWriting = {"-delete", "-exec",   "-execdir", "-ok",
                                     "-okdir",  "-fprint", "-fls",     "-fprintf"};
    for (const char* writing : kWriting) {
      if (word == writing) {
        return expression_error(6096, word +
                                          ": not available, because images are read-only; pipe "
                                          "-print0 into xargs -0");
      }
    }
    if (!word.starts_with('-')) {
      return expression_error(6097, fmt::format("'{}': paths come before the expression", word));
    }
    return expression_error(6098, word + ": unknown test" + did_you_mean(word, names()));
  }

  // Names.
  Result<FindTest> name(const std::string& value) { return name_test(value); }
  Result<FindTest> iname(const std::string& value) { return name_test(value, WildcardCase::kAny); }
  Result<FindTest> path(const std::string& value) { return path_test(value); }
  Result<FindTest> regex(const std::string& value) {
    return regex_test(value, regex_syntax_, false);
  }
  Result<FindTest> iregex(const std::string& value) {
    return regex_test(value, regex_syntax_, true);
  }
  Result<FindTest> regextype(const std::string& value) {
    DGFS_TRY(syntax, regex_syntax(value));
    regex_syntax_ = syntax;
    return always(value);
  }
  Result<FindTest> ipath(const std::string& value) { return path_test(value, WildcardCase::kAny); }
  Result<FindTest> lname(const std::string& value) { return link_test(run_, value); }
  Result<FindTest> ilname(const std::string& value) {
    return link_test(run_, value, WildcardCase::kAny);
  }

  // Attributes.
  Result<FindTest> type(const std::string& value) { return type_test(value, nullptr); }
  Result<FindTest> xtype(const std::string& value) { return type_test(value, &run_); }
  Result<FindTest> size(const std::string& value) { return size_test(value); }
  template <TimeMember kMember, AgeUnit kUnit>
  Result<FindTest> age(const std::string& value) {
    const Time now = run_.session.env().now();
    const Time base = from_day_end_ ? end_of_day(now) : now;
    return age_test(value, kMember, kUnit, base);
  }
  Result<FindTest> perm(const std::string& value) { return permission_test(value); }
  /// X of -newerXY, then Y and its value.
  Result<FindTest> newer_than(TimeMember member, char kind, const std::string& value) {
    Time than;
    if (kind == 't') {
      DGFS_TRY(date, parse_date(value, run_.session.env().now()));
      than = date;
    } else {
      DGFS_TRY(node, reference(value));
      than = node.*time_member(kind);
    }
    return FindTest([=](const FindItem& item) { return item.node.*member > than; });
  }
  Result<FindTest> newer(const std::string& value) {
    return newer_than(&reader::Node::mtime, 'm', value);
  }
  Result<FindTest> newermt(const std::string& value) {
    return newer_than(&reader::Node::mtime, 't', value);
  }
  Result<FindTest> anewer(const std::string& value) {
    return newer_than(&reader::Node::atime, 'm', value);
  }
  Result<FindTest> cnewer(const std::string& value) {
    return newer_than(&reader::Node::ctime, 'm', value);
  }
  /// The entry that a test compares with.
  [[nodiscard]] Result<reader::Node> reference(const std::string& path) const {
    const Follow last = run_.links == LinksFollowed::kNone ? Follow::kNo : Follow::kYes;
    auto found = find_node(run_.image, path, last);
    if (!found) return std::move(found).error().in_file(path.empty() ? "''" : path);
    return std::move(found).value().node;
  }
  /// Returns nullptr for a letter other than a, c, m.
  static TimeMember time_member(char letter) {
    return letter == 'a'   ? &reader::Node::atime
           : letter == 'c' ? &reader::Node::ctime
           : letter == 'm' ? &reader::Node::mtime
                           : nullptr;
  }
  Result<FindTest> samefile(const std::string& value) {
    DGFS_TRY(node, reference(value));
    return FindTest(
        [inode = node.inode](const FindItem& item) { return item.node.inode == inode; });
  }
  Result<FindTest> user(const std::string& value) {
    DGFS_TRY(uid, parse_user(value));
    return FindTest([uid = uid](const FindItem& item) { return item.node.uid == uid; });
  }
  Result<FindTest> group(const std::string& value) {
    DGFS_TRY(gid, parse_group(value));
    return FindTest([gid = gid](const FindItem& item) { return item.node.gid == gid; });
  }
  Result<FindTest> nouser(const std::string&) {
    return FindTest([&run = run_](const FindItem& item) { return !run.users.user(item.node.uid); });
  }
  Result<FindTest> nogroup(const std::string&) {
    return FindTest(
        [&run = run_](const FindItem& item) { return !run.users.group(item.node.gid); });
  }
  template <class Member>
  static Result<FindTest> compare(const std::string& value, Member reader::Node::*member) {
    DGFS_TRY(wanted, parse_comparison(value));
    return FindTest([wanted = wanted, member](const FindItem& item) {
      return wanted.holds(item.node.*member);
    });
  }
  Result<FindTest> uid(const std::string& value) { return compare(value, &reader::Node::uid); }
  Result<FindTest> gid(const std::string& value) { return compare(value, &reader::Node::gid); }
  Result<FindTest> links(const std::string& value) {
    return compare(value, &reader::Node::link_count);
  }
  Result<FindTest> inum(const std::string& value) { return compare(value, &reader::Node::inode); }
  Result<FindTest> empty(const std::string&) { return empty_test(run_); }
  template <Access kWanted>
  Result<FindTest> access(const std::string&) {
    return access_test(run_, kWanted);
  }
  Result<FindTest> fstype(const std::string& value) {
    return value == kFileSystemType ? always(value) : never(value);
  }
  Result<FindTest> always(const std::string&) {
    return FindTest([](const FindItem&) { return true; });
  }
  Result<FindTest> never(const std::string&) {
    return FindTest([](const FindItem&) { return false; });
  }

  // Settings of the whole walk.
  Result<FindTest> maxdepth(const std::string& value) {
    DGFS_TRY(depth, parse_number(value));
    out_.depth_max = depth;
    return always(value);
  }
  Result<FindTest> mindepth(const std::string& value) {
    DGFS_TRY(depth, parse_number(value));
    out_.depth_min = depth;
    return always(value);
  }
  Result<FindTest> depth(const std::string& value) {
    out_.depth_first = true;
    return always(value);
  }
  Result<FindTest> files0_from(const std::string& value) {
    out_.starts_file = value;
    return always(value);
  }
  Result<FindTest> daystart(const std::string& value) {
    from_day_end_ = true;
    return always(value);
  }
  Result<FindTest> follow(const std::string& value) {
    run_.links = LinksFollowed::kAll;
    return always(value);
  }
  Result<FindTest> json(const std::string& value) {
    run_.json = true;
    return always(value);
  }

  // Actions.
  Result<FindTest> print(const std::string&) { return action(print_action(run_, '\n')); }
  Result<FindTest> print0(const std::string&) {
    return text_action("-print0", print_action(run_, '\0'));
  }
  Result<FindTest> ls(const std::string&) { return text_action("-ls", list_action(run_)); }
  Result<FindTest> printf(const std::string& value) {
    DGFS_TRY(test, printf_action(run_, value));
    return text_action("-printf", std::move(test));
  }
  Result<FindTest> prune(const std::string&) {
    out_.prunes = true;
    return FindTest([&run = run_](const FindItem&) { return run.prune = true; });
  }
  Result<FindTest> quit(const std::string&) {
    return action([&run = run_](const FindItem&) { return run.quit = true; });
  }
  FindTest action(FindTest test) {
    acts_ = true;
    return test;
  }

  /// An action that formats its own output, so that it cannot print JSON.
  FindTest text_action(std::string_view name, FindTest test) {
    text_action_ = name;
    return action(std::move(test));
  }

  std::span<const std::string> words_;
  FindRun& run_;
  FindExpression out_;
  std::size_t nesting_ = 0;
  unsigned long regex_syntax_ = regex_syntax("emacs").value();  // the default of find
  bool from_day_end_ = false;                                   // -daystart was seen
  bool acts_ = false;
  std::string_view text_action_;  // the last one; empty: none
};

const std::map<std::string, Parser::Primary, std::less<>>& Parser::primaries() {
  static const std::map<std::string, Primary, std::less<>> kPrimaries = {
      {"-name", {&Parser::name, true}},
      {"-iname", {&Parser::iname, true}},
      {"-path", {&Parser::path, true}},
      {"-ipath", {&Parser::ipath, true}},
      {"-wholename", {&Parser::path, true}},
      {"-iwholename", {&Parser::ipath, true}},
      {"-regex", {&Parser::regex, true}},
      {"-iregex", {&Parser::iregex, true}},
      {"-regextype", {&Parser::regextype, true}},
      {"-lname", {&Parser::lname, true}},
      {"-ilname", {&Parser::ilname, true}},
      {"-type", {&Parser::type, true}},
      {"-xtype", {&Parser::xtype, true}},
      {"-size", {&Parser::size, true}},
      {"-mtime", {&Parser::age<&reader::Node::mtime, AgeUnit::kDays>, true}},
      {"-ctime", {&Parser::age<&reader::Node::ctime, AgeUnit::kDays>, true}},
      {"-atime", {&Parser::age<&reader::Node::atime, AgeUnit::kDays>, true}},
      {"-mmin", {&Parser::age<&reader::Node::mtime, AgeUnit::kMinutes>, true}},
      {"-cmin", {&Parser::age<&reader::Node::ctime, AgeUnit::kMinutes>, true}},
      {"-amin", {&Parser::age<&reader::Node::atime, AgeUnit::kMinutes>, true}},
      {"-daystart", {&Parser::daystart, false}},
      {"-newer", {&Parser::newer, true}},
      {"-newermt", {&Parser::newermt, true}},
      {"-anewer", {&Parser::anewer, true}},
      {"-cnewer", {&Parser::cnewer, true}},
      {"-samefile", {&Parser::samefile, true}},
      {"-perm", {&Parser::perm, true}},
      {"-user", {&Parser::user, true}},
      {"-group", {&Parser::group, true}},
      {"-uid", {&Parser::uid, true}},
      {"-gid", {&Parser::gid, true}},
      {"-nouser", {&Parser::nouser, false}},
      {"-nogroup", {&Parser::nogroup, false}},
      {"-links", {&Parser::links, true}},
      {"-inum", {&Parser::inum, true}},
      {"-empty", {&Parser::empty, false}},
      {"-executable", {&Parser::access<Access::kExecute>, false}},
      {"-readable", {&Parser::access<Access::kRead>, false}},
      {"-writable", {&Parser::access<Access::kWrite>, false}},
      {"-fstype", {&Parser::fstype, true}},
      {"-true", {&Parser::always, false}},
      {"-false", {&Parser::never, false}},
      {"-maxdepth", {&Parser::maxdepth, true}},
      {"-mindepth", {&Parser::mindepth, true}},
      {"-depth", {&Parser::depth, false}},
      {"-d", {&Parser::depth, false}},
      {"-follow", {&Parser::follow, false}},
      {"-files0-from", {&Parser::files0_from, true}},
      // No effect: an image is one file system, it does not change, and there are no warnings.
      {"-xdev", {&Parser::always, false}},
      {"-mount", {&Parser::always, false}},
      {"-noleaf", {&Parser::always, false}},
      {"-warn", {&Parser::always, false}},
      {"-nowarn", {&Parser::always, false}},
      {"-ignore_readdir_race", {&Parser::always, false}},
      {"-noignore_readdir_race", {&Parser::always, false}},
      {"--json", {&Parser::json, false}},
      {"-print", {&Parser::print, false}},
      {"-print0", {&Parser::print0, false}},
      {"-ls", {&Parser::ls, false}},
      {"-printf", {&Parser::printf, true}},
      {"-prune", {&Parser::prune, false}},
      {"-quit", {&Parser::quit, false}},
  };
  return kPrimaries;
}

}  // namespace

std::vector<std::string> expression_words() { return Parser::names(); }

bool begins_expression(std::string_view word) {
  if (word == "(" || word == ")" || word == "!" || word == ",") return true;
  if (word == "-P" || word == "-H" || word == "-L") return false;
  return word.size() > 1 && word[0] == '-' && !word.starts_with("--");
}

Result<FindExpression> parse_find(std::span<const std::string> words, FindRun& run) {
  return Parser(words, run).parse();
}

}  // namespace dgfs::tools
