// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/companion.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "storage/posix/os_error.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {
namespace {

constexpr int kConnection = 3;  // the only descriptor of a companion besides its standard streams

// The number of a field of /proc/self/stat that stands behind the name, which may have blanks.
std::uint64_t stat_field(std::string_view stat, unsigned field) {
  constexpr unsigned kFieldsUpToName = 2;
  stat.remove_prefix(std::min(stat.rfind(')') + 2, stat.size()));
  for (unsigned i = kFieldsUpToName + 1; i < field; ++i) {
    stat.remove_prefix(std::min(stat.find(' ') + 1, stat.size()));
  }
  std::uint64_t number = 0;
  std::from_chars(stat.data(), stat.data() + stat.size(), number);
  return number;
}

// Writes over the arguments in the memory of this process, which is how the system knows them.
void set_title(const std::string& title) {
  constexpr unsigned kArgumentsBegin = 48;  // see proc_pid_stat(5)
  constexpr unsigned kArgumentsEnd = 49;
  constexpr std::uint64_t kArgumentBytesMax = std::uint64_t{8} << 20;
  ::prctl(PR_SET_NAME, title.c_str());
  const UniqueFd fd(::open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
  std::array<char, 2048> text{};
  const auto count = fd ? ::read(fd.get(), text.data(), text.size()) : 0;
  if (count <= 0) return;
  const std::string_view stat(text.data(), static_cast<std::size_t>(count));
  const auto begin = stat_field(stat, kArgumentsBegin);
  const auto end = stat_field(stat, kArgumentsEnd);
  if (begin == 0 || end <= begin || end - begin > kArgumentBytesMax) return;
  const auto size = static_cast<std::size_t>(end - begin);
  auto* const arguments = reinterpret_cast<char*>(begin);
  std::memset(arguments, 0, size);
  std::memcpy(arguments, title.data(), std::min(title.size(), size - 1));
}

void close_from(unsigned first) {
  if (::close_range(first, ~0U, 0) == 0) return;
  const auto limit = ::sysconf(_SC_OPEN_MAX);  // a kernel before 5.9
  for (long fd = first; fd < limit; ++fd) ::close(static_cast<int>(fd));
}

// Returns whether the process has become a companion.
bool settle(int connection, const std::string& title) {
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGPIPE}) {
    std::signal(signal, SIG_IGN);
  }
  std::signal(SIGCHLD, SIG_DFL);
  set_title(title);
  if (::chdir("/") != 0 || ::dup2(connection, kConnection) < 0) return false;
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < kConnection; ++fd) {
    if (null >= 0) {
      ::dup2(null, fd);
    } else {
      ::close(fd);
    }
  }
  close_from(kConnection + 1);
  return ::fcntl(kConnection, F_SETFD, FD_CLOEXEC) == 0;
}

[[noreturn]] void be_companion(int connection, const std::string& title,
                               const std::function<void(const LocalConnection&)>& work) {
  try {
    if (settle(connection, title)) {
      work(LocalConnection(UniqueFd(kConnection), std::chrono::seconds(0)));
    }
  } catch (const std::exception&) {
    // Nobody is left to report it to.
  }
  ::_exit(0);
}

}  // namespace

Result<LocalConnection> start_companion(const std::string& title, std::chrono::seconds patience,
                                        const std::function<void(const LocalConnection&)>& work) {
  int ends[2] = {-1, -1};
  // With packets, each line comes alone.
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return os_error(1260, errno, "make", "a pair of sockets");
  }
  UniqueFd own(ends[0]);
  const UniqueFd other(ends[1]);
  const auto between = ::fork();
  if (between < 0) return os_error(1261, errno, "start", "a process");
  if (between == 0) {
    // The companion belongs to init once this process has ended.
    ::setsid();
    const auto companion = ::fork();
    if (companion == 0) be_companion(other.get(), title, work);
    ::_exit(companion < 0 ? errno : 0);
  }
  int status = 0;
  if (retry_interrupted([&] { return ::waitpid(between, &status, 0); }) < 0 || !WIFEXITED(status)) {
    return os_error(1262, ECHILD, "start", "a process");
  }
  if (WEXITSTATUS(status) != 0) return os_error(1263, WEXITSTATUS(status), "start", "a process");
  return LocalConnection(std::move(own), patience);
}

}  // namespace dgfs::storage
