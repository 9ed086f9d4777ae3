// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/page/header.h"

#include <algorithm>

#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::format {
namespace {

constexpr std::uint32_t kPageMagic = 0x47504744;  // "DGPG"

Error bad_page(std::uint16_t code, const char* what, std::size_t offset) {
  return Error(ErrorKind::kCorrupt, code, what).at_offset(offset);
}

std::uint64_t page_checksum(Bytes page) { return checksum64(page.subspan(8)); }

Status check_bounds(const PageHeader& header) {
  if (header.flags > kPageGaps) return bad_page(2133, "page has unknown flags", 13);  // F-119
  if (header.entry_count == 0 || header.entry_count > kPageEntriesMax) {              // F-114
    return bad_page(2134, "page has an entry count out of bounds", 18);
  }
  if (header.decoded_bytes == 0 || header.decoded_bytes > kPageDecodedBytesMax) {  // F-115
    return bad_page(2135, "page has a decoded length out of bounds", 20);
  }
  if (header.payload_bytes > kPagePayloadBytesMax) {  // F-116
    return bad_page(2136, "page has a payload length out of bounds", 24);
  }
  if (header.reserved != 0) return bad_page(2137, "page has reserved bytes set", 26);  // F-119
  return ok();
}

}  // namespace

Result<PageHeader> read_page_header(Bytes page) {
  if (page.size() != kPageBytes) return bad_page(2130, "page is not 4096 bytes long", 0);
  PageHeader header;
  header.checksum = load<std::uint64_t>(page, 0);
  header.magic = load<std::uint32_t>(page, 8);
  header.codec = page[12];
  header.flags = page[13];
  header.model_id = load<std::uint16_t>(page, 14);
  header.attribute_table = load<std::uint16_t>(page, 16);
  header.entry_count = load<std::uint16_t>(page, 18);
  header.decoded_bytes = load<std::uint32_t>(page, 20);
  header.payload_bytes = load<std::uint16_t>(page, 24);
  header.reserved = load<std::uint16_t>(page, 26);
  if (header.magic != kPageMagic) return bad_page(2131, "page has the wrong magic number", 8);
  if (header.checksum != page_checksum(page)) return bad_page(2132, "page checksum differs", 0);
  DGFS_CHECK(check_bounds(header));
  const auto padding = page.subspan(kPageHeaderBytes + header.payload_bytes);
  if (std::any_of(padding.begin(), padding.end(), [](auto byte) { return byte != 0; })) {  // F-116
    return bad_page(2138, "page has bytes after its payload", kPageHeaderBytes);
  }
  return header;
}

Buffer make_page(const PageHeader& header, Bytes payload) {
  Buffer page(kPageBytes);
  store<std::uint32_t>(page, 8, kPageMagic);
  page[12] = header.codec;
  page[13] = header.flags;
  store(MutableBytes(page), 14, header.model_id);
  store(MutableBytes(page), 16, header.attribute_table);
  store(MutableBytes(page), 18, header.entry_count);
  store(MutableBytes(page), 20, header.decoded_bytes);
  store(MutableBytes(page), 24, static_cast<std::uint16_t>(payload.size()));
  std::copy(payload.begin(), payload.end(), page.begin() + kPageHeaderBytes);
  store<std::uint64_t>(page, 0, page_checksum(page));
  return page;
}

}  // namespace dgfs::format
