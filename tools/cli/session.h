// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Session: shared by all commands: reports messages, ends a run, and parses options.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/tool_io.h"

namespace dgfs::tools {

/// One run of a command.
class Session {
 public:
  Session(const ToolIo& io, std::string command) : io_(io), command_(std::move(command)) {}

  [[nodiscard]] const ToolIo& io() const { return io_; }
  [[nodiscard]] storage::Env& env() const { return io_.env; }
  void print(std::string_view text) const {
    if (progress_ && io_.out_is_terminal) progress_->bar.rest();
    io_.out.write(text);
  }
  /// For commands that print a list from one thread while they find it: shows on the terminal how
  /// many entries were visited, whenever nothing was printed there for a second. Shows nothing if
  /// another program reads the list, because that may use the terminal itself.
  void show_progress(std::string label);
  /// Counts one more visited entry.
  void passed() const;
  /// The printed form of a name: on a terminal quoted as by ls, if the name could fool the terminal
  /// or a shell; otherwise unchanged. Lists whose lines end with a NUL print names unchanged.
  [[nodiscard]] std::string shown(std::string_view name) const;
  /// Whether to end early: after an interrupt, or when the output cannot be written any more.
  [[nodiscard]] bool should_stop() const { return io_.stop || io_.out.failure() != 0; }
  /// Exit code of a command that ends early because of should_stop().
  [[nodiscard]] int finish(int code) const { return io_.stop ? kExitInterrupted : code; }

  /// "dgfs: ls: TEXT" on the error output. Control characters are escaped. Thread-safe.
  void complain(std::string_view text) const;
  /// "dgfs: ls: PATH: REASON".
  void complain(std::string_view path, std::string_view reason) const;

  /// The same for an error. Damage at one place is reported only once, even if it has several
  /// effects. Not thread-safe.
  void complain_damage(std::string_view path, const Error& error) const;

  /// "dgfs: ls: cannot access 'PATH': REASON", as coreutils word it.
  void complain_access(std::string_view verb, std::string_view path, const Error& error) const;

  /// Reports the error and returns the exit code. `consequence` follows the message after "; ".
  [[nodiscard]] int fail(const Error& error, std::string_view consequence = {}) const;
  /// Prints "dgfs ls: TEXT" and where to find help; returns kExitUsage.
  [[nodiscard]] int fail_usage(std::string_view text) const;

  /// If one of the paths is "-", which other programs take for a stream, prints a message and
  /// returns the exit code of wrong usage.
  [[nodiscard]] std::optional<int> refuse_streams(std::span<const std::string> paths) const;

  /// Parses, and checks the number of operands. If `exit_code` is set, the command ends with it.
  struct Parsed {
    std::vector<std::string> operands;
    std::optional<int> exit_code;
  };
  [[nodiscard]] Parsed parse(OptionParser& options, const std::vector<std::string>& arguments,
                             std::size_t operands_min, std::size_t operands_max) const;

 private:
  struct Progress {
    ProgressBar bar;
    std::string label;
    std::uint64_t entries = 0;
  };

  const ToolIo& io_;
  std::string command_;
  std::unique_ptr<Progress> progress_;  ///< null: no progress is shown
  mutable std::set<std::string> told_damage_;
};

}  // namespace dgfs::tools
