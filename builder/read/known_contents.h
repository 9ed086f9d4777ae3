// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Known contents: what the image is likely to hold already, so that the reading threads do not
// compress it once more only for the writer to drop it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "builder/spool/fingerprint.h"

namespace dgfs::builder {

/// A table of fixed size without probing: what is added takes the place of what was in its slot. So
/// an answer saves work and decides nothing; the content table decides. Thread-safe.
class KnownContents {
 public:
  /// @param contents_max  that will be added, at most
  /// @param memory_bytes  what the table may take; 8 bytes are taken at least, 16 a content at most
  KnownContents(std::uint64_t contents_max, std::size_t memory_bytes)
      : slots_(std::bit_floor(static_cast<std::size_t>(std::clamp<std::uint64_t>(
            2 * contents_max, 1, std::max<std::size_t>(memory_bytes / sizeof(Slot), 1))))) {}

  void add(const Fingerprint& fingerprint) {
    slot(fingerprint).store(fingerprint.high, std::memory_order_relaxed);
  }
  /// Whether it was added, and probably so if it says so.
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
