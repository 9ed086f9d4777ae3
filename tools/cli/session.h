// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Session: what all commands share: how they report, how they end, how they read their options.
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
  /// For commands that print a list as they find it, from one thread: shows on the terminal how
  /// many entries were gone through, where nothing was printed there for a second. Not where
  /// another program reads the list, which may have the terminal for itself.
  void show_progress(std::string label);
  /// One entry more was gone through.
  void passed() const;
  /// A name as it is to be printed: on a terminal as ls has it, in quotes where it could fool that
  /// or a shell; elsewhere as it is. What ends lines with NUL prints names as they are everywhere.
  [[nodiscard]] std::string shown(std::string_view name) const;
  /// Whether to end early: interrupted, or nobody reads the output any more.
  [[nodiscard]] bool should_stop() const { return io_.stop || io_.out.failure() != 0; }
  /// Exit code of a command that ends early where should_stop() says so.
  [[nodiscard]] int finish(int code) const { return io_.stop ? kExitInterrupted : code; }

  /// "dgfs: ls: TEXT" on the error output. Control characters are escaped. Thread-safe.
  void complain(std::string_view text) const;
  /// "dgfs: ls: PATH: REASON".
  void complain(std::string_view path, std::string_view reason) const;

  /// The same of an error; one that tells a damaged place is told once, whatever else it costs. For
  /// one thread.
  void complain_damage(std::string_view path, const Error& error) const;

  /// "dgfs: ls: cannot access 'PATH': REASON", as coreutils word it.
  void complain_access(std::string_view verb, std::string_view path, const Error& error) const;

  /// Reports and gives the exit code. `consequence` follows the message after "; ".
  [[nodiscard]] int fail(const Error& error, std::string_view consequence = {}) const;
  /// "dgfs ls: TEXT" and where to find help; exit code kExitUsage.
  [[nodiscard]] int fail_usage(std::string_view text) const;

  /// Where one of the paths is "-", which stands for a stream elsewhere and for none here: a
  /// message, and the exit code of wrong usage.
  [[nodiscard]] std::optional<int> refuse_streams(std::span<const std::string> paths) const;

  /// Parses, and checks the number of operands; where `exit_code` is set, that is all there was.
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
  std::unique_ptr<Progress> progress_;  ///< none where none is to be shown
  mutable std::set<std::string> told_damage_;
};

}  // namespace dgfs::tools
