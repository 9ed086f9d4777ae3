// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The side sections: long symlink targets, xattr sets and sparse maps, each record sealed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "builder/spool/segment_list.h"
#include "builder/spool/spool.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

class SideSections {
 public:
  explicit SideSections(const SpoolPlace& place)
      : long_targets_(place), xattrs_(place), sparse_maps_(place) {}

  // Errors of all methods: kIo, kNoSpace, kLimit.
  [[nodiscard]] Result<format::SideRef> add_long_target(std::string_view target);
  /// Releases the segments, which may take many MiB, before it seals their record.
  [[nodiscard]] Result<format::SideRef> add_sparse_map(std::shared_ptr<const SegmentList> segments);
  /// @param encoded_map  as SegmentList::encode() makes it
  [[nodiscard]] Result<format::SideRef> add_sparse_map(Bytes encoded_map);
  /// Equal sets share one record, if the bounded table of known sets still has the first.
  [[nodiscard]] Result<format::SideRef> add_xattrs(Bytes encoded_set);

  [[nodiscard]] bool has_acls() const { return has_acls_; }
  [[nodiscard]] const Spool& long_targets() const { return long_targets_; }
  [[nodiscard]] const Spool& xattrs() const { return xattrs_; }
  [[nodiscard]] const Spool& sparse_maps() const { return sparse_maps_; }

  /// Known sets, about 80 bytes each. A full table is emptied.
  static constexpr std::size_t kKnownSetsMax = std::size_t{1} << 16;

 private:
  using Digest = std::array<std::uint8_t, 16>;

  Spool long_targets_;
  Spool xattrs_;
  Spool sparse_maps_;
  std::map<Digest, format::SideRef> known_sets_;
  bool has_acls_ = false;
};

}  // namespace dgfs::builder
