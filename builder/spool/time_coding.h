// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A time that an entry may lack, in records of the spools.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "format/coding.h"

namespace dgfs::builder {

/// One byte, whether there is a time; then its seconds and nanoseconds.
inline void encode_time(const std::optional<Time>& time, format::Encoder& encoder) {
  encoder.fixed(static_cast<std::uint8_t>(time.has_value()));
  if (!time) return;
  encoder.fixed(time->seconds);
  encoder.fixed(time->nanoseconds);
}

/// The reverse. Errors: those of Decoder (a record that ends too early).
[[nodiscard]] inline Result<std::optional<Time>> decode_time(format::Decoder& decoder) {
  DGFS_TRY(has_time, decoder.fixed<std::uint8_t>());
  if (has_time == 0) return std::optional<Time>();
  DGFS_TRY(seconds, decoder.fixed<std::int64_t>());
  DGFS_TRY(nanoseconds, decoder.fixed<std::uint32_t>());
  return std::optional(Time{seconds, nanoseconds});
}

}  // namespace dgfs::builder
