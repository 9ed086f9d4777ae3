// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Text from users: mount options, find expressions, files of rules and of paths, sizes, times,
// formats. Input: a byte that picks the parser, and text with one word per line.
#include <atomic>
#include <string>
#include <vector>

#include "builder/build.h"
#include "rules/path_list.h"
#include "rules/path_rules.h"
#include "storage/memory/env.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/build/option_values.h"
#include "tools/cli/mount_helper.h"
#include "tools/find/tests.h"
#include "tools/stat_format.h"
#include "tools/text/date_text.h"
#include "tools/text/mode_text.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"
#include "tools/tool.h"
#ifdef DGFS_HAS_FUSE
#include "fuse/mount_arguments.h"
#endif

namespace dgfs::test {
namespace {

// A shell passes more, but no parser here depends on it.
constexpr std::size_t kTextBytesMax = 4096;
constexpr std::size_t kPrintedBytesMax = std::size_t{1} << 20;
constexpr const char* kImage = "/i";
constexpr const char* kText = "/text";

void put(storage::Env& env, const std::string& path, std::string_view text) {
  (void)env.remove(path);
  const auto file = env.open(path, {.mode = storage::OpenOptions::Mode::kCreateNew});
  require(file && file.value()->write_at(0, as_bytes(text)));
}

/// A small image in a separate file system.
storage::Env& world() {
  static const auto made = [] {
    auto env = storage::make_memory_env(1);
    for (const auto* path : {"/tree", "/tree/d", "/tree/e"}) {
      require(env->make_directory(path, 0755).has_value());
    }
    put(*env, "/tree/d/one", "content");
    put(*env, "/tree/d/two.c", "");
    put(*env, "/tree/e/x", std::string(5000, 'x'));
    const auto root = env->open_directory("/tree");
    require(root && root.value()->make_symlink("link", "d/one"));
    require(root.value()->make_node("fifo", 0010644, 0).has_value());
    builder::BuildOptions options;
    options.source = "/tree";
    options.image_path = std::string(kImage);
    options.index_path.emplace();
    options.jobs = 1;
    options.memory_bytes = builder::kMemoryBytesMin;
    require(builder::build(*env, options).has_value());
    return env;
  }();
  return *made;
}

std::vector<std::string> words_of(std::string_view text) {
  const auto lines = rules::split_lines(text, '\n');
  return {lines.begin(), lines.end()};
}

// Runs a command of the program, which must end with one of its exit codes and say why it failed.
void run(std::vector<std::string> arguments) {
  std::string out_text;
  std::string err_text;
  const auto sink = [](std::string& kept) {
    return [&kept](std::string_view more) {
      if (kept.size() < kPrintedBytesMax) kept += more;
      return 0;
    };
  };
  tools::Output out(sink(out_text), 0);
  tools::Output err(sink(err_text), 0);
  const std::atomic<bool> stop = false;
  const tools::ToolIo io{world(), out, err, false, false, 80, stop};
  const int code = tools::tool_main(arguments, io);
  require(code >= tools::kExitDone && code <= tools::kExitUsage);
  require(code == tools::kExitDone || !err_text.empty());
}

void require_text(const Error& error) {
  require(!error.message().empty());
  require(error.kind() == ErrorKind::kInvalidArgument || error.kind() == ErrorKind::kPermission);
}

void fuzz_mount_options(std::string_view text) {
#ifdef DGFS_HAS_FUSE
  const auto options = words_of(text);
  for (const std::uint32_t user : {0U, 1000U}) {
    const auto made = fuse::mount_arguments(options, kImage, user);
    if (!made) {
      require_text(made.error());
      continue;
    }
    for (const auto& argument : made.value().arguments) require(argument.starts_with("-o"));
  }
#else
  (void)text;
#endif
}

void fuzz_mount_helper(std::string_view text) {
  const auto words = words_of(text);
  (void)tools::is_mount_helper("mount.dgfs", words);
  const auto made = tools::mount_helper_arguments(words, 0);
  if (!made) return require_text(made.error());
  require(!made.value().empty());
}

// The C library matches regular expressions, without bounds of time or memory.
bool has_regular_expression(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "-regex" || word == "-iregex") return true;
  }
  return false;
}

void fuzz_find(std::string_view text) {
  auto words = words_of(text);
  if (has_regular_expression(words)) return;
  words.insert(words.begin(), {"find", kImage});
  run(words);
}

void fuzz_rules(std::string_view text) {
  rules::PathRules rules;
  for (const auto line : rules::split_lines(text, '\n')) {
    rules.add_text(rules::RuleAction::kExclude, line);
  }
  require(rules.includes("", true));
  for (const auto* path : {"d", "d/two.c", "e/f/g/[x]", "\\*"}) {
    (void)rules.includes(path, false);
    (void)rules.includes(path, true);
  }
  put(world(), kText, text);
  run({"extract", kImage, "-n", "--json", "--include-from", kText, "/out"});
  run({"extract", kImage, "-n", "--from0", "--exclude-from", kText, "/out"});
}

void fuzz_paths(std::string_view text) {
  const rules::PathList list(words_of(text));
  for (const auto& path : list.paths()) {
    require(rules::clean_path(path) == path);
    require(list.includes(path) && list.includes(path + "/below"));
    require(list.includes(path.substr(0, path.find('/'))));
  }
  put(world(), kText, text);
  run({"extract", kImage, "-n", "--files-from", kText, "/out"});
  run({"extract", kImage, "-n", "--from0", "--files-from", kText, "/out"});
}

void fuzz_numbers(const std::string& text) {
  const auto number = tools::parse_number(text);
  if (number) require(tools::parse_size(std::to_string(number.value())).value() == number.value());
  (void)tools::parse_size(text);
  const auto mode = tools::parse_mode(text);
  if (mode) require(mode.value() <= 07777);
  (void)tools::parse_compression(text);
  (void)tools::parse_comparison(text);
  (void)tools::size_test(text);
  (void)tools::permission_test(text);
}

void fuzz_times(const std::string& text) {
  const Time now{1'700'000'000, 5};
  const auto date = tools::parse_date(text, now);
  if (date) require(date.value().nanoseconds < 1'000'000'000U);
  (void)tools::parse_utc_time(text);
  for (const auto unit : {tools::AgeUnit::kDays, tools::AgeUnit::kMinutes}) {
    (void)tools::age_test(text, &reader::Node::mtime, unit, now);
  }
  const auto style = tools::time_style(text);
  if (style) (void)tools::styled_time(now, now, *style);
}

void fuzz_formats(const std::string& text) {
  reader::Node node;
  node.mode = 0100644;
  tools::UserNames users;
  for (const bool escapes : {false, true}) {
    const auto format = tools::StatFormat::parse(text, escapes);
    if (format)
      (void)format.value().print(
          {.name = "name", .shown_name = "name", .node = node, .target = "target"}, users);
  }
}

void fuzz_values(std::string_view text) {
  const std::string value(text);
  fuzz_numbers(value);
  fuzz_times(value);
  fuzz_formats(value);
}

constexpr void (*kParsers[])(std::string_view) = {
    fuzz_mount_options, fuzz_mount_helper, fuzz_find, fuzz_rules, fuzz_paths, fuzz_values};

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs::test;
  FuzzInput input({data, size_bytes});
  const auto parser = input.take<std::uint8_t>();
  auto text = input.rest();
  text.resize(std::min(text.size(), kTextBytesMax));
  kParsers[parser % std::size(kParsers)](dgfs::as_text(text));
  return 0;
}
