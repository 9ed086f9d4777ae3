// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Section blocks: reads the sealed blocks of an index section in order, within bounds that keep a
// small hostile section from filling memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "format/header/section.h"
#include "reader/index/copy.h"

namespace dgfs::reader {

/// A copy of the index, and the other copy to replace damaged blocks of it. A value; for one
/// thread.
struct HealingCopy {
  // NOLINTNEXTLINE(google-explicit-constructor): nothing heals a copy alone
  HealingCopy(const IndexCopy& alone) : copy(alone) {}

  const IndexCopy& copy;
  /// Gives the other copy, which has the same superblock, or null. Called when it is needed.
  std::function<const IndexCopy*()> other = {};
  /// Called for each damage of `copy` that the other copy replaces. Set if `other` is.
  std::function<void(const Error&)> healed = {};
};

/// Reads the sealed block at offset `at` of a section. Two reads. Errors: kIo, kCorrupt, with their
/// place.
[[nodiscard]] Result<format::OpenedBlock> read_block(const IndexCopy& copy,
                                                     format::SectionKind kind, std::uint64_t at);

/// Calls `use` with the body of each sealed block of a section, in order. A damaged block comes
/// from the other copy. Holds at most 32 MiB of the section at a time, and reads a section up to
/// that length with one read. Errors: kIo, kCorrupt, and those of `use`, with file, section and
/// place added.
[[nodiscard]] Status for_each_block(const HealingCopy& index, format::SectionKind kind,
                                    const std::function<Status(Bytes body)>& use);

/// The body of the only block of a section; each index has such a section (F-024). Errors: also
/// kCorrupt if there is a second block.
[[nodiscard]] Result<Buffer> only_block(const HealingCopy& index, format::SectionKind kind);

/// Refuses a body that begins with a count of more than `count_max` elements, before a decoder
/// allocates memory for them. Errors: kCorrupt.
[[nodiscard]] Status check_count(Bytes body, std::uint64_t count_max, const char* elements);

/// Bounds the memory for a section whose blocks may decode to far more bytes than they store. The
/// bound is the length of the pages, which the file must really have, and a slack that is larger
/// than tables need. For one thread.
class ExpansionBudget {
 public:
  explicit ExpansionBudget(const IndexCopy& copy);
  /// Raises the bound.
  void add(std::uint64_t bytes) { left_bytes_ += bytes; }
  /// Errors: kLimit if the sum exceeds the bound.
  [[nodiscard]] Status take(std::uint64_t bytes);

 private:
  std::uint64_t left_bytes_;
};

}  // namespace dgfs::reader
