// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// OriginalFile: what an open file knows to tell itself from a copy of it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "storage/file.h"

namespace dgfs::storage {

/// Tells a file from every copy of it. It stays the same as long as the file exists: after a crash
/// or a restart, under another name, in a snapshot of the disk. A value.
struct FileIdentity {
  std::uint64_t inode = 0;  ///< number of the file on its device
  Time birth;               ///< when the file was made; zero if the system has no such time
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// An interface of files besides File. Thread-safe.
class OriginalFile {
 public:
  virtual ~OriginalFile() = default;
  OriginalFile() = default;
  OriginalFile(const OriginalFile&) = delete;
  OriginalFile& operator=(const OriginalFile&) = delete;

  /// None if the file system may give the file another identity later, or does not tell. Never
  /// fails.
  [[nodiscard]] virtual std::optional<FileIdentity> identity() const = 0;
  /// Whether the file may have another opening, in any process; true if the system does not tell.
  /// Call it when nothing will be written any more. Never fails.
  [[nodiscard]] virtual bool may_be_open_elsewhere() = 0;
};

/// The same for a file that may not have the interface.
[[nodiscard]] inline std::optional<FileIdentity> identity_of(const File& file) {
  const auto* original = dynamic_cast<const OriginalFile*>(&file);
  return original == nullptr ? std::nullopt : original->identity();
}
[[nodiscard]] inline bool may_be_open_elsewhere(File& file) {
  auto* original = dynamic_cast<OriginalFile*>(&file);
  return original == nullptr || original->may_be_open_elsewhere();
}

}  // namespace dgfs::storage
