// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The entry reader reads from the source the data of an entry that the scan keeps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builder/options.h"
#include "builder/scan/pending_directories.h"
#include "builder/scan/tree_choice.h"
#include "builder/scan/xattr_reader.h"
#include "storage/directory.h"

namespace dgfs::builder {

/// An entry of the source.
struct SourceEntry {
  std::string name;
  storage::FileStatus status;
  std::string target;              ///< of a symbolic link
  Buffer xattrs;                   ///< encoded set; for a file with content it is read later
  std::vector<Error> lost_xattrs;  ///< only with keep_going
  /// Of a multiply linked object: equal for all its names, and for no others (ObjectKeys).
  std::uint64_t object_key = 0;
  std::unique_ptr<Error> error;  ///< set if the entry cannot be packed
  bool is_output = false;        ///< the build will replace it; target and xattrs are not read
};

/// Files of this build that may lie in the tree.
struct OutputFiles {
  std::vector<FileIdentity> replaced;  ///< old files at the paths of outputs
  std::vector<FileIdentity> locks;     ///< lock files
};

[[nodiscard]] FileIdentity identity_of(const storage::FileStatus& status);

/// Keys by which names of one object are found, for the entries of one directory. A key is the
/// inode number, or, where numbers may pass from one object to another while the tree is scanned, a
/// hash of the number and of the attributes that all names of an object have in common. A link of a
/// file that changes meanwhile is not found there; its names are packed as files of their own.
class ObjectKeys {
 public:
  /// @param directory  must outlive this
  explicit ObjectKeys(const storage::Directory& directory) : directory_(directory) {}
  [[nodiscard]] std::uint64_t key_of(const storage::FileStatus& status);

 private:
  const storage::Directory& directory_;
  std::optional<bool> keeps_numbers_;  ///< asked once, for the first multiply linked entry
};

/// Whether several names may lead to this object.
[[nodiscard]] bool is_multiply_linked(const storage::FileStatus& status);

/// Const and thread-safe. A prefix of path keys ("a 00 b 00") names a directory.
class EntryReader {
 public:
  /// @param options  must outlive the reader
  /// @param outputs  never packed, under any name
  EntryReader(const BuildOptions& options, OutputFiles outputs)
      : options_(options), choice_(options), outputs_(std::move(outputs)) {}

  [[nodiscard]] const TreeChoice& choice() const { return choice_; }
  [[nodiscard]] OnUnreadable on_unreadable() const {
    return options_.keep_going ? OnUnreadable::kLeaveOut : OnUnreadable::kFail;
  }
  /// Whether an entry of this name may be packed, before its type is known.
  [[nodiscard]] bool may_include(std::string_view prefix, std::string_view name) const;
  /// Reads an entry. nullopt: it is not chosen. A failure is in its `error`.
  /// @param keys  of `directory`
  [[nodiscard]] std::optional<SourceEntry> read(const storage::Directory& directory,
                                                std::string_view prefix, std::string_view name,
                                                ObjectKeys& keys) const;
  /// Reads target and xattrs of `entry`, which must have a name (empty: the directory itself) and a
  /// status.
  [[nodiscard]] Status read_details(const storage::Directory& directory, std::string_view prefix,
                                    SourceEntry& entry) const;

 private:
  const BuildOptions& options_;
  TreeChoice choice_;
  OutputFiles outputs_;
};

}  // namespace dgfs::builder
