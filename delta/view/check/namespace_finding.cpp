// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/namespace_finding.h"

namespace dgfs::view {

const char* word_of(Rule rule) {
  switch (rule) {
    case Rule::kRecordsAreWhole:
      return "record";
    case Rule::kRecordsHaveAnObject:
      return "stray-record";
    case Rule::kNumbersAreReserved:
      return "number";
    case Rule::kNamesLeadToAnObject:
      return "dangling-name";
    case Rule::kNamesHaveTheType:
      return "type";
    case Rule::kNamesAreRecorded:
      return "unrecorded-name";
    case Rule::kRecordedNamesLeadBack:
      return "recorded-name";
    case Rule::kDirectoriesHaveOneName:
      return "directory-names";
    case Rule::kParentsAgree:
      return "parent";
    case Rule::kParentsEndAtTheRoot:
      return "circle";
    case Rule::kLinksAreCounted:
      return "link-count";
    case Rule::kChildrenAreCounted:
      return "child-count";
    case Rule::kObjectsHaveANameOrAreMarked:
      return "nameless";
    case Rule::kMarkedObjectsHaveNoName:
      return "orphan-mark";
    case Rule::kSymlinksHaveATarget:
      return "target";
    case Rule::kNamesTellWhatTheyHide:
      return "hidden-name";
    case Rule::kXattrsAreShown:
      return "xattrs";
  }
  return "unknown";
}

}  // namespace dgfs::view
