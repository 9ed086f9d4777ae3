// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The alphabets of the token codec: what a symbol of each of its prefix codes means.
// docs/FORMAT.md, "Token codec", is the rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "format/entry/entry.h"

namespace dgfs::format {

/// Entries of a block, the unit that a lookup decodes; the last block of a page may be shorter.
inline constexpr std::size_t kBlockEntries = 64;

/// Row symbol: what an entry is and what of it differs from the entries before: 16 * kind + flags.
/// Kinds are those of format/column/entry_columns.h.
inline constexpr std::size_t kRowSymbols = 1280;
inline constexpr unsigned kRowFlagBits = 4;
inline constexpr unsigned kRowSuccessor = 8;   ///< the key is make_successor() of the one before
inline constexpr unsigned kRowAttributes = 4;  ///< another combination than the last of its type
inline constexpr unsigned kRowTime = 2;        ///< another mtime than the object before
inline constexpr unsigned kRowExtras = 1;      ///< an extras symbol follows

/// What a row goes on after: the row symbol before in its block, or this at the begin of one.
inline constexpr std::size_t kRowNone = kRowSymbols;
inline constexpr std::size_t kRowContexts = kRowSymbols + 1;

/// Share symbol: bytes shared with the key before, minus its directory bytes, zigzag.
inline constexpr std::size_t kShareSymbols = 64;
inline constexpr std::size_t kShareEscape = 63;  ///< a number (kOther) follows: the zigzag

/// What a share goes on after: the share symbol before in its block, or this before the first one;
/// always, of first keys of blocks.
inline constexpr std::size_t kShareNone = kShareSymbols;
inline constexpr std::size_t kShareContexts = kShareSymbols + 1;
/// Codes of rows, and of shares, by classes of these contexts.
inline constexpr std::size_t kRowClassesMax = 16;

/// Time symbol: place of the mtime among the last ones; 0: it is none of them, and follows.
inline constexpr std::size_t kTimeSymbols = 16;
inline constexpr unsigned kTimeCountBits = 4;  ///< of how many a page begins with, minus one

/// Attribute symbol: a number in the attribute table.
inline constexpr std::size_t kAttributeSymbols = 256;
inline constexpr std::size_t kAttributeEscape = 255;  ///< a number (kOther) follows, added to it

/// Extras symbol: a mask of what few entries have.
inline constexpr std::size_t kExtraSymbols = 512;
enum class Extra : std::uint16_t {
  kSparseMap = 1 << 0,
  kZstd = 1 << 1,
  kStored = 1 << 2,
  kAddress = 1 << 3,
  kLinkCount = 1 << 4,
  kChangeTime = 1 << 5,
  kAccessTime = 1 << 6,
  kXattrs = 1 << 7,
  kLongTarget = 1 << 8,  ///< of symlinks
  kFragment = 1 << 8,    ///< of regular files: they share a frame
};

/// The fragment frame that an entry of a block shared last, which most that follow share as well. A
/// value.
struct LastFragment {
  std::uint64_t stored_bytes = 0;  ///< 0: there is none yet
  std::uint32_t end = 0;           ///< of the content of the last file in it
  std::optional<DataAddress> address;

  /// Of an entry with a fragment offset.
  void use(const Entry& entry) {
    stored_bytes = entry.stored_bytes;
    end = *entry.fragment_offset + static_cast<std::uint32_t>(entry.size_bytes);
    address = entry.address;
  }
  /// Whether `entry` goes on where the last one ended.
  [[nodiscard]] bool goes_on_in(const Entry& entry) const {
    return entry.fragment_offset && stored_bytes != 0 && stored_bytes == entry.stored_bytes &&
           end == *entry.fragment_offset && address == entry.address;
  }
};

/// What says of each block how many bits its entries have, and how many bytes their data: the
/// widths of both, once a page.
inline constexpr unsigned kBlockBitsWidthBits = 4;
inline constexpr unsigned kBlockBytesWidthBits = 6;
/// Blocks whose first keys stand together; those of the first blocks of all groups stand before.
inline constexpr std::size_t kGroupBlocks = 8;
/// Of the length, in bits, of the first keys of the first blocks of all groups.
inline constexpr unsigned kGroupKeysWidthBits = 15;
/// What says of each group how many bits its other first keys have: the width of that, once a page.
inline constexpr unsigned kGroupBitsWidthBits = 4;

/// What numbers are, each with a prefix code of its own for their widths (0 to 64 bits).
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
/// What a text goes on after: the byte before, or one of these.
inline constexpr std::size_t kContextStart = 0;     ///< a key without shared bytes: as after 0x00
inline constexpr std::size_t kContextTarget = 256;  ///< the target of a symlink
inline constexpr std::size_t kTokenContexts = 257;
/// Classes of contexts, each with a prefix code of tokens.
inline constexpr std::size_t kTokenClassesMax = 32;
inline constexpr std::size_t kPlainTokenClassesMax = 16;  ///< of a model without contexts
/// What a text of a key begins after: a byte that the keys share, by groups, and the byte of the
/// key before that its first byte is above.
struct TextStart {
  std::size_t shared = kContextStart;  ///< the last shared byte; 0x00 if there is none
  std::size_t passed = 0;              ///< kPassedNone if the key before has no more bytes

  friend auto operator<=>(const TextStart&, const TextStart&) = default;
};
inline constexpr std::size_t kPassedNone = 256;
inline constexpr std::size_t kPassedContexts = 257;
inline constexpr std::size_t kByteGroupsMax = 16;

/// Turns `key` into the one that numbered names have next: its last run of decimal digits, in the
/// name, one higher at the same length.
/// @return the place of the first byte that changed; `key_bytes` where nothing did, for it has none
[[nodiscard]] std::size_t make_successor(char* key, std::size_t key_bytes);
/// Whether `key` is what make_successor() makes of `before`. Cost: O(1) but for equal keys.
[[nodiscard]] bool is_successor(std::string_view before, std::string_view key,
                                std::size_t shared_bytes);

}  // namespace dgfs::format
