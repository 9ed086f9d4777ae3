// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The digest of a file from its content, in order: what lies between its data segments counts as
// zeros.
#pragma once

#include <memory>
#include <optional>

#include "builder/read/hashed_zeros.h"
#include "builder/spool/segment_list.h"
#include "builder/stop.h"
#include "format/section/digest_hasher.h"

namespace dgfs::builder {

/// A digest, and what it has in the sum of zeros until its file is packed.
struct MadeDigest {
  format::Digest digest{};
  ZerosOfFile zeros;
};

/// Holes are hashed, not read. For one thread at a time.
class FileDigest {
 public:
  /// @param hashed  receives how far holes are; must outlive the digests that are made; may be null
  /// Errors: as DigestHasher::make().
  [[nodiscard]] static Result<FileDigest> make(format::DigestAlgorithm algorithm, StopFlag stop,
                                               HashedZeros* hashed);

  /// Begins with a file, whether or not the one before was finished.
  /// @param segments  of its data; null if it has no holes
  [[nodiscard]] Status begin(std::shared_ptr<const SegmentList> segments, std::uint64_t size_bytes);
  /// The next content. Errors: kInterrupted, as holes may be long.
  [[nodiscard]] Status update(Bytes content);
  /// The same, of raw frames: each but the last has kFrameBytes behind its checksum.
  [[nodiscard]] Status update_frames(Bytes frames);
  /// Errors: kInterrupted, kLimit.
  [[nodiscard]] Result<MadeDigest> finish();

 private:
  FileDigest(format::DigestHasher hasher, StopFlag stop, HashedZeros* hashed)
      : hasher_(std::move(hasher)), stop_(stop), hashed_(hashed), zeros_(hashed) {}
  [[nodiscard]] Status add_zeros_to(std::uint64_t offset_bytes);

  format::DigestHasher hasher_;
  StopFlag stop_;
  HashedZeros* hashed_;
  ZerosOfFile zeros_;
  std::shared_ptr<const SegmentList> segments_;
  std::optional<SegmentList::Reader> next_segment_;
  SegmentList::Segment segment_;  ///< that the next content belongs to, if it is not full
  std::uint64_t size_bytes_ = 0;
  std::uint64_t at_ = 0;  ///< bytes of the file so far
};

}  // namespace dgfs::builder
