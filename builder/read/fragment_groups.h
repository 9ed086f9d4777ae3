// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Groups of fragments: decides which small neighbours share a frame. The decision depends only on
// the tree, so that no image depends on threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "builder/read/batch.h"
#include "builder/spool/tree_record.h"
#include "format/limits.h"

namespace dgfs::builder {

/// Gets the records of the tree in order. A group is open from its first file until a record comes
/// that does not fit into it. Not thread-safe.
class FragmentGroups {
 public:
  /// Bound of the records of a group, from its first file to its last, with directories and links
  /// between. A batch can exceed its size by so many records, because it holds whole groups.
  static constexpr std::size_t kRecordsMax = 1024;
  /// A longer record, with many xattrs or a long target, also ends a group.
  static constexpr std::size_t kRecordBytesMax = 1024;

  /// @param content_bytes_max  bound of the content of a frame; 0: no frames are shared
  explicit FragmentGroups(std::size_t content_bytes_max) : content_bytes_max_(content_bytes_max) {}

  /// Room that a batch must have when a group begins.
  [[nodiscard]] std::size_t stored_bytes_max() const {
    return content_bytes_max_ + kRecordsMax * format::kChecksumBytes;
  }
  /// Whether a file, which needs_reading(), may share a frame: its content is at most a quarter of
  /// a frame.
  [[nodiscard]] bool may_join(const ScannedEntry& entry, std::size_t record_bytes) const {
    return entry.size_bytes <= content_bytes_max_ / 4 && !entry.has_link_record() &&
           record_bytes <= kRecordBytesMax;
  }
  [[nodiscard]] bool is_open() const { return records_ != 0; }
  /// Whether a file that may_join() fits into the open group.
  [[nodiscard]] bool has_room(const ScannedEntry& entry) const {
    return is_open() && records_ < kRecordsMax &&
           entry.size_bytes <= content_bytes_max_ - content_bytes_;
  }
  /// Adds the file to the open group, or begins a new one. Returns the number of the group, which
  /// is not 0.
  std::uint64_t join(const ScannedEntry& entry) {
    if (!has_room(entry)) {
      end();
      ++number_;
    }
    ++records_;
    content_bytes_ += static_cast<std::size_t>(entry.size_bytes);
    return number_;
  }
  /// Counts a record without content.
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
  std::size_t records_ = 0;  ///< records in the open group
  std::size_t content_bytes_ = 0;
};

}  // namespace dgfs::builder
