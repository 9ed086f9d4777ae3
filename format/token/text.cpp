// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/text.h"

#include <cstring>

namespace dgfs::format {
namespace {

/// Number of tokens that are certainly in the bits ahead.
constexpr unsigned kTokensAhead = BitReader::kAheadBits / kCodeBitsMax;

}  // namespace

bool TokenText::read(const TokenModel& model, std::size_t first_class, std::size_t bytes_max,
                     BitReader& in, const EndingSource& endings) {
  auto number = first_class;
  auto bits = in;  // a copy, which stays in registers
  auto size = size_;
  while (number < TokenModel::kTextEnds) {
    if (size > bytes_max || bits.overrun()) return false;
    if (size + kTokensAhead * TokenModel::kTokenRoomBytes > room_bytes_) grow(size);
    auto ahead = bits.ahead();
    unsigned taken_bits = 0;
    // The processor predicts the branches of a loop over a fixed number of tokens. It could not
    // predict a loop that depends on the number of bits left.
    for (unsigned i = 0; i < kTokensAhead && number < TokenModel::kTextEnds; ++i) {
      const auto step = model.step(number, ahead);
      size += model.put_token(step, bytes_ + size);
      ahead <<= step.bits;
      taken_bits += step.bits;
      number = step.next_class;
    }
    bits.skip(taken_bits);
  }
  if (number > TokenModel::kTextEnds) {
    size = append_ending(number, size, endings);
  }
  if (size - 1 > bytes_max || bits.overrun()) return false;
  in = bits;
  size_ = size - 1;
  return true;
}

std::size_t TokenText::append_ending(std::size_t number, std::size_t size,
                                     const EndingSource& endings) {
  const auto ending = endings.ending(static_cast<Ending>(number - TokenModel::kTextEnds - 1));
  if (size + ending.size() > room_bytes_) grow(size);
  ending.copy(bytes_ + size - 1, ending.size());
  return size + ending.size();
}

void TokenText::grow(std::size_t used_bytes) {
  std::unique_ptr<char[]> more(new char[kEndingBytesMax + 2 * room_bytes_]);
  std::memcpy(more.get() + kEndingBytesMax, bytes_, used_bytes);
  room_bytes_ *= 2;
  large_ = std::move(more);
  bytes_ = large_.get() + kEndingBytesMax;
}

void TokenText::assign(std::string_view text) {
  while (text.size() > room_bytes_) grow(0);
  text.copy(bytes_, text.size());
  size_ = text.size();
}

}  // namespace dgfs::format
