// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectPaths: paths of objects for messages, from records that may be wrong.
#pragma once

#include <optional>
#include <string>

#include "delta/view/moment.h"

namespace dgfs::view {

/// For one thread. It remembers the directory of the last call. All paths begin with "/". Cost of
/// all calls: reads the names of each directory on the way, at most 1,000 directories.
class ObjectPaths {
 public:
  /// @param moment  must outlive it
  explicit ObjectPaths(const Moment& moment) : moment_(moment) {}

  /// The path of the first of its names that has one. nullopt: no name leads to it from the root,
  /// or the path cannot be read.
  [[nodiscard]] std::optional<std::string> path(ObjectNumber object);
  /// The path of a name, whether or not the name exists. nullopt: its directory has no path.
  [[nodiscard]] std::optional<std::string> path(const NamePlace& place);
  /// "directory 17 (/a/b)", or "directory 17".
  [[nodiscard]] std::string words_of(ObjectNumber directory);

 private:
  [[nodiscard]] std::optional<std::string> directory_path(ObjectNumber directory);
  [[nodiscard]] std::optional<std::string> climb(ObjectNumber directory) const;
  [[nodiscard]] std::vector<NamePlace> names(ObjectNumber object) const;

  const Moment& moment_;
  ObjectNumber last_ = kRoot;
  std::optional<std::string> last_path_ = "";
};

}  // namespace dgfs::view
