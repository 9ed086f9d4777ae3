// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace dgfs::storage {
namespace {

// Runs `check` in a process that has closed the descriptors of a set of bits; returns its result.
template <class Check>
bool holds_without(unsigned closed, const Check& check) {
  const auto child = ::fork();
  if (child == 0) {
    for (int fd = 0; fd <= 2; ++fd) {
      if ((closed >> fd & 1) != 0) ::close(fd);
    }
    occupy_standard_streams();
    ::_exit(check() ? 0 : 1);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

bool passes_no_bytes(int fd) {
  char byte = 'x';
  const bool reads_none = ::read(fd, &byte, 1) < 0 && errno == EBADF;
  return ::write(fd, &byte, 1) < 0 && errno == EBADF && reads_none;
}

TEST(StandardStreams, NoFileGetsTheNumberOfAClosedOne) {
  for (unsigned closed = 0; closed < 8; ++closed) {
    EXPECT_TRUE(holds_without(closed, [] {
      return is_open(0) && is_open(1) && is_open(2) && ::open("/dev/null", O_RDONLY) > 2;
    })) << closed;
  }
}

TEST(StandardStreams, AnOccupiedOnePassesNoBytes) {
  for (int fd = 0; fd <= 2; ++fd) {
    EXPECT_TRUE(holds_without(1U << fd, [fd] { return passes_no_bytes(fd); })) << fd;
  }
}

TEST(StandardStreams, ProgramsThatAreStartedInheritAnOccupiedOne) {
  EXPECT_TRUE(holds_without(7, [] { return ::fcntl(2, F_GETFD) == 0; }));
}

// Otherwise every command would have one descriptor more.
TEST(StandardStreams, AnOpenOneStaysAsItIs) {
  EXPECT_TRUE(holds_without(0, [] { return (::fcntl(1, F_GETFL) & O_PATH) == 0; }));
  const auto next_free = [] { return ::open("/dev/null", O_RDONLY); };
  const int before = next_free();
  ::close(before);
  EXPECT_TRUE(holds_without(0, [&] { return next_free() == before; }));
}

}  // namespace
}  // namespace dgfs::storage
