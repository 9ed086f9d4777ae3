// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/lock_holders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>

namespace dgfs::storage {
namespace {

namespace fs = std::filesystem;

// Calls `see` for each entry until it returns false. Skips a folder that cannot be listed: its
// process may have ended.
void each_entry(const fs::path& folder, const std::function<bool(const fs::path&)>& see) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!see(entry->path())) return;
  }
}

// Asks no server of a network or FUSE file system: it may be stopped, or be the caller, which then
// could not even be killed.
bool is_file(const fs::path& path, const FileStatus& file) {
  struct statx found {};
  return ::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_INO, &found) == 0 &&
         makedev(found.stx_dev_major, found.stx_dev_minor) == file.device &&
         found.stx_ino == file.inode;
}

// "lock:   1: FLOCK  ADVISORY  WRITE 359 00:13:11691 0 EOF". The lock is that of the opening,
// whichever process took it.
bool has_flock(const fs::path& about_opening) {
  std::ifstream lines(about_opening);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("lock:") && line.find(" FLOCK ") != std::string::npos) return true;
  }
  return false;
}

bool holds_lock(const fs::path& process, const FileStatus& file) {
  bool holds = false;
  each_entry(process / "fd", [&](const fs::path& opening) {
    holds = is_file(opening, file) && has_flock(process / "fdinfo" / opening.filename());
    return !holds;
  });
  return holds;
}

// A process chooses its name, so bytes that a terminal might obey are replaced.
std::string command_of(const fs::path& process) {
  std::ifstream comm(process / "comm");
  std::string command;
  std::getline(comm, command);
  std::ranges::replace_if(
      command, [](char each) { return each < ' ' || each > '~'; }, '?');
  return command;
}

std::uint64_t process_number(const std::string& name) {
  std::uint64_t number = 0;
  const auto end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? number : 0;
}

}  // namespace

std::vector<LockHolder> flock_holders(const FileStatus& file) {
  std::vector<LockHolder> holders;
  each_entry("/proc", [&](const fs::path& process) {
    const auto number = process_number(process.filename());
    if (number == 0 || !holds_lock(process, file)) return true;
    holders.push_back({number, command_of(process)});
    return true;
  });
  return holders;
}

}  // namespace dgfs::storage
