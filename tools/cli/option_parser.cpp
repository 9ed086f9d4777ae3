// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/option_parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cassert>
#include <map>
#include <sstream>

#include "tools/cli/suggestion.h"
#include "tools/help/manual_page.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

constexpr std::size_t kColumnsMax = 80;
constexpr std::size_t kHelpColumn = 28;  // where the help text of an option begins

// Operands that do not fit beside the command have a line of their own.
std::string usage_text(const std::string& command, const std::string& operands) {
  const auto begin = fmt::format("Usage: {} [OPTION]...", command);
  const bool fits = begin.size() + 1 + operands.size() <= kColumnsMax;
  return begin + (fits ? " " : "\n    ") + operands;
}

/// Breaks lines between words, so that they have at most so many columns.
std::string wrapped(const std::string& text, std::size_t columns_max = kColumnsMax) {
  std::string out;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = column + 1 + word.size() <= columns_max;
    if (!out.empty()) out += fits ? ' ' : '\n';
    column = fits ? column + 1 + word.size() : word.size();
    out += word;
  }
  return out;
}

/// One paragraph per status, with the number before it.
std::string exit_status_lines(const Manual& manual) {
  constexpr std::size_t kIndent = 6;
  std::string out;
  for (const ExitStatus& status : exit_statuses(manual)) {
    std::string head = fmt::format("  {:<4}", status.code);
    std::istringstream lines(wrapped(status.meaning, kColumnsMax - kIndent));
    for (std::string line; std::getline(lines, line); head.assign(kIndent, ' ')) {
      out += head + line + "\n";
    }
  }
  return out;
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {
    column_width(kHelpColumn);
  }
  std::string make_usage(const CLI::App*, std::string) const override { return usage_ + "\n"; }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), kColumnsMax - kHelpColumn);
  }

 private:
  std::string usage_;
};

Error usage_error(std::uint16_t code, std::string text) {
  return Error(ErrorKind::kInvalidArgument, code, std::move(text));
}

}  // namespace

struct OptionParser::Impl {
  CLI::App app;
  CommandDescription described;  ///< without the options, which `app` knows
  std::map<std::string, std::vector<std::string>> choices;  ///< by CLI11's name of the option
  std::map<const CLI::Option*, Handler> handlers;
  std::map<std::string, std::string> assumed_values;  ///< by long option

  std::vector<std::string> prepared(const std::vector<std::string>& arguments) const;
  Result<std::vector<std::string>> operands() const;
  Status run_handlers() const;
  std::vector<std::string> long_names() const;
  OptionDescription describe(const CLI::Option& option) const;
};

OptionParser::OptionParser(Texts texts, const std::string& help_names)
    : impl_(std::make_unique<Impl>()) {
  impl_->described.command = texts.command;
  impl_->described.operands = texts.operands;
  impl_->described.summary = texts.summary;
  CLI::App& app = impl_->app;
  app.set_help_flag(help_names, "Print this help and exit");
  // CLI11 would split operands like "[a,b]"; as extras they stay unchanged.
  app.allow_extras();
  app.formatter(std::make_shared<HelpFormatter>(
      fmt::format("{}\n{}", usage_text(texts.command, texts.operands), wrapped(texts.summary))));
}

OptionParser::~OptionParser() = default;

void OptionParser::on_flag(const std::string& names, const std::string& help, Handler handler) {
  CLI::Option* option = impl_->app.add_flag_function(
      names, [](std::int64_t) {}, help);
  option->disable_flag_override();
  impl_->handlers[option] = [handler = std::move(handler)](const std::string&) {
    return handler("");
  };
}

void OptionParser::on_value(const std::string& names, const std::string& value_name,
                            const std::string& help, Handler handler) {
  CLI::Option* option = impl_->app.add_option(
      names, CLI::callback_t([](const CLI::results_t&) { return true; }), help);
  option->type_name(value_name)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  impl_->handlers[option] = std::move(handler);
}

void OptionParser::on_optional_value(const std::string& name, const std::string& value_name,
                                     const std::string& assumed, const std::string& help,
                                     Handler handler) {
  impl_->assumed_values[name] = assumed;
  on_value(name, "[=" + value_name + "]", help, std::move(handler));
}

void OptionParser::flag(const std::string& names, const std::string& help, bool& target) {
  on_flag(names, help, [&target](const std::string&) -> Status {
    target = true;
    return ok();
  });
}

void OptionParser::value(const std::string& names, const std::string& value_name,
                         const std::string& help, std::optional<std::string>& target) {
  on_value(names, value_name, help, [&target](const std::string& value) -> Status {
    target = value;
    return ok();
  });
}

