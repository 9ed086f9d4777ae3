// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Patches to bytes and back, as runs have them.
//
//   patch   edits: varint count; then these
//   edit    what: 1 byte: 0 a piece, 6 zeros, 7 the least length, which is the last, 8 and 9 a
//           large piece, else the number of a FieldOperation; offset, or that length: varint; of a
//           piece its bytes: string; of zeros how many: varint; of a field the operand: varint; of
//           a large piece its value: the place of one that the message has not named before (8),
//           or the number of one that it has, from 0 on: varint (9); then the first of the value's
//           bytes, and how many: varints
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/message/patch.h"
#include "format/coding.h"

namespace dgfs::delta {

/// Large values of one message, by numbers, in the order in which it names them. They are bound.
class LargeNumbers {
 public:
  /// Whether it is named for the first time.
  [[nodiscard]] bool add(const LargeValue& large) {
    return numbers_.emplace(large.extent()->offset_bytes, numbers_.size()).second;
  }
  [[nodiscard]] std::uint64_t operator[](const LargeValue& large) const {
    return numbers_.at(large.extent()->offset_bytes);
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  ///< by offset
};

/// Large values of one message that were read, in order.
class LargeValues {
 public:
  /// The next, whose place is in `in`. Errors: kCorrupt, also where one begins there already.
  [[nodiscard]] Result<LargeRef> decode(format::Decoder& in);
  /// One of them, whose number is in `in`. Errors: kCorrupt.
  [[nodiscard]] Result<LargeRef> decode_known(format::Decoder& in) const;

 private:
  std::vector<LargeRef> all_;
  std::unordered_set<std::uint64_t> offsets_;
};

void encode_patch(const Patch& patch, LargeNumbers& numbers, format::Encoder& out);
/// Errors: kCorrupt.
/// @param bytes_max  of memory that it takes, about
[[nodiscard]] Result<Patch> decode_patch(std::size_t bytes_max, LargeValues& values,
                                         format::Decoder& in);

/// Checks all of a patch without large pieces, and moves the decoder behind it. Errors: kCorrupt.
/// Returns its bytes; nullopt: the patch has large pieces, and the decoder has not moved.
[[nodiscard]] Result<std::optional<Bytes>> pass_small_patch(format::Decoder& in);
/// @param bytes  of a patch without large pieces, which encode_patch() has made, or
///               pass_small_patch() has passed
[[nodiscard]] Patch small_patch_of(std::string_view bytes);

/// What takes more memory than it was said to, where the decoder is.
[[nodiscard]] Error too_large(const format::Decoder& in);

}  // namespace dgfs::delta
