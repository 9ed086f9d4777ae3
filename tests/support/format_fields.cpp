// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/format_fields.h"

#include <algorithm>
#include <cstring>

namespace dgfs::test {
namespace {

using enum Verdict;

// The fields from magic to uuid are the same in all header pages.
constexpr FieldRow kSuperblock[] = {
    {"magic", 0, 8},
    {"version_major", 8, 2},
    {"version_minor", 10, 2, kFree},
    {"header_bytes", 12, 4},
    {"compat", 16, 8},
    {"ro_compat", 24, 8, kFree},
    {"incompat", 32, 8},
    {"uuid", 40, 16},
    {"index_bytes", 56, 8},
    {"namespace_entries", 64, 8},
    {"link_entries", 72, 8},
    {"next_inode", 80, 8},
    {"created_seconds", 88, 8, kFree},
    {"regular_files", 96, 8, kFree},
    {"directories", 104, 8, kFree},
    {"symlinks", 112, 8, kFree},
    {"other_files", 120, 8, kFree},
    {"content_bytes", 128, 8, kFree},
    {"stored_bytes", 136, 8, kFree},
    {"section_count", 144, 4},
    {"reserved", 148, 4},
};
constexpr FieldRow kSectionRow[] = {
    {"kind", 0, 4},
    {"reserved", 4, 4},
    {"offset", 8, 8},
    {"length", 16, 8},
};
constexpr FieldRow kVolumeHeader[] = {
    {"magic", 0, 8},         {"version_major", 8, 2},  {"version_minor", 10, 2, kFree},
    {"header_bytes", 12, 4}, {"compat", 16, 8, kFree}, {"ro_compat", 24, 8, kFree},
    {"incompat", 32, 8},     {"uuid", 40, 16},         {"number", 56, 2},
    {"reserved", 58, 6},     {"data_end", 64, 8},      {"index_offset", 72, 8},
    {"index_bytes", 80, 8},  {"file_bytes", 88, 8},
};
constexpr FieldRow kSealedBlock[] = {
    {"checksum", 0, 8, kChecksum},
    {"stored_bytes", 8, 4},
    {"decoded_bytes", 12, 4},
    {"kind", 16, 4},
    {"codec", 20, 1},
    {"reserved", 21, 3},
};
constexpr FieldRow kPage[] = {
    {"checksum", 0, 8, kChecksum},
    {"magic", 8, 4},
    {"codec", 12, 1},
    {"flags", 13, 1},
    {"model_id", 14, 2},
    {"attribute_table", 16, 2},
    {"entry_count", 18, 2},
    {"decoded_bytes", 20, 4},
    {"payload_bytes", 24, 2},
    {"reserved", 26, 2},
};

constexpr FieldTable kSuperblockTable{"superblock", 152, kSuperblock};
constexpr FieldTable kSectionRowTable{"section row", 24, kSectionRow};
constexpr FieldTable kVolumeHeaderTable{"volume header", 96, kVolumeHeader};
constexpr FieldTable kSealedBlockTable{"sealed block", 24, kSealedBlock};
constexpr FieldTable kPageTable{"page", 28, kPage};

}  // namespace

const FieldTable& superblock_fields() { return kSuperblockTable; }
const FieldTable& section_row_fields() { return kSectionRowTable; }
const FieldTable& volume_header_fields() { return kVolumeHeaderTable; }
const FieldTable& sealed_block_fields() { return kSealedBlockTable; }
const FieldTable& page_fields() { return kPageTable; }

std::vector<std::uint64_t> hostile_values(std::uint64_t now, std::size_t size_bytes) {
  const auto bits = 8 * std::min<std::size_t>(size_bytes, 8);
  const auto max = ~std::uint64_t{0} >> (64 - bits);
  std::vector<std::uint64_t> values = {
      0, 1, max - 1, max, std::uint64_t{1} << (bits - 1), (now - 1) & max, (now + 1) & max};
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::erase(values, now);
  return values;
}

std::uint64_t load_field(Bytes bytes, std::size_t at, std::size_t size_bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, size_bytes);
  return value;
}

void store_field(MutableBytes bytes, std::size_t at, std::size_t size_bytes, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, size_bytes);
}

}  // namespace dgfs::test
