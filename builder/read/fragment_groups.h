// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Groups of fragments: which small neighbours are to share a frame. Decided by the tree alone, so
// that an image depends on no thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "builder/read/batch.h"
#include "builder/spool/tree_record.h"
#include "format/limits.h"

namespace dgfs::builder {

/// Told of the records of the tree one after the other. A group is open from its first file on,
/// until a record comes that it has no room for. Not thread-safe.
class FragmentGroups {
 public:
  /// Records from the first file of a group to its last one, directories and links among them: what
  /// a batch, which holds whole groups, goes beyond its size by.
  static constexpr std::size_t kRecordsMax = 1024;
  /// Longer records, with many xattrs or a long target, end a group as well.
  static constexpr std::size_t kRecordBytesMax = 1024;

  /// @param content_bytes_max  of a frame; 0: nothing is shared
  explicit FragmentGroups(std::size_t content_bytes_max) : content_bytes_max_(content_bytes_max) {}

  /// What a batch must have room for where a group begins.
  [[nodiscard]] std::size_t stored_bytes_max() const {
    return content_bytes_max_ + kRecordsMax * format::kChecksumBytes;
  }
  /// Whether a file may share a frame: its content is read, and a quarter of a frame at most.
  [[nodiscard]] bool may_join(const ScannedEntry& entry, std::size_t record_bytes) const {
    return entry.size_bytes <= content_bytes_max_ / 4 && !entry.is_multiply_linked() &&
           record_bytes <= kRecordBytesMax;
  }
  [[nodiscard]] bool is_open() const { return records_ != 0; }
  /// Whether a file that may join has room in the open group.
  [[nodiscard]] bool has_room(const ScannedEntry& entry) const {
    return is_open() && records_ < kRecordsMax &&
           entry.size_bytes <= content_bytes_max_ - content_bytes_;
  }
  /// The file joins the open group, or begins another one. @return the group's number, not 0
  std::uint64_t join(const ScannedEntry& entry) {
    if (!has_room(entry)) {
      end();
      ++number_;
    }
    ++records_;
    content_bytes_ += static_cast<std::size_t>(entry.size_bytes);
    return number_;
  }
  /// A record without content comes between.
  void pass(std::size_t record_bytes) {
    if (!is_open()) return;
    if (records_ == kRecordsMax || record_bytes > kRecordBytesMax) return end();
    ++records_;
  }
  void end() {
    records_ = 0;
    content_bytes_ = 0;
  }

 private:
  std::size_t content_bytes_max_;
  std::uint64_t number_ = 0;
  std::size_t records_ = 0;  ///< of the open group
  std::size_t content_bytes_ = 0;
};

}  // namespace dgfs::builder
