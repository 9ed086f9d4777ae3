// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Section blocks: the sealed blocks of an index section, one after the other, and the bounds that
// keep a small hostile section from filling memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "format/header/section.h"
#include "reader/index/copy.h"

namespace dgfs::reader {

/// A copy of the index, and where to turn for what is damaged in it. A value; for one thread.
struct HealingCopy {
  // NOLINTNEXTLINE(google-explicit-constructor): a copy alone is one that nothing heals
  HealingCopy(const IndexCopy& alone) : copy(alone) {}

  const IndexCopy& copy;
  /// The other copy, which has the same superblock, or null; asked when it is needed.
  std::function<const IndexCopy*()> other = {};
  /// Told of damage of `copy` that was made good. Set where `other` is.
  std::function<void(const Error&)> healed = {};
};

/// The sealed block at `at` in a section. Two reads. Errors: kIo, kCorrupt, with their place.
[[nodiscard]] Result<format::OpenedBlock> read_block(const IndexCopy& copy,
                                                     format::SectionKind kind, std::uint64_t at);

/// Calls `use` for the body of each sealed block of a section, in order; its errors get file,
/// section and place. A damaged block is taken from the other copy. Holds at most 32 MiB of the
/// section at a time, and reads a section up to that length with one read. Errors: kIo, kCorrupt,
/// those of `use`.
[[nodiscard]] Status for_each_block(const HealingCopy& index, format::SectionKind kind,
                                    const std::function<Status(Bytes body)>& use);

/// The body of the one block of a section that no index lacks (F-024). Errors: also kCorrupt where
/// there is a second.
[[nodiscard]] Result<Buffer> only_block(const HealingCopy& index, format::SectionKind kind);

/// Refuses a body that begins with a count of more than `count_max` elements, before a decoder
/// makes room for them. Errors: kCorrupt.
[[nodiscard]] Status check_count(Bytes body, std::uint64_t count_max, const char* elements);

/// Bounds what is kept of a section whose blocks may decode to far more than they store: to the
/// length of the pages, which the file has to hold, and a slack that is more than tables need.
/// For one thread.
class ExpansionBudget {
 public:
  explicit ExpansionBudget(const IndexCopy& copy);
  /// Errors: kLimit once the sum is beyond the bound.
  [[nodiscard]] Status take(std::uint64_t bytes);

 private:
  std::uint64_t left_bytes_;
};

}  // namespace dgfs::reader
