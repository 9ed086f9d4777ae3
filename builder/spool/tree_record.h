// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Tree records: the scanned tree, as one record for each entry and one record before the children
// of each directory, in key order. They exist only in the tree spool of one build.
//
//   length u32 | kind u8 | flags u8 | body
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

enum class RecordKind : std::uint8_t { kDirectory = 1, kEntry = 2 };

/// Flags of entry records.
inline constexpr std::uint8_t kRecordOmitted = 1;         ///< unreadable directory: not packed
inline constexpr std::uint8_t kRecordMultiplyLinked = 2;  ///< its object has further names
inline constexpr std::uint8_t kRecordKept = 4;            ///< ScannedEntry::kept
inline constexpr std::uint8_t kRecordTimes = 8;           ///< ScannedEntry::ctime or atime
inline constexpr std::uint8_t kRecordNameless = 16;       ///< ScannedEntry::is_nameless()

inline constexpr std::size_t kRecordHeaderBytes = 6;
inline constexpr std::size_t kRecordFlagsOffset = 5;
/// Mode, uid, gid and mtime of an entry record: they have a fixed length, so that they can be
/// replaced.
inline constexpr std::size_t kRecordAttributesOffset = 6;

/// Comes before the children of a directory. The prefix of a directory is "a 00 b 00" for a/b, and
/// empty for the root. The record has the difference to the prefix of the directory before.
struct DirectoryRecord {
  std::size_t shared_bytes = 0;
  std::string_view suffix;
};

/// Attributes that an image states of an entry, with overrides of owner, mode and time applied. A
/// value.
struct EntryAttributes {
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  Time mtime;
  std::uint64_t size_bytes = 0;  ///< regular files
  friend bool operator==(const EntryAttributes&, const EntryAttributes&) = default;
};

/// The content of a regular file that stays where another image has it. Its views point into memory
/// of its maker. A value.
struct KeptContent {
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  std::uint64_t stored_bytes = 0;
  format::DataAddress address;                   ///< with the number of the volume in the new image
  std::optional<std::uint32_t> fragment_offset;  ///< as in format::Entry
  Bytes sparse_map;                              ///< encoded; empty: no holes
  Bytes digest;                                  ///< empty: none is kept
};

/// A scanned entry. Its views point into memory of its maker.
struct ScannedEntry : EntryAttributes {
  std::uint8_t flags = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< number in the source file system
  std::uint64_t rdev = 0;
  std::string_view name;    ///< empty for the root
  std::string_view target;  ///< symlinks
  /// Encoded xattr set; empty if there are none, and for a file with content, where they are read
  /// later.
  Bytes xattrs;
  std::optional<KeptContent> kept;  ///< of a file with content that need not be read
  std::optional<Time> ctime;        ///< none: not stated
  std::optional<Time> atime;        ///< likewise

  [[nodiscard]] const EntryAttributes& attributes() const { return *this; }
  [[nodiscard]] bool is_omitted() const { return (flags & kRecordOmitted) != 0; }
  [[nodiscard]] bool is_multiply_linked() const { return (flags & kRecordMultiplyLinked) != 0; }
  /// An object without a name, behind all others. Its `name` opens it in any directory of the tree,
  /// and is no name of an entry.
  [[nodiscard]] bool is_nameless() const { return (flags & kRecordNameless) != 0; }
  /// Whether its attributes stand in a link record, which has no fragment offset (F-156).
  [[nodiscard]] bool has_link_record() const { return is_multiply_linked() || is_nameless(); }
  /// Whether it is a regular file that is not empty. Unless it is kept, its content and xattrs are
  /// read when it is packed.
  [[nodiscard]] bool has_content() const;
};

/// Appends a whole record with its header.
void encode_record(const DirectoryRecord& record, Buffer& out);
void encode_record(const ScannedEntry& entry, Buffer& out);

/// Appends the bytes of a record from kRecordAttributesOffset on, up to the end of mtime.
void encode_attributes(const EntryAttributes& attributes, Buffer& out);

/// Kind of a whole record of at least kRecordHeaderBytes.
[[nodiscard]] RecordKind record_kind(Bytes record);
/// Views point into `record`, which is a whole record. Errors: kCorrupt.
[[nodiscard]] Result<DirectoryRecord> decode_directory_record(Bytes record);
[[nodiscard]] Result<ScannedEntry> decode_entry_record(Bytes record);

/// Turns the prefix of one directory into that of the next. kCorrupt if the record does not fit.
[[nodiscard]] Status apply_directory_record(const DirectoryRecord& record, std::string& prefix);

}  // namespace dgfs::builder
