// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Finding: one place where the records of a tree break a rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "delta/view/record/keys.h"

namespace dgfs::view {

/// Rules that the records of a sound tree keep.
enum class Rule : std::uint8_t {
  kRecordsAreWhole,              ///< each record can be decoded
  kRecordsHaveAnObject,          ///< an object of their type
  kNumbersAreReserved,           ///< no object is at or above the reserved end
  kNamesLeadToAnObject,          ///< that has not ended
  kNamesHaveTheType,             ///< the type of their object
  kNamesAreRecorded,             ///< each name from a store has the object's record of it
  kRecordedNamesLeadBack,        ///< their object is that of the name
  kDirectoriesHaveOneName,       ///< and the root has none
  kParentsAgree,                 ///< with the directory of a directory's name
  kParentsEndAtTheRoot,          ///< no directory is below itself
  kLinksAreCounted,              ///< number of names; directories: 2 + subdirectories
  kChildrenAreCounted,           ///< in directories
  kObjectsHaveANameOrAreMarked,  ///< else they have the mark of an orphan
  kMarkedObjectsHaveNoName,
  kSymlinksHaveATarget,
  kNamesTellWhatTheyHide,  ///< else a lower layer's name reappears after a removal
  kXattrsAreShown,         ///< the flag says that there may be some
};

/// A word for a rule, for use by programs.
[[nodiscard]] const char* word_of(Rule rule);

/// A value.
struct Finding {
  Rule rule = Rule::kRecordsAreWhole;
  RecordClass record = RecordClass::kAttributes;  ///< that breaks the rule
  ObjectNumber object = 0;          ///< of the record; for a name, its object if known
  std::optional<NamePlace> place;   ///< if a name breaks the rule
  std::optional<std::string> path;  ///< of the place, else of the object; from "/" on, if known
  std::string text;                 ///< description, with numbers and names; may hold any bytes
};

}  // namespace dgfs::view