void OptionParser::values(const std::string& names, const std::string& value_name,
                          const std::string& help, std::vector<std::string>& target) {
  on_value(names, value_name, help, [&target](const std::string& value) -> Status {
    target.push_back(value);
    return ok();
  });
}

OptionParser::Handler OptionParser::number_handler(std::function<bool(std::uint64_t)> assign) {
  return [assign = std::move(assign)](const std::string& value) -> Status {
    DGFS_TRY(number, parse_number(value));
    if (!assign(number)) return usage_error(6010, fmt::format("'{}' is too large", value));
    return ok();
  };
}

std::vector<std::string> OptionParser::Impl::prepared(
    const std::vector<std::string>& arguments) const {
  std::vector<std::string> out;
  bool options = true;
  for (const std::string& argument : arguments) {
    if (argument == "--") options = false;
    const auto assumed = assumed_values.find(argument);
    if (options && assumed != assumed_values.end()) {
      out.push_back(argument + "=" + assumed->second);
    } else if (options && argument.size() > 3 && argument.starts_with("--") &&
               argument.find('=') == argument.size() - 1) {
      // CLI11 would read "--name=" as an option without a value and take the next argument.
      out.push_back(argument.substr(0, argument.size() - 1));
      out.emplace_back();
    } else {
      out.push_back(argument);
    }
  }
  // CLI11 expects the last argument first.
  return {out.rbegin(), out.rend()};
}

Result<std::vector<std::string>> OptionParser::Impl::operands() const {
  std::vector<std::string> out;
  bool options = true;
  for (const std::string& extra : app.remaining()) {
    if (options && extra == "--") {
      options = false;
    } else if (options && extra.size() > 1 && extra[0] == '-') {
      const std::string name = extra.substr(0, extra.find('='));
      return usage_error(6011, fmt::format("{}: unknown option{}", printable(name),
                                           did_you_mean(name, long_names())));
    } else {
      out.push_back(extra);
    }
  }
  return out;
}

Status OptionParser::Impl::run_handlers() const {
  std::map<const CLI::Option*, std::size_t> seen;
  for (const CLI::Option* option : app.parse_order()) {
    const auto handler = handlers.find(option);
    if (handler == handlers.end()) continue;
    const std::size_t number = seen[option]++;
    const std::string value = number < option->count() ? option->results()[number] : "";
    const Status status = handler->second(value);
    if (!status) {
      const std::string text = fmt::format("{}: {}", option->get_name(), status.error().text());
      return usage_error(6012, text);
    }
  }
  return ok();
}

std::vector<std::string> OptionParser::Impl::long_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Result<std::optional<std::vector<std::string>>> OptionParser::parse(
    const std::vector<std::string>& arguments) {
  try {
    impl_->app.parse(impl_->prepared(arguments));
  } catch (const CLI::CallForHelp&) {
    return std::optional<std::vector<std::string>>();
  } catch (const CLI::Error& error) {
    return usage_error(6013, printable(error.what()));
  }
  DGFS_TRY(operands, impl_->operands());
  DGFS_CHECK(impl_->run_handlers());
  return std::optional(std::move(operands));
}

void OptionParser::choices(const std::string& name, std::vector<std::string> values) {
  const CLI::Option* option = impl_->app.get_option_no_throw(name);
  assert(option != nullptr);
  impl_->choices[option->get_name()] = std::move(values);
}

void OptionParser::words(std::vector<std::string> words) {
  impl_->described.words = std::move(words);
}

void OptionParser::section(HelpSection section) {
  impl_->described.sections.push_back(std::move(section));
}

void OptionParser::manual(Manual manual) { impl_->described.manual = std::move(manual); }

std::string OptionParser::help() const {
  std::string out = impl_->app.help();
  while (out.ends_with("\n\n")) out.pop_back();
  for (const HelpSection& section : impl_->described.sections) {
    out += "\n" + wrapped(section.title + ": " + section.intro) + "\n" + section.lines;
  }
  return out + "\nExit status:\n" + exit_status_lines(impl_->described.manual);
}

OptionDescription OptionParser::Impl::describe(const CLI::Option& option) const {
  OptionDescription out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  out.value_name = option.get_type_name();
  out.help = option.get_description();
  out.value_optional = assumed_values.contains(option.get_name());
  // Removes "[=" and "]", which on_optional_value() has added for the help.
  if (out.value_optional) out.value_name = out.value_name.substr(2, out.value_name.size() - 3);
  const auto known = choices.find(option.get_name());
  if (known != choices.end()) out.choices = known->second;
  return out;
}

CommandDescription OptionParser::description() const {
  CommandDescription out = impl_->described;
  for (const CLI::Option* option : impl_->app.get_options()) {
    out.options.push_back(impl_->describe(*option));
  }
  return out;
}

}  // namespace dgfs::tools
