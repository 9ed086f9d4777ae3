// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/session.h"

#include <fmt/format.h>

#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

// A path may have 64 KiB. Long messages keep their beginning, and the reason at their end.
constexpr std::size_t kMessageBytesMax = 6000;
constexpr std::size_t kEndBytes = 700;

// Reading the clock costs more than passing an entry.
constexpr std::uint64_t kEntriesBetweenUpdates = 64;

std::string shortened(std::string_view text) {
  if (text.size() <= kMessageBytesMax) return std::string(text);
  return fmt::format("{} ... {}", text.substr(0, kEndBytes), text.substr(text.size() - kEndBytes));
}

}  // namespace

void Session::show_progress(std::string label) {
  if (!io_.err_is_terminal || io_.out_is_pipe) return;
  progress_.reset(new Progress{{io_, false}, std::move(label)});
}

void Session::passed() const {
  if (!progress_ || ++progress_->entries % kEntriesBetweenUpdates != 0) return;
  progress_->bar.update(progress_->label, progress_->entries, 0);
}

std::string Session::shown(std::string_view name) const {
  return io_.out_is_terminal ? shell_quoted(name) : std::string(name);
}

void Session::complain(std::string_view text) const {
  if (progress_) progress_->bar.rest();
  io_.out.flush();  // so that a terminal gets both outputs in order
  io_.err.write(fmt::format("dgfs: {}: {}\n", command_, printable(shortened(text))));
}

void Session::complain(std::string_view path, std::string_view reason) const {
  complain(fmt::format("{}: {}", shell_quoted(path), reason));
}

void Session::complain_damage(std::string_view path, const Error& error) const {
  if (error.offset() && !told_damage_.insert(error.message()).second) return;
  complain(path, error.message());
}

void Session::complain_access(std::string_view verb, std::string_view path,
                              const Error& error) const {
  complain(
      fmt::format("cannot {} {}: {}", verb, shell_quoted(path, {.always = true}), error.message()));
}

int Session::fail(const Error& error, std::string_view consequence) const {
  const bool interrupted = error.kind() == ErrorKind::kInterrupted;
  const std::string text = interrupted ? "interrupted" : error.message();
  complain(consequence.empty() ? text : fmt::format("{}; {}", text, consequence));
  return interrupted ? kExitInterrupted : kExitFailed;
}

int Session::fail_usage(std::string_view text) const {
  io_.err.write(fmt::format("dgfs {}: {}\nTry 'dgfs {} --help' for more information.\n", command_,
                            printable(text), command_));
  return kExitUsage;
}

std::optional<int> Session::refuse_streams(std::span<const std::string> paths) const {
  for (const std::string& path : paths) {
    if (path != "-") continue;
    return fail_usage(
        "'-' cannot be a stream here; write './-' for a file or directory of that name");
  }
  return std::nullopt;
}

Session::Parsed Session::parse(OptionParser& options, const std::vector<std::string>& arguments,
                               std::size_t operands_min, std::size_t operands_max) const {
  Result<std::optional<std::vector<std::string>>> parsed = options.parse(arguments);
  if (!parsed) return {{}, fail_usage(parsed.error().text())};
  if (!parsed.value()) {
    if (io_.describe != nullptr) {
      (*io_.describe)(options.description());
    } else {
      print(options.help());
    }
    return {{}, kExitDone};
  }
  std::vector<std::string>& operands = *parsed.value();
  if (operands.size() < operands_min) {
    return {{},
            fail_usage(operands.empty() ? "missing operand"
                                        : "missing operand after '" + operands.back() + "'")};
  }
  if (operands.size() > operands_max) {
    return {{}, fail_usage("extra operand '" + operands[operands_max] + "'")};
  }
  return {std::move(operands), std::nullopt};
}

}  // namespace dgfs::tools
