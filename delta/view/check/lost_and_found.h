// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LostAndFound: the directory where objects get a name that have lost theirs.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "delta/view/check/repair_writer.h"

namespace dgfs::view {

/// For one thread. Errors of all: those of RepairWriter.
class LostAndFound {
 public:
  /// @param writer  must outlive it
  explicit LostAndFound(RepairWriter& writer) : writer_(writer) {}

  /// Gives an object without a name one. Returns its path, from "/" on. Errors: kNotFound (there is
  /// no such object), kNoSpace (no object number is left).
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
