// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Helpers for tests of sections: expected errors, seeded bytes, and valid header pages to damage.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "base/bytes.h"
#include "base/result.h"
#include "format/checksum.h"
#include "format/coding.h"
#include "format/header/header_page.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "tests/support/random.h"

namespace dgfs::format::test {

using Random = dgfs::test::SeededEngine;

/// Fails the test unless `result` is an error of this kind with this code.
template <class T>
void expect_error(const Result<T>& result, ErrorKind kind, unsigned code) {
  ASSERT_FALSE(result.has_value()) << "expected error " << code;
  EXPECT_EQ(result.error().code(), code) << result.error().message();
  EXPECT_EQ(result.error().kind(), kind) << result.error().message();
}

inline std::uint64_t below(Random& random, std::uint64_t end) { return random() % end; }

inline Buffer random_bytes(Random& random, std::size_t size) {
  Buffer bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Calls `decode` with every strict prefix of `bytes`; each must fail with kCorrupt.
inline void expect_no_prefix_decodes(const Buffer& bytes,
                                     const std::function<bool(Bytes, ErrorKind&)>& decode) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // A separate copy, so that a sanitizer sees reads past the end.
    const Buffer prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    ErrorKind kind = ErrorKind::kIo;
    EXPECT_FALSE(decode(prefix, kind)) << "prefix of " << length << " bytes";
    EXPECT_EQ(kind, ErrorKind::kCorrupt) << "prefix of " << length << " bytes";
  }
}

/// Adapts a decoder to the function above.
template <class Decode>
auto kind_of(Decode decode) {
  return [decode](Bytes bytes, ErrorKind& kind) {
    auto result = decode(bytes);
    if (!result) kind = result.error().kind();
    return result.has_value();
  };
}

/// Puts the right checksum on a changed header page.
inline void reseal(Buffer& page) {
  store(MutableBytes(page), kHeaderChecksumOffset,
        checksum64(Bytes(page).first(kHeaderChecksumOffset)));
}

template <class Int>
Buffer with(Buffer page, std::size_t offset, Int value) {
  store(MutableBytes(page), offset, value);
  reseal(page);
  return page;
}

/// 0, 1, the sign bit and values around the largest one, cut to `width_bytes`.
inline std::vector<std::uint64_t> edge_values(std::size_t width_bytes) {
  const auto max =
      width_bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * width_bytes)) - 1;
  return {0, 1, max / 2, max / 2 + 1, max - 1, max};
}

struct FieldPlace {
  std::size_t offset;
  std::size_t width_bytes;
};

inline Buffer with_field(Buffer page, FieldPlace field, std::uint64_t value) {
  std::memcpy(page.data() + field.offset, &value, field.width_bytes);
  reseal(page);
  return page;
}

inline Uuid counting_uuid() {
  Uuid uuid{};
  for (std::size_t i = 0; i < uuid.size(); ++i) uuid[i] = static_cast<std::uint8_t>(0xa0 + i);
  return uuid;
}

/// 3 pages with 301 entries; sections at 4096, 16384 and on.
inline Superblock valid_superblock() {
  Superblock superblock;
  superblock.compat = feature::kCompatXattrs;
  superblock.incompat = feature::kIncompatZstdExtents;
  superblock.uuid = counting_uuid();
  superblock.index_bytes = 20480;
  superblock.namespace_entries = 300;
  superblock.link_entries = 1;
  superblock.next_inode = 301;
  superblock.created_seconds = -2;
  superblock.regular_files = 250;
  superblock.directories = 40;
  superblock.symlinks = 9;
  superblock.other_files = 1;
  superblock.content_bytes = 0x123456789;
  superblock.stored_bytes = 0x123457891;
  const auto place = [&](SectionKind kind, std::uint64_t offset, std::uint64_t length) {
    superblock.sections[static_cast<std::size_t>(kind)] = {kind, offset, length};
  };
  place(SectionKind::kPages, 4096, 12288);
  place(SectionKind::kPageDirectory, 16384, 100);
  place(SectionKind::kDirectoryTable, 16488, 50);
  place(SectionKind::kAttributeTables, 16544, 33);
  place(SectionKind::kInodeRuns, 16584, 28);
  place(SectionKind::kVolumes, 16616, 41);
  return superblock;
}

inline VolumeHeader valid_volume_header() {
  VolumeHeader header;
  header.incompat = feature::kIncompatVolumes;
  header.image_uuid = counting_uuid();
  header.number = 0;
  header.data_end = 4096 + 1000;
  header.index_offset = 8192;
  header.index_bytes = 20480;
  header.file_bytes = 8192 + 20480 + 4096;
  return header;
}

}  // namespace dgfs::format::test
