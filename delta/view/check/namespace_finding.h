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
  kRecordsAreWhole,              ///< each record of a class can be read as one
  kRecordsHaveAnObject,          ///< of their type
  kNumbersAreReserved,           ///< no object is at or above the reserved end
  kNamesLeadToAnObject,          ///< that has not ended
  kNamesHaveTheType,             ///< that their object has
  kNamesAreRecorded,             ///< a name that a store gives an object has its record
  kRecordedNamesLeadBack,        ///< to the object that has the record
  kDirectoriesHaveOneName,       ///< the root has none
  kParentsAgree,                 ///< with the name of a directory
  kParentsEndAtTheRoot,          ///< no directory is below itself
  kLinksAreCounted,              ///< as many as names; directories: 2 + subdirectories
  kChildrenAreCounted,           ///< of directories
  kObjectsHaveANameOrAreMarked,  ///< with a record that they wait for their end
  kMarkedObjectsHaveNoName,
  kSymlinksHaveATarget,
  kNamesTellWhatTheyHide,  ///< else a lower layer's name is back once they are removed
  kXattrsAreShown,         ///< attributes of an object tell that there may be some
};

/// A word for a rule, for programs.
[[nodiscard]] const char* word_of(Rule rule);

/// A value.
struct Finding {
  Rule rule = Rule::kRecordsAreWhole;
  RecordClass record = RecordClass::kAttributes;  ///< that breaks it
  ObjectNumber object = 0;  ///< that the record says something of; of a name, its object if known
  std::optional<NamePlace> place;   ///< where a name breaks it
  std::optional<std::string> path;  ///< of the place, else of the object; from "/" on, if known
  std::string text;                 ///< in plain words, with numbers and names; may hold any bytes
};

}  // namespace dgfs::view
