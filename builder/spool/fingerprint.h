// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Fingerprints tell contents that may be the same from those that differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "builder/spool/content_hash.h"

namespace dgfs::builder {

/// 128 bits of XXH3. Equal contents have equal ones; whoever means to share compares the bytes, for
/// others can be made equal on purpose. A value.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// A content is taken in chunks of this size, so that its pieces can be taken by several threads.
inline constexpr std::size_t kFingerprintChunkBytes = std::size_t{64} << 10;

/// Appends the fingerprint of each chunk of `content`.
/// @param content  whole chunks, but for the last one of a file
void append_chunk_fingerprints(Bytes content, std::vector<Fingerprint>& chunks);
/// That of a content by those of all its chunks.
[[nodiscard]] Fingerprint fingerprint_of(std::span<const Fingerprint> chunks);

/// The same for a content whose chunks come in parts, in order.
class FingerprintStream {
 public:
  void add(std::span<const Fingerprint> chunks);
  /// Of all that was added: one chunk at least.
  [[nodiscard]] Fingerprint finish() const;

 private:
  ContentHash hash_;
  std::uint64_t count_ = 0;
  Fingerprint last_;
};

}  // namespace dgfs::builder
