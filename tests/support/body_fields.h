// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The numbers in what sections hold, found by reading bodies as docs/FORMAT.md lays them out: what
// format_fields.h is for structures whose fields have no fixed places.
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
  std::size_t size_bytes = 0;  ///< 1 to 8; of a varint, as it stands
  bool is_varint = false;
  std::uint64_t value = 0;
};

/// The fields of a sound body of a sealed block, or of a sealed record without its checksum; of
/// long rows of the same field the first two and the last. A body that is not as the format says
/// ends the program.
[[nodiscard]] std::vector<BodyField> body_fields(format::SectionKind kind, Bytes body);

/// Those of an extent's seek table, of an image where it has `frames`.
[[nodiscard]] std::vector<BodyField> seek_table_fields(Bytes table, std::uint64_t frames);

/// The body with another value in the field, its varint as long as that takes.
[[nodiscard]] Buffer with_value(Bytes body, const BodyField& field, std::uint64_t value);

}  // namespace dgfs::test
