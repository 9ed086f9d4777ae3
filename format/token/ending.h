// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Endings: the last bytes of a name, which the next name can take over. Neighbours in a directory
// mostly have the same extension.
//
//   before   dcn_3_2_0_sh_mask.h        key     dcn_3_2_1_...
//                    |       |                  shares 8 bytes with it
//                    |       `- last dot: ending kDot
//                    `- first separator behind the shared bytes: ending kSeparator
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dgfs::format {

enum class Ending : std::uint8_t {
  kDot,        ///< from the last '.' of the name before
  kSeparator,  ///< from its first '.', '-' or '_' behind the bytes that the keys share
};
inline constexpr std::size_t kEndings = 2;
/// An ending lies within this many last bytes of the key before, so a reader copies only these.
inline constexpr std::size_t kEndingBytesMax = 32;

/// The last bytes of the name before. Endings are taken from them. A value.
class EndingSource {
 public:
  /// Without a key: all endings are empty.
  EndingSource() {}  // NOLINT: the bytes are not looked at
  /// @param key              its last byte stands at key[key_bytes - 1], and kEndingBytesMax bytes
  ///                         before key[0] may be read
  /// @param directory_bytes  length of the part before the name
  /// @param shared_bytes     length of the part that the next key shares with this one
  EndingSource(const char* key, std::size_t key_bytes, std::size_t directory_bytes,
               std::size_t shared_bytes)
      : name_bytes_(key_bytes - directory_bytes), unshared_bytes_(key_bytes - shared_bytes) {
    std::memcpy(bytes_, key + key_bytes - kEndingBytesMax, kEndingBytesMax);
  }
  /// Valid as long as this object.
  [[nodiscard]] std::string_view ending(Ending which) const {
    const auto* const end = bytes_ + kEndingBytesMax;
    const auto size = std::min(name_bytes_, kEndingBytesMax);
    if (which == Ending::kDot) {
      const auto* from = end;
      while (from != end - size) {
        if (*--from == '.') return {from, static_cast<std::size_t>(end - from)};
      }
      return {};
    }
    const auto* at = end - std::min(unshared_bytes_, size);
    while (at != end && *at != '.' && *at != '-' && *at != '_') ++at;
    return {at, static_cast<std::size_t>(end - at)};
  }

 private:
  char bytes_[kEndingBytesMax];  ///< the last bytes of the key; not set without a key
  std::size_t name_bytes_ = 0;
  std::size_t unshared_bytes_ = 0;  ///< length of the key behind the shared bytes
};

/// For a writer: the length of each ending, including kTextEnd; 0 if the text does not have it.
using EndingLengths = std::array<std::uint8_t, kEndings>;

/// @param text  without its end
[[nodiscard]] EndingLengths ending_lengths(std::string_view before, std::size_t directory_bytes,
                                           std::size_t shared_bytes, std::string_view text);

}  // namespace dgfs::format
