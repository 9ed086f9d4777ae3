// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// OptionParser: command-line options over CLI11, with the habits of getopt: options and operands
// come in any order, "--" ends the options, and later options override earlier ones, because
// handlers run in the order of the command line. Operands keep their bytes unchanged.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/help/command_description.h"

namespace dgfs::tools {

class OptionParser {
 public:
  /// Called with the option's value, or "" for a flag.
  using Handler = std::function<Status(const std::string& value)>;

  struct Texts {
    std::string command;   ///< "dgfs ls"
    std::string operands;  ///< "IMAGE [PATH]..."
    std::string summary;   ///< one sentence
  };
  /// @param help_names  "-h,--help", except where -h has another meaning
  explicit OptionParser(Texts texts, const std::string& help_names = "-h,--help");
  ~OptionParser();
  OptionParser(const OptionParser&) = delete;
  OptionParser& operator=(const OptionParser&) = delete;

  /// @param names  as CLI11 takes them: "-l", "-x,--one-file-system"
  void on_flag(const std::string& names, const std::string& help, Handler handler);
  void on_value(const std::string& names, const std::string& value_name, const std::string& help,
                Handler handler);
  /// A long option with an optional value: --color[=WHEN]. Without a value it gets `assumed`.
  void on_optional_value(const std::string& name, const std::string& value_name,
                         const std::string& assumed, const std::string& help, Handler handler);

  // The same for the usual kinds of target; targets must outlive parse().
  void flag(const std::string& names, const std::string& help, bool& target);
  void value(const std::string& names, const std::string& value_name, const std::string& help,
             std::optional<std::string>& target);
  void values(const std::string& names, const std::string& value_name, const std::string& help,
              std::vector<std::string>& target);
  template <class Number>
  void number(const std::string& names, const std::string& value_name, const std::string& help,
              Number& target) {
    on_value(names, value_name, help, number_handler([&target](std::uint64_t value) {
               target = static_cast<Number>(value);
               return static_cast<std::uint64_t>(static_cast<Number>(value)) == value;
             }));
  }
  template <class Number>
  void number(const std::string& names, const std::string& value_name, const std::string& help,
              std::optional<Number>& target) {
    on_value(names, value_name, help, number_handler([&target](std::uint64_t value) {
               target = static_cast<Number>(value);
               return static_cast<std::uint64_t>(*target) == value;
             }));
  }

  /// Values that completion offers for an option that was added; the handler still checks them.
  /// @param name  one of its names: "--color"
  void choices(const std::string& name, std::vector<std::string> values);
  /// Words that may stand in place of operands and begin like options, for completion.
  void words(std::vector<std::string> words);
  /// Sections are printed after the options, in the order of the calls.
  void section(HelpSection section);
  void manual(Manual manual);

  /// Runs the handlers and returns the operands; nullopt if help was asked for. Call it once.
  /// Errors: kInvalidArgument, with a text fit for "dgfs ls: TEXT".
  [[nodiscard]] Result<std::optional<std::vector<std::string>>> parse(
      const std::vector<std::string>& arguments);
  [[nodiscard]] std::string help() const;
  [[nodiscard]] CommandDescription description() const;

 private:
  struct Impl;
  static Handler number_handler(std::function<bool(std::uint64_t)> assign);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dgfs::tools
