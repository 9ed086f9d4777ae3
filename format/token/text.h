// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// TokenText: a text of a token page while it is decoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "format/token/bit_reader.h"
#include "format/token/model.h"

namespace dgfs::format {

/// A key, or another text, that grows token by token.
class TokenText {
 public:
  TokenText() = default;
  TokenText(const TokenText&) = delete;
  TokenText& operator=(const TokenText&) = delete;
  void assign(std::string_view text);
  [[nodiscard]] std::string_view view() const { return {bytes_, size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] char* data() { return bytes_; }
  void truncate(std::size_t size) { size_ = size; }
  /// Appends tokens up to the text's end. Returns false, and leaves the text unchanged, if it would
  /// have more than `bytes_max` bytes or the bits end early.
  /// @param first_class  class of the first token
  /// @param endings      of the key before
  bool read(const TokenModel& model, std::size_t first_class, std::size_t bytes_max, BitReader& in,
            const EndingSource& endings = EndingSource());

 private:
  /// Puts an ending in the place of kTextEnd, the last byte of the text.
  /// @param number  the ending's TokenModel::Step::next_class
  /// @return the new size, including a further byte for kTextEnd
  std::size_t append_ending(std::size_t number, std::size_t size, const EndingSource& endings);
  /// Most keys fit and need no allocation.
  static constexpr std::size_t kRoomBytes = 480;
  /// Doubles the room; keeps the first `used_bytes` bytes.
  void grow(std::size_t used_bytes);

  char small_[kEndingBytesMax + kRoomBytes];  ///< with room before the text, for EndingSource
  std::unique_ptr<char[]> large_;
  char* bytes_ = small_ + kEndingBytesMax;
  std::size_t room_bytes_ = kRoomBytes;
  std::size_t size_ = 0;
};

}  // namespace dgfs::format
