// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The entry reader asks the source for what the scan keeps of an entry.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builder/options.h"
#include "builder/scan/pending_directories.h"
#include "builder/scan/tree_choice.h"
#include "storage/directory.h"

namespace dgfs::builder {

/// An entry of the source as it was met.
struct SourceEntry {
  std::string name;
  storage::FileStatus status;
  std::string target;            ///< of a symbolic link
  Buffer xattrs;                 ///< encoded set; that of a file with content is read later
  std::unique_ptr<Error> error;  ///< it cannot be packed
  bool is_output = false;        ///< the build will replace it; it has no details
};

/// Files that the build makes, where they lie in the tree.
struct OutputFiles {
  std::vector<FileIdentity> replaced;  ///< what is now in the places of outputs
  std::vector<FileIdentity> locks;     ///< nobody's contents
};

[[nodiscard]] FileIdentity identity_of(const storage::FileStatus& status);

/// Const and thread-safe. Directories are told by prefixes of path keys ("a 00 b 00").
class EntryReader {
 public:
  /// @param options  must outlive the reader
  /// @param outputs  none is packed, wherever it is met
  EntryReader(const BuildOptions& options, OutputFiles outputs)
      : options_(options), choice_(options), outputs_(std::move(outputs)) {}

  [[nodiscard]] const TreeChoice& choice() const { return choice_; }
  /// Whether the name is worth a look.
  [[nodiscard]] bool may_include(std::string_view prefix, std::string_view name) const;
  /// nullopt: it is not to be packed. What goes wrong is in its `error`.
  [[nodiscard]] std::optional<SourceEntry> read(const storage::Directory& directory,
                                                std::string_view prefix,
                                                std::string_view name) const;
  /// Target and attributes of `entry`, which has a name (empty: the directory itself) and a status.
  [[nodiscard]] Status read_details(const storage::Directory& directory, std::string_view prefix,
                                    SourceEntry& entry) const;

 private:
  const BuildOptions& options_;
  TreeChoice choice_;
  OutputFiles outputs_;
};

}  // namespace dgfs::builder
