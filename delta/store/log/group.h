// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A group of the log: whole batches that one sync makes durable, all or nothing. It is a run, so a
// later change of a key replaces or extends an earlier one of the same group. (MDSFS keeps one copy
// of a record in its buffer.) One header serves the whole group.
//
//   0   8  magic "DGFSLOG1"
//   8   8  checksum of all that follows, to the end of the run
//   16  16 UUID of the store
//   32  8  generation: how often the log has changed to the other segment
//   40  8  number of the group, rising by one through all segments
//   48  8  sequence number of its last batch
//   56  8  checksum of the group before, 0 for the first: detects a lost or replaced group
//   64  8  length of the run in bytes
//   72     the run, then zeros to a multiple of 4 KiB: so no write touches the end of another group
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

using StoreUuid = std::array<std::uint8_t, 16>;

inline constexpr std::size_t kGroupAlignmentBytes = 4096;
inline constexpr std::size_t kGroupHeaderBytes = 72;

/// A value.
struct GroupHeader {
  StoreUuid store{};
  std::uint64_t generation = 0;
  std::uint64_t number = 0;
  std::uint64_t last_sequence = 0;
  std::uint64_t previous = 0;  ///< checksum of the group before
  std::uint64_t checksum = 0;  ///< its own
  std::uint64_t run_bytes = 0;

  /// With header and padding.
  [[nodiscard]] std::uint64_t padded_bytes() const;
};

/// The whole group, padded; sets checksum and run_bytes of `header`.
[[nodiscard]] Buffer encode_group(GroupHeader& header, const Run& run);
/// nullopt if these bytes are not the start of a group. Does not check the checksum.
/// @param bytes  at least kGroupHeaderBytes
[[nodiscard]] std::optional<GroupHeader> decode_group_header(Bytes bytes);
/// Whether `group`, of padded_bytes(), has the right checksum.
[[nodiscard]] bool is_group_whole(const GroupHeader& header, Bytes group);
/// @param size_bytes_max  of the run in memory
/// Errors: kCorrupt.
[[nodiscard]] Result<RunRef> decode_group_run(const GroupHeader& header, Bytes group,
                                              std::size_t size_bytes_max);

}  // namespace dgfs::delta
