// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes the digest of a file from its content, in order, with the holes between data segments as
// zeros.
#pragma once

#include <memory>
#include <optional>

#include "builder/read/hashed_zeros.h"
#include "builder/spool/segment_list.h"
#include "builder/stop.h"
#include "format/section/digest_hasher.h"

namespace dgfs::builder {

/// A digest, and its share in the sum of hashed zeros, held until its file is packed.
struct MadeDigest {
  format::Digest digest{};
  ZerosOfFile zeros;
};

/// Hashes holes without reading them. For one thread at a time.
class FileDigest {
 public:
  /// @param hashed  counts hashed zeros; must outlive the digests that are made; may be null
  /// Errors: as DigestHasher::make().
  [[nodiscard]] static Result<FileDigest> make(format::DigestAlgorithm algorithm, StopFlag stop,
                                               HashedZeros* hashed);

  /// Begins a file, even if the one before was not finished.
  /// @param segments  data segments of the file; null if it has no holes
  [[nodiscard]] Status begin(std::shared_ptr<const SegmentList> segments, std::uint64_t size_bytes);
  /// Adds the next content, and the holes before it. Errors: kInterrupted, because holes may be
  /// long.
  [[nodiscard]] Status update(Bytes content);
  /// The same for raw frames: each frame except the last has kFrameBytes behind its checksum.
  [[nodiscard]] Status update_frames(Bytes frames);
  /// Ends the file and returns its digest. Errors: kInterrupted, kLimit.
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
  SegmentList::Segment segment_;  ///< segment of the next content, unless it is complete
  std::uint64_t size_bytes_ = 0;
  std::uint64_t at_ = 0;  ///< bytes of the file hashed so far
};

}  // namespace dgfs::builder
