// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "base/result.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/view/object.h"
#include "delta/view/record/keys.h"

namespace dgfs::view {

/// The end of the numbers that a stack has reserved durably; 0: none. Errors: those of the stores;
/// kCorrupt (the record is damaged).
[[nodiscard]] inline Result<ObjectNumber> end_of_reserved(const delta::StackSnapshot& stores) {
  DGFS_TRY(message, stores.find(key_of(RecordClass::kReserved, 0)));
  if (message.kind != delta::MessageKind::kPut) return ObjectNumber{0};
  const auto reserved = message.value ? number_of_value(*message.value) : std::nullopt;
  if (!reserved) {
    return Error(ErrorKind::kCorrupt, 7370, "the record of reserved numbers is damaged")
        .in_section("delta");
  }
  return *reserved;
}

}  // namespace dgfs::view
