// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Hidden names: names of files that are not complete yet but need a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {

/// A hidden name in an open directory. Its destructor removes the file unless keep() was called.
class HiddenName {
 public:
  /// @param directory_fd  must stay open as long as this object lives
  HiddenName(int directory_fd, std::string name)
      : directory_fd_(directory_fd), name_(std::move(name)) {}
  HiddenName(HiddenName&& other) noexcept
      : directory_fd_(std::exchange(other.directory_fd_, -1)), name_(std::move(other.name_)) {}
  HiddenName& operator=(HiddenName&&) = delete;
  ~HiddenName();
  [[nodiscard]] const char* c_str() const noexcept { return name_.c_str(); }
  void keep() noexcept { directory_fd_ = -1; }

 private:
  int directory_fd_;
  std::string name_;
};

/// Creates a file under a hidden name made from `name`. `path` is for the message.
[[nodiscard]] Result<std::pair<HiddenName, UniqueFd>> create_hidden(int directory_fd,
                                                                    std::string_view name,
                                                                    unsigned mode,
                                                                    const std::string& path);

/// Gives the unnamed file `fd` a hidden name. Returns nullopt if the file or file system cannot be
/// linked.
[[nodiscard]] std::optional<HiddenName> link_hidden(int fd, int directory_fd,
                                                    std::string_view name);

/// linkat(2) of an open file without a name. Returns 0, or -1 and sets errno.
[[nodiscard]] int link_open_file(int fd, int directory_fd, const char* name);

/// Whether this errno of open(2) with O_TMPFILE means that the file system has no unnamed files.
[[nodiscard]] bool is_without_unnamed_files(int os_errno);

}  // namespace dgfs::storage
