// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/namespace_repair.h"

#include <vector>

#include "delta/view/check/mender.h"
#include "delta/view/check/namespace_check.h"

namespace dgfs::view {
namespace {

constexpr int kPassesMax = 1000;

// Findings of a later turn may vanish once those of earlier turns are repaired.
int turn_of(Rule rule) {
  switch (rule) {
    case Rule::kRecordsAreWhole:
    case Rule::kNamesLeadToAnObject:
    case Rule::kNumbersAreReserved:
      return 0;
    case Rule::kNamesHaveTheType:
    case Rule::kNamesAreRecorded:
    case Rule::kRecordedNamesLeadBack:
    case Rule::kDirectoriesHaveOneName:
    case Rule::kParentsAgree:
    case Rule::kMarkedObjectsHaveNoName:
    case Rule::kSymlinksHaveATarget:
    case Rule::kNamesTellWhatTheyHide:
    case Rule::kXattrsAreShown:
      return 1;
    case Rule::kParentsEndAtTheRoot:
    case Rule::kObjectsHaveANameOrAreMarked:
      return 2;
    case Rule::kRecordsHaveAnObject:
      return 3;
    case Rule::kLinksAreCounted:
    case Rule::kChildrenAreCounted:
      return 4;
  }
  return 4;
}

// The findings of the first turn that has any; the next pass finds those beyond `count_max`.
Result<std::vector<Finding>> first_findings(const GenerationRef& layers, std::size_t count_max) {
  std::vector<Finding> first;
  DGFS_CHECK(check_namespace(layers, [&](const Finding& finding) {
    const int turn = turn_of(finding.rule);
    if (!first.empty() && turn > turn_of(first.front().rule)) return;
    if (!first.empty() && turn < turn_of(first.front().rule)) first.clear();
    if (first.size() < count_max) first.push_back(finding);
  }));
  return first;
}

}  // namespace

Result<std::uint64_t> repair_namespace(const GenerationRef& layers, const Time& now,
                                       const Mended& mended, std::size_t findings_max) {
  Mender mender(layers, now);
  std::uint64_t count = 0;
  for (int pass = 0; pass < kPassesMax; ++pass) {
    DGFS_TRY(findings, first_findings(layers, findings_max));
    if (findings.empty()) return count;
    for (const Finding& finding : findings) {
      DGFS_TRY(action, mender.mend(finding));
      mended(finding, action);
      ++count;
    }
  }
  return Error(ErrorKind::kCorrupt, 7400, "the records still break rules after repeated mending")
      .in_section("delta");
}

}  // namespace dgfs::view
