// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The numbers in the bodies of sections, found by reading bodies as docs/FORMAT.md lays them out.
// format_fields.h does the same for structures whose fields have fixed places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/header/section.h"

namespace dgfs::test {

/// A number in a body.
struct BodyField {
  std::string name;  ///< as in FORMAT.md
  std::size_t at = 0;
  std::size_t size_bytes = 0;  ///< 1 to 8; for a varint, its current length
  bool is_varint = false;
  std::uint64_t value = 0;
};

/// The fields of a sound body: of a sealed block, or of a sealed record without its checksum. For
/// long rows of one field, only the first two and the last. A malformed body ends the program.
[[nodiscard]] std::vector<BodyField> body_fields(format::SectionKind kind, Bytes body);

/// The fields of the seek table of an extent with so many frames.
[[nodiscard]] std::vector<BodyField> seek_table_fields(Bytes table, std::uint64_t frames);

/// Returns the body with another value in the field; a varint gets the length that the value needs.
[[nodiscard]] Buffer with_value(Bytes body, const BodyField& field, std::uint64_t value);

}  // namespace dgfs::test
