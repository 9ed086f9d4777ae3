// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// NewFile: a regular file of a tree being written that has no name until it is complete. Its
// content and attributes are set first; then it gets its name. So any process that finds it finds
// it whole.
#pragma once

#include <optional>
#include <string_view>

#include "storage/file.h"

namespace dgfs::storage {

/// Made by Directory::create_unnamed(); must not outlive that Directory. If it is destroyed without
/// a name, or the process is killed, the file is gone. Where the file system has no unnamed files,
/// it has a hidden name (".new.XXXXXX.tmp") until then, and a kill leaves it behind. Nothing is
/// synced: a power cut may leave a name without its content. For one thread.
class NewFile {
 public:
  virtual ~NewFile() = default;
  NewFile() = default;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Valid as long as this object lives.
  [[nodiscard]] virtual File& content() = 0;

  /// @{
  /// As in Directory.
  [[nodiscard]] virtual Status set_owner(std::uint32_t uid, std::uint32_t gid) = 0;
  [[nodiscard]] virtual Status set_mode(std::uint32_t mode) = 0;
  [[nodiscard]] virtual Status set_times(std::optional<Time> access_time, Time modify_time) = 0;
  [[nodiscard]] virtual Status set_xattr(std::string_view key, Bytes value) = 0;
  [[nodiscard]] virtual Status remove_xattr(std::string_view key) = 0;
  /// @}

  /// Gives the file its name in its directory, once. Replaces no file: kExists.
  [[nodiscard]] virtual Status link() = 0;
};

}  // namespace dgfs::storage
