// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/ending.h"

namespace dgfs::format {

EndingLengths ending_lengths(std::string_view before, std::size_t directory_bytes,
                             std::size_t shared_bytes, std::string_view text) {
  // EndingSource may read bytes before the key, so the copy has room there.
  const auto cut = before.size() > kEndingBytesMax ? before.size() - kEndingBytesMax : 0;
  char padded[2 * kEndingBytesMax] = {};
  before.substr(cut).copy(padded + kEndingBytesMax, kEndingBytesMax);
  const auto behind_cut = [cut](std::size_t bytes) { return bytes > cut ? bytes - cut : 0; };
  const EndingSource source(padded + kEndingBytesMax, before.size() - cut,
                            behind_cut(directory_bytes), behind_cut(shared_bytes));
  EndingLengths lengths{};
  for (std::size_t i = 0; i < kEndings; ++i) {
    const auto ending = source.ending(static_cast<Ending>(i));
    if (text.ends_with(ending)) lengths[i] = static_cast<std::uint8_t>(ending.size() + 1);
  }
  return lengths;
}

}  // namespace dgfs::format
