// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// One regular file of the source, opened. Gives its data segments and its content as frames, and
// tells whether the file has changed since.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
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

/// How often the content of a file is read, at most, until it does not change meanwhile.
inline constexpr int kReadsMax = 3;

/// How a file differs from its state when it was opened.
enum class SourceChange : std::uint8_t {
  kNone,
  kAttributes,  ///< not in size and time: a link was made, or the mode set
  kContent,
};

/// The error of a file that changed while it was read.
[[nodiscard]] Error changed_while_read(const storage::File& file);

/// Reading is const and thread-safe.
class SourceFile {
 public:
  /// Opens the file `name` of `directory`, which may be another one than was scanned. Errors:
  /// kNotFound, kPermission, kIo; kChanged if it is no regular file any more.
  [[nodiscard]] static Result<SourceFile> open(const storage::Directory& directory,
                                               std::string_view name);

  /// Attributes when it was opened. Its content is read up to the size that it had then.
  [[nodiscard]] const storage::FileStatus& status() const { return status_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return status_.size_bytes; }
  /// Leaves out the content from `size_bytes` on, as if the file had had that size. change() then
  /// finds that it has grown. Call it before find_holes().
  void cut_to(std::uint64_t size_bytes) {
    status_.size_bytes = std::min(status_.size_bytes, size_bytes);
  }
  [[nodiscard]] const storage::File& file() const { return *file_; }

  /// Finds the holes. Only whole blocks of 4 KiB count as holes; smaller holes are data. Costs two
  /// calls of the system for a file without holes that is larger than a block, and no read.
  /// Errors: kIo, kLimit (2^24 segments).
  [[nodiscard]] Status find_holes(const StopFlag& stop);
  /// Finds the holes again. Errors: kChanged if they are no longer those of find_holes(); kIo.
  [[nodiscard]] Status check_holes(const StopFlag& stop) const;
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

  /// How it has changed since it was opened. Errors: kIo.
  [[nodiscard]] Result<SourceChange> change() const;
  /// The same file as it is now, still without its holes. Errors: kIo.
  [[nodiscard]] Result<SourceFile> as_of_now() const;

 private:
  SourceFile(std::shared_ptr<const storage::File> file, const storage::FileStatus& status)
      : file_(std::move(file)), status_(status) {}

  template <class Read>
  [[nodiscard]] Status each_stretch(std::uint64_t begin, std::uint64_t bytes, Read read) const;
  /// Reads `count` bytes of the file at `offset_bytes` into `frames`, at content offset
  /// `content_begin`.
  [[nodiscard]] Status read_stretch(std::uint64_t offset_bytes, std::uint64_t content_begin,
                                    std::uint64_t count, MutableBytes frames) const;

  std::shared_ptr<const storage::File> file_;
  storage::FileStatus status_;
  std::shared_ptr<const SegmentList> segments_;
};

/// The loss of the end of a file that kept changing: the image has the bytes that `file` had when
/// it was opened.
[[nodiscard]] Error beginning_kept(const SourceFile& file);

}  // namespace dgfs::builder
