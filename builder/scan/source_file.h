// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One regular file of the source, opened and checked against what the scan saw: its data
// segments, its content as frames, and whether it stayed the same meanwhile.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "builder/spool/segment_list.h"
#include "builder/spool/tree_record.h"
#include "builder/stop.h"
#include "storage/directory.h"

namespace dgfs::builder {

/// A name that leads to something else than was scanned shows in several kinds of errors; this
/// makes them kChanged.
[[nodiscard]] Error as_change(Error error);

/// Reading is const and thread-safe.
class SourceFile {
 public:
  /// Opens `entry` of `directory`. Errors: kNotFound, kPermission, kIo; kChanged if it is not the
  /// object, size or time that the scan saw.
  [[nodiscard]] static Result<SourceFile> open(const storage::Directory& directory,
                                               const ScannedEntry& entry);

  /// Finds the holes of a file that takes less space than its size. Holes count in whole blocks
  /// of 4 KiB; smaller ones are data. Errors: kIo, kLimit (2^24 segments).
  [[nodiscard]] Status find_holes(const StopFlag& stop);
  /// Set by find_holes() if there is at least one hole; else null.
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

  /// Encoded set, empty if there are none. Errors: kIo, kPermission, kLimit.
  [[nodiscard]] Result<Buffer> read_xattrs() const;

  /// kChanged unless size, content time and change time are those at opening.
  [[nodiscard]] Status check_unchanged() const;

 private:
  SourceFile(std::unique_ptr<storage::File> file, const storage::FileStatus& status)
      : file_(std::move(file)), status_(status) {}

  template <class Read>
  [[nodiscard]] Status each_stretch(std::uint64_t begin, std::uint64_t bytes, Read read) const;
  /// Reads `count` bytes of the file at `offset_bytes` to where they belong in `frames`, whose
  /// content they are from `content_begin` on.
  [[nodiscard]] Status read_stretch(std::uint64_t offset_bytes, std::uint64_t content_begin,
                                    std::uint64_t count, MutableBytes frames) const;

  std::unique_ptr<storage::File> file_;
  storage::FileStatus status_;
  std::shared_ptr<const SegmentList> segments_;
};

}  // namespace dgfs::builder
