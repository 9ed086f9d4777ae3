// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Tree records: what the scan knows about the tree, one record for each entry and one before the
// children of each directory, in key order. They exist only inside one build, in its tree spool.
//
//   length u32 | kind u8 | flags u8 | body
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::builder {

enum class RecordKind : std::uint8_t { kDirectory = 1, kEntry = 2 };

/// Flags of entry records.
inline constexpr std::uint8_t kRecordOmitted = 1;  ///< found unreadable later: not there
inline constexpr std::uint8_t kRecordMultiplyLinked =
    2;  ///< its object has further names somewhere

inline constexpr std::size_t kRecordHeaderBytes = 6;
inline constexpr std::size_t kRecordFlagsOffset = 5;

/// The children of a directory follow. Its prefix is "a 00 b 00" for a/b and empty for the root;
/// it is told as the difference to the prefix of the directory before it.
struct DirectoryRecord {
  std::size_t shared_bytes = 0;
  std::string_view suffix;
};

/// An entry as the scan saw it, with overrides of owner and mode applied. Views belong to whoever
/// made the value.
struct ScannedEntry {
  std::uint8_t flags = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  Time mtime;
  std::uint64_t size_bytes = 0;  ///< regular files
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< of the source file system
  std::uint64_t rdev = 0;
  std::string_view name;    ///< empty for the root
  std::string_view target;  ///< symlinks
  Bytes xattrs;             ///< an encoded xattr set, empty if none; filled later for file contents

  [[nodiscard]] bool is_omitted() const { return (flags & kRecordOmitted) != 0; }
  [[nodiscard]] bool is_multiply_linked() const { return (flags & kRecordMultiplyLinked) != 0; }
  /// A regular file with something to read: its content and xattrs are read when it is packed.
  [[nodiscard]] bool has_content() const;
};

/// Each appends a whole record, header included.
void encode_record(const DirectoryRecord& record, Buffer& out);
void encode_record(const ScannedEntry& entry, Buffer& out);

/// Kind of a whole record of at least kRecordHeaderBytes.
[[nodiscard]] RecordKind record_kind(Bytes record);
/// Views point into `record`, which is a whole record. Errors: kCorrupt.
[[nodiscard]] Result<DirectoryRecord> decode_directory_record(Bytes record);
[[nodiscard]] Result<ScannedEntry> decode_entry_record(Bytes record);

/// Turns the prefix of one directory into that of the next. kCorrupt where they do not fit.
[[nodiscard]] Status apply_directory_record(const DirectoryRecord& record, std::string& prefix);

}  // namespace dgfs::builder
