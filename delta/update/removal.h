// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Removal: removes what the source lacks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/update/changes.h"
#include "delta/update/former_tree.h"
#include "delta/update/source_tree.h"

namespace dgfs::update {

/// For one thread. Memory: a name for each level of the removed tree.
class Removal {
 public:
  /// All must outlive it.
  Removal(FormerTree& former, Changes& changes, SourceTree& source)
      : former_(former), changes_(changes), source_(source) {}

  /// Removes a name, and what is below it. What the update does not choose stays, as do directories
  /// that hold such. Returns whether the name is gone. Errors: those of the delta; kInterrupted.
  /// @param path  of the name, below the source
  [[nodiscard]] Result<bool> remove(view::ObjectNumber directory, std::string_view name,
                                    view::ObjectNumber object, std::uint32_t type,
                                    const std::string& path);
  /// Whether a name stays, whatever the source has, because it is not chosen, or was not read.
  [[nodiscard]] bool stays(const std::string& path, bool is_directory) const {
    return source_.is_lost(path) || !source_.includes(path, is_directory);
  }
  [[nodiscard]] std::uint64_t removed() const { return removed_; }

 private:
  struct Level {
    view::ObjectNumber directory;
    std::string name;        ///< in the level above
    std::string last;        ///< name that was seen last
    std::size_t path_bytes;  ///< of its path
    bool is_kept = false;    ///< something in it stays
  };
  [[nodiscard]] Status remove_names(std::vector<Level>& levels, std::string& path);

  FormerTree& former_;
  Changes& changes_;
  SourceTree& source_;
  std::uint64_t removed_ = 0;
};

}  // namespace dgfs::update
