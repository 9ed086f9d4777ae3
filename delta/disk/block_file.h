// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The file of blocks: nodes and runs of the tree, each written once, at a place of its own. Who
// refers to a block has its checksum, so that a stale or misdirected one is found out, too.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/disk/space_map.h"
#include "storage/file.h"

namespace dgfs::delta {

/// Where a block is. A value.
struct Place {
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;  ///< without padding
  std::uint64_t checksum = 0;      ///< of the block

  friend bool operator==(const Place&, const Place&) = default;
};

/// Blocks begin at multiples of this.
inline constexpr std::uint64_t kBlockAlignmentBytes = 512;
/// No block is longer; what claims to be is damaged.
inline constexpr std::uint64_t kBlockBytesMax = std::uint64_t{1} << 30;

/// Reading is thread-safe, all else for one thread.
class BlockFile {
 public:
  /// @param file  shall hold nothing but blocks
  explicit BlockFile(std::unique_ptr<storage::File> file) : file_(std::move(file)) {}

  /// Writes a block; durable after sync(). Errors: kIo, kNoSpace.
  [[nodiscard]] Result<Place> write(Bytes block);
  /// Errors: kIo; kCorrupt if the block is not the one that was written.
  [[nodiscard]] Result<Buffer> read(const Place& place) const;
  [[nodiscard]] Status sync() { return file_->sync(); }

  /// Notes that a block is in use. Errors: kCorrupt if its place is impossible, or in use already.
  [[nodiscard]] Status mark(const Place& place);
  /// Its space may be used again.
  void free(const Place& place) { space_.give_back(extent_of(place)); }

  [[nodiscard]] const SpaceMap& space() const { return space_; }
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  [[nodiscard]] static Extent extent_of(const Place& place);
  [[nodiscard]] Error damaged(std::uint16_t code, const Place& place, const char* text) const;

  std::unique_ptr<storage::File> file_;
  SpaceMap space_;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace dgfs::delta
