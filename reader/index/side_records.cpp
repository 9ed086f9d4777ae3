// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/side_records.h"

#include "format/header/section.h"
#include "format/limits.h"
#include "format/section/xattr_set.h"
#include "reader/placed_error.h"

namespace dgfs::reader {

using format::SectionKind;

namespace {

// Bounds of valid records. The length of a record is untrusted until its checksum is verified, and
// could make the reader allocate 4 GiB: a sparse index file is easily that long.
constexpr std::uint64_t kVarintBytesMax = 10;
constexpr std::uint64_t kTargetRecordBytesMax =
    format::kRecordChecksumBytes + format::kTargetBytesMax;
constexpr std::uint64_t kMapRecordBytesMax =
    format::kRecordChecksumBytes + kVarintBytesMax +
    2 * kVarintBytesMax * std::uint64_t{format::kSparseSegmentsMax};
// All names together have at most 64 KiB, with one more byte for each, so there are at most half as
// many names. That a system lists far fewer does not matter here.
constexpr std::uint64_t kXattrsMax = format::kXattrListBytesMax / 2;
constexpr std::uint64_t kXattrRecordBytesMax =
    format::kRecordChecksumBytes + format::kXattrListBytesMax +
    kXattrsMax * (format::kXattrValueBytesMax + 2 * kVarintBytesMax);

}  // namespace

template <class Decode>
auto SideRecords::read(const IndexCopy& copy, SectionKind kind, const format::SideRef& ref,
                       std::uint64_t length_bytes_max, const Decode& decode) const
    -> decltype(decode(Bytes())) {
  if (ref.length_bytes > length_bytes_max) {
    return placed(Error(ErrorKind::kLimit, 3091, "a record longer than any that is valid"),
                  copy.path(), format::section_name(kind),
                  copy.section_offset(kind) + ref.offset_bytes);
  }
  CounterCells::add(counters_.side_reads);
  CounterCells::add(counters_.side_read_bytes, ref.length_bytes);
  DGFS_TRY(record, copy.read_record(kind, ref));
  const auto* section = format::section_name(kind);
  const auto place = copy.section_offset(kind) + ref.offset_bytes;
  DGFS_TRY(body, placed_result(format::open_record(kind, ref.offset_bytes, record), copy.path(),
                               section, place));
  return placed_result(decode(body), copy.path(), section, place);
}

Result<std::string> SideRecords::target_of(const IndexCopy& copy, const Node& node) const {
  return read(copy, SectionKind::kLongTargets, node.long_target, kTargetRecordBytesMax,
              [&](Bytes body) -> Result<std::string> {
                const auto text = as_text(body);  // F-167; kTargetRecordBytesMax bounds it
                if (text.size() != node.size_bytes || text.empty() ||
                    text.find('\0') != std::string_view::npos) {
                  return Error(ErrorKind::kCorrupt, 3090, "not the target of this symlink");
                }
                return std::string(text);
              });
}

Result<std::vector<Xattr>> SideRecords::xattrs_of(const IndexCopy& copy, const Node& node) const {
  return read(copy, SectionKind::kXattrs, node.xattrs, kXattrRecordBytesMax,
              format::decode_xattr_set);
}

Result<format::SparseMap> SideRecords::map_of(const IndexCopy& copy, const Node& node) const {
  return read(copy, SectionKind::kSparseMaps, node.sparse_map, kMapRecordBytesMax,
              [&](Bytes body) { return format::SparseMap::decode(body, node.size_bytes); });
}

Result<std::string> SideRecords::target(const Node& node) const {
  if (!node.long_target.present()) return node.target;
  return source_.read(counters_, [&](const IndexCopy& copy) { return target_of(copy, node); });
}

Result<std::vector<Xattr>> SideRecords::xattrs(const Node& node) const {
  if (!node.xattrs.present()) return std::vector<Xattr>{};
  return source_.read(counters_, [&](const IndexCopy& copy) { return xattrs_of(copy, node); });
}

Result<format::SparseMap> SideRecords::sparse_map(const Node& node) const {
  return source_.read(counters_, [&](const IndexCopy& copy) { return map_of(copy, node); });
}

Status SideRecords::check(const IndexCopy& copy, const Node& node) const {
  if (node.long_target.present()) {
    DGFS_CHECK(target_of(copy, node));
  }
  if (node.xattrs.present()) {
    DGFS_CHECK(xattrs_of(copy, node));
  }
  if (node.sparse_map.present()) {
    DGFS_CHECK(map_of(copy, node));
  }
  return ok();
}

}  // namespace dgfs::reader
