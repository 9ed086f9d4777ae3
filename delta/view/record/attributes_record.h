// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The record of an object's attributes: fields at fixed offsets, so that each can be changed
// without reading the others. All little-endian.
//
//   0   4   mode                      48  8   blocks of 512 bytes
//   4   4   flags                     56  8   device number
//   8   4   owner                     64  12  mtime: seconds (8), nanoseconds (4)
//   12  4   group                     76  12  ctime
//   16  8   link count                88  12  atime
//   24  8   names in a directory
//   32  8   size in bytes
//   40  8   zeros
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "delta/view/object.h"
#include "format/limits.h"

namespace dgfs::view {

inline constexpr std::size_t kAttributesBytes = 100;

/// Offsets of the fields.
namespace field {
inline constexpr std::uint64_t kMode = 0;
inline constexpr std::uint64_t kFlags = 4;
inline constexpr std::uint64_t kUid = 8;
inline constexpr std::uint64_t kGid = 12;
inline constexpr std::uint64_t kLinkCount = 16;
inline constexpr std::uint64_t kChildren = 24;
inline constexpr std::uint64_t kSize = 32;
inline constexpr std::uint64_t kBlocks = 48;
inline constexpr std::uint64_t kRdev = 56;
inline constexpr std::uint64_t kMtime = 64;
inline constexpr std::uint64_t kCtime = 76;
inline constexpr std::uint64_t kAtime = 88;
}  // namespace field

/// Bits of the flags.
inline constexpr std::uint32_t kMayHaveXattrs = 1;  ///< it was given some once
inline constexpr std::uint32_t kIsLinkable = 2;     ///< made without a name; link() may give one

/// The most blocks that a file of this size shows. Writes add their blocks without checking which
/// blocks they replace, so the record may have more.
[[nodiscard]] constexpr std::uint64_t blocks_max(std::uint64_t size_bytes) {
  constexpr std::uint64_t kUnitBytes = 4096;
  const auto units = size_bytes / kUnitBytes + (size_bytes % kUnitBytes != 0 ? 1 : 0);
  return units * (kUnitBytes / kBlockBytes);
}

/// The record as a value.
struct AttributesRecord {
  Attributes attributes;
  std::uint32_t flags = 0;

  friend bool operator==(const AttributesRecord&, const AttributesRecord&) = default;
};

/// False: the object has no extended attributes, and no layer has records of any.
[[nodiscard]] constexpr bool may_have_xattrs(const AttributesRecord& record) {
  return (record.flags & kMayHaveXattrs) != 0;
}

/// Returns kAttributesBytes bytes.
[[nodiscard]] std::string encode_attributes(const AttributesRecord& record);
/// nullopt: malformed.
[[nodiscard]] std::optional<AttributesRecord> decode_attributes(std::string_view value);

/// Bytes of one field.
[[nodiscard]] std::string number_bytes(std::uint32_t number);
[[nodiscard]] std::string time_bytes(const Time& time);
/// Whether its nanoseconds are below one second.
[[nodiscard]] inline bool is_time(const Time& time) {
  return time.nanoseconds < format::kNanosecondsEnd;
}

}  // namespace dgfs::view
