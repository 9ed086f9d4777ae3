// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectPaths: paths of objects for messages, out of records that may be wrong.
#pragma once

#include <optional>
#include <string>

#include "delta/view/moment.h"

namespace dgfs::view {

/// For one thread. It remembers the directory that was asked for last. All paths begin with "/".
/// Cost of all: a look at the names of each directory on the way, 1,000 of them at most.
class ObjectPaths {
 public:
  /// @param moment  must outlive it
  explicit ObjectPaths(const Moment& moment) : moment_(moment) {}

  /// By the first of its names that has one. nullopt: no name leads to it from the root, or that
  /// cannot be told.
  [[nodiscard]] std::optional<std::string> path(ObjectNumber object);
  /// Of a name, whether or not it is there. nullopt: its directory has none.
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
