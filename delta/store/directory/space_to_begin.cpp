// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/space_to_begin.h"

#include <algorithm>

#include "delta/store/log/superblock.h"
#include "delta/store/space_reserve.h"

namespace dgfs::delta {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

}  // namespace

std::uint64_t bytes_to_begin(const StoreOptions& wanted) {
  const auto options = divided_memory(wanted);
  const auto& parameters = options.parameters;
  const std::uint64_t table_bytes = options.table_bytes;
  const auto log_bytes = 2 * (kSuperblockBytes + parameters.segment_bytes);
  const auto waiting_bytes = kPatience * table_bytes + parameters.segment_bytes / kGroupShare;
  const auto allowances = std::min(kRemovingReserveBytes, table_bytes) * 5 / kInternalReserveShare;
  // A filter of all objects in the tables, the ends of blocks, and what the file system itself
  // needs.
  const auto small_bytes = table_bytes / 4 + kMib;
  return log_bytes + waiting_bytes + allowances + small_bytes + kMib;
}

}  // namespace dgfs::delta
