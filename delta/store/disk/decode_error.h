// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#pragma once

#include "base/error.h"
#include "format/coding.h"

namespace dgfs::delta {

/// An error for bytes that are not what was written, at the position of the decoder.
[[nodiscard]] inline Error corrupt(std::uint16_t code, const format::Decoder& in,
                                   const char* text) {
  return Error(ErrorKind::kCorrupt, code, text).at_offset(in.offset());
}

}  // namespace dgfs::delta
