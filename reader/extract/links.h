// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LinkTable: makes each multiply linked object once, and its further names as hard links to the
// first.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "reader/extract/directory_stack.h"
#include "reader/extract/options.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Thread-safe. Memory: one path for each object that has some names made and others still to come.
/// While a whole tree is extracted, these are few at a time.
class LinkTable {
 public:
  /// Gets the path at which an object was made once more, and the error of the hard link.
  using Copied = std::function<void(const std::string& path, const Error& why)>;

  /// @param root  destination directory
  explicit LinkTable(DirectoryPointer root, Copied copied = {},
                     ExistingNames existing = ExistingNames::kFail)
      : stack_(std::move(root)), copied_(std::move(copied)), existing_(existing) {}

  /// Calls `make_object` if no name of `node` has been made yet. Else makes `path` a hard link to
  /// the made name; `name` in `directory` is the last component of `path`. Waits while another
  /// thread makes the object. If that fails, the next name makes the object, because a file at the
  /// failed path is not this object. If the file system allows no (more) hard links to the object,
  /// makes the object once more, and links further names to the copy.
  [[nodiscard]] Status make(const Node& node, storage::Directory& directory,
                            const std::string& path, std::string_view name,
                            const std::function<Status()>& make_object);

  /// Number of objects with names still to come.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Record {
    std::string path;          ///< of the object; empty if it is not made yet
    bool in_making = false;    ///< by another thread
    std::uint64_t unseen = 0;  ///< names for which make() has not finished
    /// Set if the object was made before and takes no more hard links: the error of the last
    /// attempt.
    std::optional<Error> refused;
  };
  /// Path of the object. nullopt: the caller must make it; `refused` is set if that is a further
  /// copy.
  [[nodiscard]] std::optional<std::string> claim(const Node& node, std::optional<Error>& refused);
  void retire(InodeNumber inode, const std::string& full, const Error& why);
  [[nodiscard]] Status make_anew(const Node& node, const std::string& path,
                                 const std::function<Status()>& make_object);
  void settle(InodeNumber inode, std::string* made_at) noexcept;
  [[nodiscard]] Status link(const std::string& existing, storage::Directory& directory,
                            std::string_view name);

  mutable std::mutex mutex_;  // guards the records
  std::condition_variable settled_;
  std::unordered_map<InodeNumber, Record> records_;
  std::mutex stack_mutex_;  // guards the stack
  DirectoryStack stack_;
  Copied copied_;
  ExistingNames existing_;
};

}  // namespace dgfs::reader
