// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The fixed fields of docs/FORMAT.md as tables, for tests that set each field to every value that
// could hurt.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace dgfs::test {

/// The reaction of readers to a wrong value, once all checksums fit it.
enum class Verdict : std::uint8_t {
  kChecksum,  ///< the field is a checksum, or a part of one
  kBounds,    ///< a rule refuses some values; the others must do no harm
  kFree,      ///< any value is right
};

struct FieldRow {
  std::string_view name;       ///< as in FORMAT.md
  std::size_t offset = 0;      ///< offset in the structure
  std::size_t size_bytes = 0;  ///< larger than 8: text or a hash, changed byte by byte
  Verdict verdict = Verdict::kBounds;
};

/// A structure with fields at fixed places.
struct FieldTable {
  std::string_view name;
  std::size_t size_bytes = 0;  ///< fields and reserved bytes together fill it
  std::span<const FieldRow> rows;
};

[[nodiscard]] const FieldTable& superblock_fields();     ///< up to the section table
[[nodiscard]] const FieldTable& section_row_fields();    ///< of the section table
[[nodiscard]] const FieldTable& volume_header_fields();  ///< up to header_bytes
[[nodiscard]] const FieldTable& sealed_block_fields();   ///< the header
[[nodiscard]] const FieldTable& page_fields();           ///< the header

/// 0, 1, the largest value and the one below, the sign bit, and the current value plus and minus
/// one; each once, without the current value.
[[nodiscard]] std::vector<std::uint64_t> hostile_values(std::uint64_t now, std::size_t size_bytes);

/// Loads an integer of 1 to 8 bytes at `at`.
[[nodiscard]] std::uint64_t load_field(Bytes bytes, std::size_t at, std::size_t size_bytes);
void store_field(MutableBytes bytes, std::size_t at, std::size_t size_bytes, std::uint64_t value);

}  // namespace dgfs::test
