// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Encodes and decodes patches in runs.
//
//   patch   varint count of edits; then the edits
//   edit    type: 1 byte: 0 piece, 6 zeros, 7 least length (always the last), 8 and 9 large piece,
//           else the number of a FieldOperation
//           offset, or the least length: varint
//           piece: its bytes: string. Zeros: how many: varint. Field: operand: varint. Large piece:
//           its value: 8: the place of a value that is new in this message; 9: the number of an
//           earlier one, from 0 on: varint; then the first byte in the value, and how many: varints
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

/// Numbers the large values of one message in the order in which it names them. They are bound.
class LargeNumbers {
 public:
  /// Whether the message names it for the first time.
  [[nodiscard]] bool add(const LargeValue& large) {
    return numbers_.emplace(large.extent()->offset_bytes, numbers_.size()).second;
  }
  [[nodiscard]] std::uint64_t operator[](const LargeValue& large) const {
    return numbers_.at(large.extent()->offset_bytes);
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  ///< by offset
};

/// The large values of one message that were decoded, in order.
class LargeValues {
 public:
  /// Decodes the place of a new value. Errors: kCorrupt, also if another one begins there.
  [[nodiscard]] Result<LargeRef> decode(format::Decoder& in);
  /// Decodes the number of an earlier value. Errors: kCorrupt.
  [[nodiscard]] Result<LargeRef> decode_known(format::Decoder& in) const;

 private:
  std::vector<LargeRef> all_;
  std::unordered_set<std::uint64_t> offsets_;
};

void encode_patch(const Patch& patch, LargeNumbers& numbers, format::Encoder& out);
/// Errors: kCorrupt.
/// @param bytes_max  roughly, of the patch in memory
[[nodiscard]] Result<Patch> decode_patch(std::size_t bytes_max, LargeValues& values,
                                         format::Decoder& in);

/// Checks all of a patch without large pieces, and moves the decoder behind it. Returns the bytes
/// of the patch; nullopt: it has large pieces, and the decoder has not moved. Errors: kCorrupt.
[[nodiscard]] Result<std::optional<Bytes>> pass_small_patch(format::Decoder& in);
/// @param bytes  of a patch without large pieces, from encode_patch() or checked by
///               pass_small_patch()
[[nodiscard]] Patch small_patch_of(std::string_view bytes);

/// The error for something that takes more memory than allowed, at the position of the decoder.
[[nodiscard]] Error too_large(const format::Decoder& in);

}  // namespace dgfs::delta
