// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LinkTable: makes each multiply linked object once, and its further names as links to the first.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "reader/extract/directory_stack.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Thread-safe. Memory: the first path of each object of which some names have been made and
/// others are still to come; of a whole tree, few at a time.
class LinkTable {
 public:
  /// Told the path at which an object was made once more, and why it is no link to the first.
  using Copied = std::function<void(const std::string& path, const Error& why)>;

  /// @param root  of the destination
  explicit LinkTable(DirectoryPointer root, Copied copied = {})
      : stack_(std::move(root)), copied_(std::move(copied)) {}

  /// Calls `make_object` if no name of `node` has been made yet, else links `path`, whose last
  /// component is `name` in `directory`, to the one that was. Waits while another thread makes the
  /// object. Where that fails, the next name takes its place: what bears the failed one, if
  /// anything, is not what the image holds. Where the file system allows no more names of the
  /// object, or none, it is made once more, and further names are links to that.
  [[nodiscard]] Status make(const Node& node, storage::Directory& directory,
                            const std::string& path, std::string_view name,
                            const std::function<Status()>& make_object);

  /// Objects of which names are still to come.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Record {
    std::string path;          ///< of the object, or empty while there is none
    bool in_making = false;    ///< by another thread
    std::uint64_t unseen = 0;  ///< names that make() has not finished with
    /// Set: it was made before, and this is why that takes no more names.
    std::optional<Error> refused;
  };
  /// Where the object is; nullopt if the caller has to make it, with why that is a further copy.
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
};

}  // namespace dgfs::reader
