// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Known contents: fingerprints of contents that are probably in the image already. The reading
// threads do not compress these again only for the writer to drop them.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "builder/spool/fingerprint.h"

namespace dgfs::builder {

/// A table of fixed size without probing: a new fingerprint overwrites its slot. An answer may be
/// wrong and only saves work; the content table decides. Thread-safe.
class KnownContents {
 public:
  /// @param contents_max  bound of the contents that will be added
  /// @param memory_bytes  memory that the table may take; it takes at least 8 bytes, and at most 16
  ///                      a content
  KnownContents(std::uint64_t contents_max, std::size_t memory_bytes)
      : slots_(std::bit_floor(static_cast<std::size_t>(std::clamp<std::uint64_t>(
            2 * contents_max, 1, std::max<std::size_t>(memory_bytes / sizeof(Slot), 1))))) {}

  void add(const Fingerprint& fingerprint) {
    slot(fingerprint).store(fingerprint.high, std::memory_order_relaxed);
  }
  /// true: the fingerprint was probably added. false: it was not, or was overwritten.
  [[nodiscard]] bool has(const Fingerprint& fingerprint) const {
    return slot(fingerprint).load(std::memory_order_relaxed) == fingerprint.high;
  }

 private:
  using Slot = std::atomic<std::uint64_t>;

  [[nodiscard]] const Slot& slot(const Fingerprint& fingerprint) const {
    return slots_[static_cast<std::size_t>(fingerprint.low) & (slots_.size() - 1)];
  }
  [[nodiscard]] Slot& slot(const Fingerprint& fingerprint) {
    return slots_[static_cast<std::size_t>(fingerprint.low) & (slots_.size() - 1)];
  }

  std::vector<Slot> slots_;
};

}  // namespace dgfs::builder
