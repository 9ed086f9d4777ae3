// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/header_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/header/feature.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kMajorOffset = 8;
constexpr std::size_t kMinorOffset = 10;
constexpr std::size_t kHeaderBytesOffset = 12;
constexpr std::size_t kRoCompatOffset = 24;
constexpr std::size_t kIncompatOffset = 32;

std::string version_text(unsigned major, unsigned minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

HeaderCommon load_common(Bytes page) {
  HeaderCommon common;
  common.version_major = load<std::uint16_t>(page, kMajorOffset);
  common.version_minor = load<std::uint16_t>(page, kMinorOffset);
  common.header_bytes = load<std::uint32_t>(page, kHeaderBytesOffset);
  common.compat = load<std::uint64_t>(page, kHeaderCompatOffset);
  common.ro_compat = load<std::uint64_t>(page, kRoCompatOffset);
  common.incompat = load<std::uint64_t>(page, kIncompatOffset);
  std::copy_n(page.begin() + kHeaderUuidOffset, common.uuid.size(), common.uuid.begin());
  return common;
}

Error problem(ErrorKind kind, std::uint16_t code, std::string_view section, std::size_t offset,
              std::string text) {
  return Error(kind, code, std::move(text)).in_section(section).at_offset(offset);
}

Status check_identity(std::string_view magic, std::string_view section, Bytes page) {
  if (page.size() != kPageBytes) {
    return problem(ErrorKind::kCorrupt, 2540, section, 0,
                   "header page is cut off at " + std::to_string(page.size()) + " bytes");
  }
  if (as_text(page.first(kMagicBytes)) != magic) {  // F-010
    return problem(ErrorKind::kCorrupt, 2541, section, 0, "magic does not match");
  }
  const auto expected = checksum64(page.first(kHeaderChecksumOffset));
  if (load<std::uint64_t>(page, kHeaderChecksumOffset) != expected) {  // F-011
    return problem(ErrorKind::kCorrupt, 2542, section, kHeaderChecksumOffset,
                   "checksum does not match");
  }
  return ok();
}

// F-012, F-014.
Status check_support(std::string_view section, const HeaderCommon& common) {
  if (common.version_major == 0) {
    return problem(ErrorKind::kCorrupt, 2543, section, kMajorOffset, "format version is 0");
  }
  if (common.version_major > kVersionMajor) {
    return problem(ErrorKind::kUnsupported, 2544, section, kMajorOffset,
                   "format " + version_text(common.version_major, common.version_minor) +
                       " is newer than this program (" +
                       version_text(kVersionMajor, kVersionMinor) + ")");
  }
  const auto unknown = common.incompat & ~feature::kIncompatKnown;
  if (unknown != 0) {
    return problem(ErrorKind::kUnsupported, 2545, section, kIncompatOffset,
                   fmt::format("needs features that this program lacks: {}",
                               fmt::join(incompat_names(unknown), ", ")));
  }
  return ok();
}

}  // namespace

void seal_header_page(std::string_view magic, const HeaderCommon& common, MutableBytes page) {
  std::copy_n(magic.begin(), kMagicBytes, page.begin());
  store(page, kMajorOffset, common.version_major);
  store(page, kMinorOffset, common.version_minor);
  store(page, kHeaderBytesOffset, common.header_bytes);
  store(page, kHeaderCompatOffset, common.compat);
  store(page, kRoCompatOffset, common.ro_compat);
  store(page, kIncompatOffset, common.incompat);
  std::copy_n(common.uuid.begin(), common.uuid.size(), page.begin() + kHeaderUuidOffset);
  store(page, kHeaderChecksumOffset, checksum64(page.first(kHeaderChecksumOffset)));
}

Result<HeaderCommon> open_header_page(std::string_view magic, std::string_view section,
                                      std::size_t header_bytes, Bytes page) {
  DGFS_CHECK(check_identity(magic, section, page));
  const auto common = load_common(page);
  DGFS_CHECK(check_support(section, common));
  // F-013: a later minor version may have appended fields; they are skipped.
  const bool fits = common.header_bytes >= header_bytes && common.header_bytes % 8 == 0 &&
                    common.header_bytes <= kHeaderChecksumOffset;
  const bool exact = common.version_minor > kVersionMinor || common.header_bytes == header_bytes;
  if (!fits || !exact) {
    return problem(ErrorKind::kCorrupt, 2546, section, kHeaderBytesOffset,
                   "header length " + std::to_string(common.header_bytes) + " is impossible");
  }
  return common;
}

Status check_header_rest(std::string_view section, std::size_t begin, Bytes page) {
  const auto rest = page.subspan(begin, kHeaderChecksumOffset - begin);
  const auto bad = std::find_if(rest.begin(), rest.end(), [](std::uint8_t b) { return b != 0; });
  if (bad == rest.end()) return ok();
  return problem(ErrorKind::kCorrupt, 2547, section,  // F-015
                 begin + static_cast<std::size_t>(bad - rest.begin()),
                 "reserved bytes are not zero");
}

}  // namespace dgfs::format
