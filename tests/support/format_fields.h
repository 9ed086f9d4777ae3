// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The fixed fields of docs/FORMAT.md as tables: what a test needs that puts every value that could
// hurt into every one of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace dgfs::test {

/// What becomes of a value that the writer did not put there, once all checksums fit it.
enum class Verdict : std::uint8_t {
  kChecksum,  ///< the field is (part of) what says whether the rest is whole
  kBounds,    ///< a rule refuses some values; where none does, nothing wrong may come of it
  kFree,      ///< any value is right
};

struct FieldRow {
  std::string_view name;       ///< as in FORMAT.md
  std::size_t offset = 0;      ///< in the structure
  std::size_t size_bytes = 0;  ///< larger than 8: text or a hash, changed byte by byte
  Verdict verdict = Verdict::kBounds;
};

/// A structure whose fields stand at fixed places.
struct FieldTable {
  std::string_view name;
  std::size_t size_bytes = 0;  ///< fields and reserved bytes together are all of it
  std::span<const FieldRow> rows;
};

[[nodiscard]] const FieldTable& superblock_fields();     ///< up to the section table
[[nodiscard]] const FieldTable& section_row_fields();    ///< of the section table
[[nodiscard]] const FieldTable& volume_header_fields();  ///< up to header_bytes
[[nodiscard]] const FieldTable& sealed_block_fields();   ///< the header
[[nodiscard]] const FieldTable& page_fields();           ///< the header

/// 0, 1, the largest value and the one below, the sign bit, one less and one more than now; without
/// what is there now, each once.
[[nodiscard]] std::vector<std::uint64_t> hostile_values(std::uint64_t now, std::size_t size_bytes);

/// An integer of 1 to 8 bytes at `at`.
[[nodiscard]] std::uint64_t load_field(Bytes bytes, std::size_t at, std::size_t size_bytes);
void store_field(MutableBytes bytes, std::size_t at, std::size_t size_bytes, std::uint64_t value);

}  // namespace dgfs::test
