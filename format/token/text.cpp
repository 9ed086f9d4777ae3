// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/text.h"

#include <cstring>

namespace dgfs::format {
namespace {

/// Tokens that are certainly in the bits ahead.
constexpr unsigned kTokensAhead = BitReader::kAheadBits / kCodeBitsMax;

}  // namespace

bool TokenText::read(const TokenModel& model, std::size_t context, std::size_t bytes_max,
                     BitReader& in) {
  std::size_t number = model.token_class(context);
  auto bits = in;  // a copy, which stays in registers
  auto size = size_;
  while (number != kTokenClassesMax) {
    if (size > bytes_max || bits.overrun()) return false;
    if (size + kTokensAhead * TokenModel::kTokenRoomBytes > room_bytes_) grow(size);
    auto ahead = bits.ahead();
    unsigned taken_bits = 0;
    // A number of tokens that is fixed is foreseen; how many bits there are left would not be.
    for (unsigned i = 0; i < kTokensAhead && number != kTokenClassesMax; ++i) {
      const auto step = model.step(number, ahead);
      size += model.put_token(step, bytes_ + size);
      ahead <<= step.bits;
      taken_bits += step.bits;
      number = step.next_class;
    }
    bits.skip(taken_bits);
  }
  if (size - 1 > bytes_max || bits.overrun()) return false;
  in = bits;
  size_ = size - 1;
  return true;
}

void TokenText::grow(std::size_t used_bytes) {
  std::unique_ptr<char[]> more(new char[2 * room_bytes_]);
  std::memcpy(more.get(), bytes_, used_bytes);
  room_bytes_ *= 2;
  large_ = std::move(more);
  bytes_ = large_.get();
}

void TokenText::assign(std::string_view text) {
  while (text.size() > room_bytes_) grow(0);
  text.copy(bytes_, text.size());
  size_ = text.size();
}

}  // namespace dgfs::format
