// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Endings: how a name ends, for the name behind it to end alike. Neighbours in a directory mostly
// have the same extension, whatever it is.
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
  kSeparator,  ///< from its first '.', '-' or '_' behind what the keys share
};
inline constexpr std::size_t kEndings = 2;
/// An ending lies within so many last bytes of the key before, so that they can be set aside.
inline constexpr std::size_t kEndingBytesMax = 32;

/// The last bytes of the name before, of which endings are made. A value.
class EndingSource {
 public:
  /// Of no key: all endings are empty.
  EndingSource() {}  // NOLINT: the bytes are not looked at
  /// @param key              its last byte stands at key[key_bytes - 1], and kEndingBytesMax bytes
  ///                         before key[0] may be read
  /// @param directory_bytes  what stands before the name
  /// @param shared_bytes     what the next key shares with it
  EndingSource(const char* key, std::size_t key_bytes, std::size_t directory_bytes,
               std::size_t shared_bytes)
      : name_bytes_(key_bytes - directory_bytes), unshared_bytes_(key_bytes - shared_bytes) {
    std::memcpy(bytes_, key + key_bytes - kEndingBytesMax, kEndingBytesMax);
  }
  /// Valid while this is.
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
  char bytes_[kEndingBytesMax];  ///< from the back; not set where there is no key
  std::size_t name_bytes_ = 0;
  std::size_t unshared_bytes_ = 0;  ///< behind the shared ones
};

/// What a writer needs to know: how long each ending is that a text has, with the text's end; 0
/// where the text has it not.
using EndingLengths = std::array<std::uint8_t, kEndings>;

/// @param text  without its end
[[nodiscard]] EndingLengths ending_lengths(std::string_view before, std::size_t directory_bytes,
                                           std::size_t shared_bytes, std::string_view text);

}  // namespace dgfs::format
