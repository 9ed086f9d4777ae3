// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Converts entries to columns: the step of the column codec before entropy coding.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::format {

/// Most bytes of the keys of one page with their shared prefixes written out. Bounds the memory
/// that 4 KiB of input may make a reader allocate.
inline constexpr std::size_t kPageKeysBytesMax = std::size_t{1} << 22;

/// The kind of an entry, one byte in the kind column. 0 to 63: a regular file whose size takes that
/// many bits. kKindOther + type: any other object. kKindLink + type: a name of a multiply linked
/// object.
inline constexpr std::uint8_t kKindOther = 64;
inline constexpr std::uint8_t kKindLink = 72;
inline constexpr std::uint8_t kKindEnd = 80;
/// Bit kind - kKindOther is set for each valid kind from kKindOther on (F-150). Regular files have
/// kinds of their own, and no multiply linked object is a directory.
inline constexpr std::uint32_t kKindsKnown = 0b0111'1101'0111'1110;

/// The types, in the order of their numbers in kinds.
inline constexpr std::uint32_t kTypes[] = {kTypeRegular, kTypeDirectory,       kTypeSymlink,
                                           kTypeFifo,    kTypeCharacterDevice, kTypeBlockDevice,
                                           kTypeSocket};
inline constexpr std::size_t kTypeCount = 7;
inline constexpr std::size_t kRegularNumber = 0;
inline constexpr std::size_t kDirectoryNumber = 1;
inline constexpr std::size_t kSymlinkNumber = 2;
inline constexpr std::size_t kCharacterDeviceNumber = 4;
inline constexpr std::size_t kBlockDeviceNumber = 5;
/// Position of the type in kTypes; kTypeCount if it is not there.
[[nodiscard]] std::size_t type_number(std::uint32_t mode);

[[nodiscard]] constexpr bool is_link_kind(std::uint8_t kind) { return kind >= kKindLink; }
[[nodiscard]] constexpr std::size_t type_number_of_kind(std::uint8_t kind) {
  return kind < kKindOther ? kRegularNumber : kind & 7u;
}

/// Length of the part of a key that all entries of its directory share. The key may be relative.
[[nodiscard]] std::size_t directory_bytes(std::string_view key);

/// stored_bytes of an entry for which the page holds no value: the length of a raw extent of the
/// whole file; 0 for entries without such an extent.
[[nodiscard]] std::uint64_t implied_stored_bytes(const Entry& entry);

struct EntryColumns {
  Buffer bytes;
  std::vector<std::size_t> block_ends;  ///< offsets in `bytes` where columns change their nature
};

/// @param entries       strictly rising keys that all begin with the same `prefix_bytes` bytes,
///                      which are left out
/// @param attributes    must hold the combinations of all entries
/// @return nullopt if the columns, or the keys, exceed a bound of the format
/// Errors: kInvalidArgument for entries that contradict themselves (docs/FORMAT.md, F-180).
[[nodiscard]] Result<std::optional<EntryColumns>> encode_columns(std::span<const Entry> entries,
                                                                 std::size_t prefix_bytes,
                                                                 const AttributeTable& attributes);

}  // namespace dgfs::format
