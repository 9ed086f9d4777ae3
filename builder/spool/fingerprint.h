// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Fingerprints distinguish contents that may be equal from contents that differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "builder/spool/content_hash.h"

namespace dgfs::builder {

/// 128 bits of XXH3. Equal contents have equal fingerprints. Before sharing, the caller must
/// compare the bytes, because an attacker can make different contents with equal fingerprints. A
/// value.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// A content is hashed in chunks of this size, so that several threads can hash its pieces.
inline constexpr std::size_t kFingerprintChunkBytes = std::size_t{64} << 10;

/// Appends the fingerprint of each chunk of `content`.
/// @param content  whole chunks, except the last one of a file
void append_chunk_fingerprints(Bytes content, std::vector<Fingerprint>& chunks);
/// The same for raw frames: each chunk stands in a frame, behind its checksum.
void append_frame_fingerprints(Bytes frames, std::vector<Fingerprint>& chunks);
/// The fingerprint of a content, from those of all its chunks.
[[nodiscard]] Fingerprint fingerprint_of(std::span<const Fingerprint> chunks);

/// The same, for chunks that come in parts, in order.
class FingerprintStream {
 public:
  void add(std::span<const Fingerprint> chunks);
  /// The fingerprint of all added chunks, at least one.
  [[nodiscard]] Fingerprint finish() const;

 private:
  ContentHash hash_;
  std::uint64_t count_ = 0;
  Fingerprint last_;
};

}  // namespace dgfs::builder
