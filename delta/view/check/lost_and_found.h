// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LostAndFound: the directory in which objects that have lost their names get a new one.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "delta/view/check/repair_writer.h"

namespace dgfs::view {

/// For one thread. Errors of all calls: those of RepairWriter.
class LostAndFound {
 public:
  /// @param writer  must outlive it
  explicit LostAndFound(RepairWriter& writer) : writer_(writer) {}

  /// Gives a name to an object that has none. Returns its path, from "/" on. Errors: kNotFound
  /// (there is no such object), kNoSpace (no object number is left).
  [[nodiscard]] Result<std::string> add(ObjectNumber object);

 private:
  struct Place {
    ObjectNumber directory = 0;
    std::string name;  ///< of the directory, in the root
  };

  [[nodiscard]] Result<Place> find_or_make();
  [[nodiscard]] Result<ObjectNumber> make(const std::string& name);
  [[nodiscard]] Result<std::string> free_name(ObjectNumber directory, ObjectNumber object) const;

  RepairWriter& writer_;
};

}  // namespace dgfs::view
