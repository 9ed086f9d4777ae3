// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/writer.h"

#include "format/coding.h"

namespace dgfs::format {

void ColumnWriter::bits(std::uint64_t value, unsigned count) {  // F-135
  while (count > 0) {
    const auto taken = count < 32 ? count : 32u;
    pending_ |= (value & ((std::uint64_t{1} << taken) - 1)) << pending_bits_;
    pending_bits_ += taken;
    value >>= taken;
    count -= taken;
    for (; pending_bits_ >= 8; pending_bits_ -= 8, pending_ >>= 8) {
      bits_.push_back(static_cast<std::uint8_t>(pending_));
    }
  }
}

Buffer ColumnWriter::finish() && {
  if (pending_bits_ > 0) bits_.push_back(static_cast<std::uint8_t>(pending_));
  store<std::uint32_t>(body_, 0, mask_);
  store<std::uint32_t>(body_, 4, static_cast<std::uint32_t>(bits_.size()));
  body_.insert(body_.end(), bits_.begin(), bits_.end());
  return std::move(body_);
}

}  // namespace dgfs::format
