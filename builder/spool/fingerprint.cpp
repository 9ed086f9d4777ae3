// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/fingerprint.h"

#include <xxhash.h>

#include <algorithm>

#include "format/limits.h"

namespace dgfs::builder {
namespace {

Fingerprint hash(const void* data, std::size_t bytes) {
  const auto hashed = XXH3_128bits(data, bytes);
  return {hashed.low64, hashed.high64};
}

}  // namespace

void append_chunk_fingerprints(Bytes content, std::vector<Fingerprint>& chunks) {
  while (!content.empty()) {
    const auto chunk = content.first(std::min(content.size(), kFingerprintChunkBytes));
    chunks.push_back(hash(chunk.data(), chunk.size()));
    content = content.subspan(chunk.size());
  }
}

void append_frame_fingerprints(Bytes frames, std::vector<Fingerprint>& chunks) {
  static_assert(kFingerprintChunkBytes == format::kFrameBytes);
  while (!frames.empty()) {
    const auto frame = frames.first(std::min(frames.size(), format::kStoredFrameBytes));
    append_chunk_fingerprints(frame.subspan(format::kChecksumBytes), chunks);
    frames = frames.subspan(frame.size());
  }
}

Fingerprint fingerprint_of(std::span<const Fingerprint> chunks) {
  static_assert(sizeof(Fingerprint) == 2 * sizeof(std::uint64_t), "no padding is hashed");
  return chunks.size() == 1 ? chunks.front() : hash(chunks.data(), chunks.size_bytes());
}

void FingerprintStream::add(std::span<const Fingerprint> chunks) {
  if (chunks.empty()) return;
  hash_.update({reinterpret_cast<const std::uint8_t*>(chunks.data()), chunks.size_bytes()});
  count_ += chunks.size();
  last_ = chunks.back();
}

Fingerprint FingerprintStream::finish() const {
  if (count_ == 1) return last_;
  XXH128_canonical_t canonical;
  const auto digest = hash_.digest();
  std::copy(digest.begin(), digest.end(), canonical.digest);
  const auto hashed = XXH128_hashFromCanonical(&canonical);
  return {hashed.low64, hashed.high64};
}

}  // namespace dgfs::builder
