// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/coding.h"

namespace dgfs::format {

Error Decoder::ends_early() const {
  return Error(ErrorKind::kCorrupt, 2001, "data ends inside a field").at_offset(at_);
}

Result<std::uint64_t> Decoder::long_varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at_end()) return ends_early();
    const std::uint8_t byte = in_[at_++];
    if (shift == 63 && byte > 1) break;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return Error(ErrorKind::kCorrupt, 2002, "number is longer than 64 bits").at_offset(at_ - 1);
}

Result<std::uint64_t> Decoder::long_varint_up_to(std::uint64_t max) {
  const auto start = at_;
  DGFS_TRY(value, varint());
  if (value > max) {
    return Error(ErrorKind::kCorrupt, 2003,
                 "number " + std::to_string(value) + " is above its limit " + std::to_string(max))
        .at_offset(start);
  }
  return value;
}

Result<std::int64_t> Decoder::signed_varint() {
  DGFS_TRY(value, varint());
  return unzigzag(value);
}

Result<std::string_view> Decoder::string(std::uint64_t max_bytes) {
  DGFS_TRY(length, varint_up_to(max_bytes));
  DGFS_TRY(bytes, raw(length));
  return as_text(bytes);
}

Status Decoder::finish() const {
  if (at_end()) return ok();
  return Error(ErrorKind::kCorrupt, 2004,
               std::to_string(remaining()) + " bytes follow the last field")
      .at_offset(at_);
}

}  // namespace dgfs::format
