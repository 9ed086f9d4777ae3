// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The alphabets of the token codec: the meanings of the symbols of each of its prefix codes. The
// rules are in docs/FORMAT.md, "Token codec".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "format/entry/entry.h"

namespace dgfs::format {

/// Entries of a block, the unit that a lookup decodes; the last block of a page may be shorter.
inline constexpr std::size_t kBlockEntries = 64;

/// Row symbol: the kind of an entry, and which values differ from the entries before: 16 * kind +
/// flags. Kinds are those of format/column/entry_columns.h.
inline constexpr std::size_t kRowSymbols = 1280;
inline constexpr unsigned kRowFlagBits = 4;
inline constexpr unsigned kRowSuccessor = 8;   ///< the key is make_successor() of the key before
inline constexpr unsigned kRowAttributes = 4;  ///< the combination differs from the type's last one
inline constexpr unsigned kRowTime = 2;        ///< the mtime differs from that of the object before
inline constexpr unsigned kRowExtras = 1;      ///< an extras symbol follows

/// The context of a row: the row symbol before it in its block, or this at the block's beginning.
inline constexpr std::size_t kRowNone = kRowSymbols;
inline constexpr std::size_t kRowContexts = kRowSymbols + 1;

/// Share symbol: bytes shared with the key before, minus its directory bytes, zigzag.
inline constexpr std::size_t kShareSymbols = 64;
inline constexpr std::size_t kShareEscape = 63;  ///< a number (kOther) follows: the zigzag value

/// The context of a share: the share symbol before it in its block, or this for the first share. A
/// share of a first key of a block always has this context.
inline constexpr std::size_t kShareNone = kShareSymbols;
inline constexpr std::size_t kShareContexts = kShareSymbols + 1;
/// Classes of the contexts of rows, each with a prefix code. The same limit holds for shares.
inline constexpr std::size_t kRowClassesMax = 16;

/// Time symbol: place of the mtime among the last ones; 0: it is none of them; its value follows.
inline constexpr std::size_t kTimeSymbols = 16;
inline constexpr unsigned kTimeCountBits = 4;  ///< of a page's initial number of times, minus one

/// Attribute symbol: a number in the attribute table.
inline constexpr std::size_t kAttributeSymbols = 256;
inline constexpr std::size_t kAttributeEscape = 255;  ///< a number (kOther) follows; it is added

/// Extras symbol: a mask of the values that few entries have.
inline constexpr std::size_t kExtraSymbols = 512;
enum class Extra : std::uint16_t {
  kSparseMap = 1 << 0,
  kZstd = 1 << 1,
  kStored = 1 << 2,
  kAddress = 1 << 3,
  kLinkCount = 1 << 4,
  kGap = 1 << 4,  ///< in a page with kPageGaps, which has no link records
  kChangeTime = 1 << 5,
  kAccessTime = 1 << 6,
  kXattrs = 1 << 7,
  kLongTarget = 1 << 8,  ///< of symlinks
  kFragment = 1 << 8,    ///< of regular files: content is in a fragment frame
};

/// The last fragment frame of the entries of a block; most entries that follow share it.
/// A value.
struct LastFragment {
  std::uint64_t stored_bytes = 0;  ///< 0: none yet
  std::uint32_t end = 0;           ///< end of the content of the last file in it
  std::optional<DataAddress> address;

  /// Takes the frame of `entry`, which must have a fragment offset.
  void use(const Entry& entry) {
    stored_bytes = entry.stored_bytes;
    end = *entry.fragment_offset + static_cast<std::uint32_t>(entry.size_bytes);
    address = entry.address;
  }
  /// Whether `entry` is in this frame and begins where the last content ends.
  [[nodiscard]] bool goes_on_in(const Entry& entry) const {
    return entry.fragment_offset && stored_bytes != 0 && stored_bytes == entry.stored_bytes &&
           end == *entry.fragment_offset && address == entry.address && entry.gap_bytes == 0;
  }
};

/// A page states, for each block, how many bits its entries take and how many bytes their data. It
/// states the widths of these two numbers once, in fields of this many bits.
inline constexpr unsigned kBlockBitsWidthBits = 4;
inline constexpr unsigned kBlockBytesWidthBits = 6;
/// Blocks of a group. A page stores the first keys of all groups' first blocks together. Behind
/// them it stores the first keys of the other blocks, group by group.
inline constexpr std::size_t kGroupBlocks = 8;
/// A page states how many bits the first keys of all groups' first blocks take. The field for this
/// number has this many bits.
inline constexpr unsigned kGroupKeysWidthBits = 15;
/// A page states, for each group, how many bits its other first keys take. It states the width of
/// this number once, in a field of this many bits.
inline constexpr unsigned kGroupBitsWidthBits = 4;

/// Kinds of numbers. Each has its own prefix code for widths (0 to 64 bits).
enum class NumberKind : std::uint8_t {
  kSeconds,
  kNanoseconds,
  kLinkInode,
  kStoredBytes,
  kAddress,
  kReference,
  kOther,
};
inline constexpr std::size_t kNumberKinds = 7;
inline constexpr std::size_t kWidthSymbols = 65;

/// Token symbols: the 256 bytes, then the model's tokens. '/' ends a text.
inline constexpr std::size_t kByteTokens = 256;
inline constexpr char kTextEnd = '/';
/// Longest token; the model's tokens have at least 2 bytes.
inline constexpr std::size_t kTokenBytesMax = 15;
inline constexpr std::size_t kTokensMax = 16384;  ///< bytes and tokens
/// The context of a text: the byte before it, or one of these.
inline constexpr std::size_t kContextStart = 0;     ///< a key without shared bytes, as after 0x00
inline constexpr std::size_t kContextTarget = 256;  ///< the target of a symlink
inline constexpr std::size_t kTokenContexts = 257;
/// Classes of contexts, each with a prefix code of tokens.
inline constexpr std::size_t kTokenClassesMax = 32;
inline constexpr std::size_t kPlainTokenClassesMax = 16;  ///< of a model without contexts
/// The context of the first token of a key's text: the last byte that the key shares with the key
/// before, and the byte that it passes. The passed byte stands behind the shared bytes in the key
/// before, and the first byte of the text is above it.
struct TextStart {
  std::size_t shared = kContextStart;  ///< the last shared byte; 0x00 if there is none
  std::size_t passed = 0;              ///< kPassedNone if the key before has no more bytes

  friend auto operator<=>(const TextStart&, const TextStart&) = default;
};
inline constexpr std::size_t kPassedNone = 256;
inline constexpr std::size_t kPassedContexts = 257;
inline constexpr std::size_t kByteGroupsMax = 16;

/// Changes `key` to the next one of numbered names: the last run of decimal digits in the name
/// becomes one higher at the same length.
/// @return the place of the first byte that changed; `key_bytes` if nothing did, since there is no
///         successor
[[nodiscard]] std::size_t make_successor(char* key, std::size_t key_bytes);
/// Whether `key` is make_successor() of `before`, with which it shares exactly `shared_bytes`
/// bytes. Cost: O(bytes behind those).
[[nodiscard]] bool is_successor(std::string_view before, std::string_view key,
                                std::size_t shared_bytes);

}  // namespace dgfs::format
