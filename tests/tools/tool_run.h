// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One run of tool_main with captured outputs.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace dgfs::test {

struct ToolRunOptions {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t width_columns = 80;
  int out_errno = 0;  ///< errno of writing to the output
  /// What a user types; none: the standard input is no terminal.
  std::optional<std::string> answer = std::nullopt;
};

class ToolRun {
 public:
  explicit ToolRun(storage::Env& env, ToolRunOptions options = {})
      : out_(
            [this, options](std::string_view text) {
              if (options.out_errno == 0) out_text_ += text;
              return options.out_errno;
            },
            0),
        err_(
            [this](std::string_view text) {
              err_text_ += text;
              return 0;
            },
            0),
        io_{env,
            out_,
            err_,
            options.out_is_terminal,
            options.err_is_terminal,
            options.width_columns,
            stop} {
    if (options.answer) {
      io_.read_line = [answer = *options.answer]() -> Result<std::string> { return answer; };
    }
  }

  int run(const std::vector<std::string>& arguments) { return tools::tool_main(arguments, io_); }
  [[nodiscard]] const tools::ToolIo& io() const { return io_; }
  [[nodiscard]] const std::string& out() const { return out_text_; }
  [[nodiscard]] const std::string& err() const { return err_text_; }

  std::atomic<bool> stop = false;

 private:
  std::string out_text_;
  std::string err_text_;
  tools::Output out_;
  tools::Output err_;
  tools::ToolIo io_;
};

}  // namespace dgfs::test
