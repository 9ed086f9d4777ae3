// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Wires the dgfs program to its process: outputs, terminal, signals, the real operating system.
#include <sys/ioctl.h>
#include <termios.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "storage/posix/env.h"
#include "storage/posix/standard_streams.h"
#include "storage/posix/stream.h"
#include "tools/cli/mount_helper.h"
#include "tools/tool.h"
#include "tools/umount_helper.h"

namespace {

constexpr int kInDescriptor = 0;
constexpr int kOutDescriptor = 1;
constexpr int kErrDescriptor = 2;
constexpr std::size_t kOutBufferBytes = std::size_t{64} << 10;

std::atomic<bool> g_stop = false;  // a signal handler can reach only globals
std::atomic<int> g_signal = 0;     // which signal it was
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void set_stop(int signal) {
  g_signal = signal;
  g_stop = true;
}

/// The first signal asks the command to end; the command then undoes what it began. A second signal
/// of the same kind ends the process at once. Even then, no half-written file has the name of an
/// output, because outputs get their names when they are complete. But hidden names (".NAME.*.new",
/// ".old" or ".tmp") may stay if the second signal comes while outputs get their names (see
/// builder/publish/publisher.h) or, without O_TMPFILE, while extract, salvage or volume move write
/// a file; and a file that was being moved may have both names.
void catch_signals() {
  struct sigaction action {};
  action.sa_handler = set_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

bool is_terminal(int descriptor) {
  termios state{};
  return tcgetattr(descriptor, &state) == 0;
}

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

dgfs::tools::Output::Sink sink_to(std::FILE* stream) {
  return [stream](std::string_view text) {
    errno = 0;
    const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
    if (whole && std::fflush(stream) == 0) return 0;
    return errno != 0 ? errno : EIO;
  };
}

/// Ends the process by the signal that asked it to end, so that its parent sees that.
int end_by_signal() {
  const int signal = g_signal != 0 ? g_signal.load() : SIGINT;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  return dgfs::tools::kExitInterrupted;
}

}  // namespace

int main(int argc, char** argv) {
  dgfs::storage::occupy_standard_streams();
  // Programs inherit this. If a parent ignores its children, the system tells us no exit status of
  // ours: those of fusermount3(1) and of the process that starts the keeper of a mount.
  std::signal(SIGCHLD, SIG_DFL);
  // Names are UTF-8 everywhere; the patterns of the C library need this setting.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string program = argc > 0 ? argv[0] : "";
  const bool unmounts = dgfs::tools::is_umount_helper(program);
  const bool mounts = !unmounts && dgfs::tools::is_mount_helper(program, arguments);
  if (!mounts && !dgfs::tools::handles_signals(arguments)) catch_signals();
  const auto env = dgfs::storage::make_posix_env();
  const bool out_is_terminal = is_terminal(kOutDescriptor);
  const bool err_is_terminal = is_terminal(kErrDescriptor);
  dgfs::tools::Output out(sink_to(stdout), out_is_terminal ? 0 : kOutBufferBytes);
  dgfs::tools::Output err(sink_to(stderr), 0);
  const dgfs::tools::ToolIo io{
      .env = *env,
      .out = out,
      .err = err,
      .out_is_terminal = out_is_terminal,
      .err_is_terminal = err_is_terminal,
      .width_columns = terminal_columns(out_is_terminal ? kOutDescriptor : kErrDescriptor),
      .stop = g_stop,
      .read_stream = dgfs::storage::posix_read_stream,
      .out_is_pipe = dgfs::storage::posix_is_pipe(kOutDescriptor),
      .read_line = is_terminal(kInDescriptor)
                       ? [] { return dgfs::storage::posix_read_line(g_stop); }
                       : std::function<dgfs::Result<std::string>()>()};
  if (unmounts) return dgfs::tools::umount_helper_main(arguments, io);
  if (mounts) return dgfs::tools::mount_helper_main(arguments, io);
  const int code = dgfs::tools::tool_main(arguments, io);
  return code == dgfs::tools::kExitInterrupted ? end_by_signal() : code;
}
