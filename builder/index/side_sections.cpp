// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/side_sections.h"

#include <limits>

#include "builder/scan/xattr_reader.h"
#include "builder/spool/content_hash.h"
#include "format/header/section.h"

namespace dgfs::builder {
namespace {

using format::SectionKind;

Result<format::SideRef> append_sealed(SectionKind kind, Bytes body, Spool& spool) {
  const Buffer record = format::seal_record(kind, spool.size_bytes(), body);
  if (record.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error(ErrorKind::kLimit, 4061, "a record of a side section is too long");
  }
  const format::SideRef ref{spool.size_bytes(), static_cast<std::uint32_t>(record.size())};
  DGFS_CHECK(spool.append(record));
  return ref;
}

}  // namespace

Result<format::SideRef> SideSections::add_long_target(std::string_view target) {
  return append_sealed(SectionKind::kLongTargets, as_bytes(target), long_targets_);
}

Result<format::SideRef> SideSections::add_sparse_map(std::shared_ptr<const SegmentList> segments) {
  Buffer body;
  segments->encode(body);
  segments.reset();
  return add_sparse_map(body);
}

Result<format::SideRef> SideSections::add_sparse_map(Bytes encoded_map) {
  return append_sealed(SectionKind::kSparseMaps, encoded_map, sparse_maps_);
}

Result<format::SideRef> SideSections::add_xattrs(Bytes encoded_set) {
  ContentHash hash;
  hash.update(encoded_set);
  const Digest digest = hash.digest();
  if (const auto known = known_sets_.find(digest); known != known_sets_.end()) {
    return known->second;
  }
  DGFS_TRY(ref, append_sealed(SectionKind::kXattrs, encoded_set, xattrs_));
  has_acls_ = has_acls_ || holds_acl(encoded_set);
  if (known_sets_.size() == kKnownSetsMax) known_sets_.clear();
  known_sets_.emplace(digest, ref);
  return ref;
}

}  // namespace dgfs::builder
