// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The digest writer makes the two digest sections from the digests of regular files.
#pragma once

#include <optional>
#include <vector>

#include "builder/spool/spool.h"
#include "format/section/digest.h"
#include "format/section/digest_page.h"

namespace dgfs::builder {

/// Memory: some megabytes for any number of files; the rest is in spools.
class DigestWriter {
 public:
  DigestWriter(format::DigestAlgorithm algorithm, const SpoolPlace& place)
      : algorithm_(algorithm), pages_(place), table_(place), links_(place) {}

  [[nodiscard]] format::DigestAlgorithm algorithm() const { return algorithm_; }

  // Errors of all methods: kIo, kNoSpace.
  /// @param ordinal  of an entry of the tree; must rise
  [[nodiscard]] Status add(format::Ordinal ordinal, const format::Digest& digest);
  /// @param number  of a link record, counted among link records; must rise
  [[nodiscard]] Status add_link(std::uint64_t number, const format::Digest& digest);
  /// Must be called after the last digest. `first_link`: ordinal of the first link record.
  [[nodiscard]] Status finish(format::Ordinal first_link);

  /// After finish(): the contents of the sections; empty if there are no digests.
  [[nodiscard]] const Spool& pages() const { return pages_; }
  [[nodiscard]] const Spool& table() const { return table_; }

 private:
  [[nodiscard]] Status end_page();
  [[nodiscard]] Status end_block();

  format::DigestAlgorithm algorithm_;
  format::DigestPageFiller page_;
  std::uint64_t page_count_ = 0;
  std::vector<format::Ordinal> firsts_;  ///< first ordinals of the pages in the table's next block
  format::Ordinal before_ = 0;           ///< first ordinal of the last page in the block before
  Spool pages_;
  Spool table_;
  Spool links_;  ///< digests of link records, until their ordinals are known
};

}  // namespace dgfs::builder
