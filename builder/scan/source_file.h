// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One regular file of the source, opened and compared with its scanned entry. Gives its data
// segments and its content as frames, and tells whether the file has changed.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "builder/spool/segment_list.h"
#include "builder/spool/tree_record.h"
#include "builder/stop.h"
#include "storage/directory.h"

namespace dgfs::builder {

/// If a name now leads to another object than the scanned one, opening fails with different kinds
/// of errors. Turns these into kChanged.
[[nodiscard]] Error as_change(Error error);

/// Reading is const and thread-safe.
class SourceFile {
 public:
  /// Opens `entry` of `directory`. Errors: kNotFound, kPermission, kIo; kChanged if object, size or
  /// time differ from the scanned entry.
  [[nodiscard]] static Result<SourceFile> open(const storage::Directory& directory,
                                               const ScannedEntry& entry);

  /// Finds the holes of a file that takes less space than its size. Only whole blocks of 4 KiB
  /// count as holes; smaller holes are data. Errors: kIo, kLimit (2^24 segments).
  [[nodiscard]] Status find_holes(const StopFlag& stop);
  /// Data segments, set by find_holes(); null if there are no holes.
  [[nodiscard]] const std::shared_ptr<const SegmentList>& segments() const { return segments_; }
  /// Bytes that are not holes.
  [[nodiscard]] std::uint64_t content_bytes() const;

  /// Reads content [first_frame * kFrameBytes, ... + content_bytes) as raw frames into `out`,
  /// which has room for exactly those, checksums included, and appends the checksums to
  /// `checksums`. Errors: kIo; kChanged if the file ends early.
  [[nodiscard]] Status read_frames(std::uint64_t first_frame, std::uint64_t content_bytes,
                                   MutableBytes out, std::vector<std::uint64_t>& checksums) const;

  /// Reads content [content_begin, ... + out.size()). Errors: as read_frames().
  [[nodiscard]] Status read_content(std::uint64_t content_begin, MutableBytes out) const;

  /// Encoded xattr set; empty if there are no xattrs. Errors: kIo, kPermission, kLimit.
  [[nodiscard]] Result<Buffer> read_xattrs() const;

  /// kChanged if size, mtime or ctime differ from those at opening.
  [[nodiscard]] Status check_unchanged() const;

 private:
  SourceFile(std::unique_ptr<storage::File> file, const storage::FileStatus& status)
      : file_(std::move(file)), status_(status) {}

  template <class Read>
  [[nodiscard]] Status each_stretch(std::uint64_t begin, std::uint64_t bytes, Read read) const;
  /// Reads `count` bytes of the file at `offset_bytes` into `frames`, at content offset
  /// `content_begin`.
  [[nodiscard]] Status read_stretch(std::uint64_t offset_bytes, std::uint64_t content_begin,
                                    std::uint64_t count, MutableBytes frames) const;

  std::unique_ptr<storage::File> file_;
  storage::FileStatus status_;
  std::shared_ptr<const SegmentList> segments_;
};

}  // namespace dgfs::builder
