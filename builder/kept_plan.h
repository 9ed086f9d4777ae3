// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Kept plan: which contents of a kept tree stay in volumes of other images, and what an index and a
// report say of them.
#pragma once

#include "builder/index/writer.h"
#include "builder/kept_tree.h"
#include "builder/pack/kept_extents.h"
#include "builder/report.h"
#include "builder/scan/scanner.h"

namespace dgfs::builder {

/// For one thread.
class KeptPlan {
 public:
  /// @param tree  must outlive this
  explicit KeptPlan(const KeptTree& tree) : tree_(tree) {}

  /// Scans the tree, and chooses the volumes that are packed anew. The rest of the build sees their
  /// contents in `sinks` as if they had never been kept. Returns the totals of all that is packed.
  /// Errors: those of KeptTree::scan() and of the spools.
  [[nodiscard]] Result<ScanTotals> scan(const ScanSinks& sinks, const SpoolPlace& place);
  /// Whether some contents stay where they are.
  [[nodiscard]] bool keeps_any() const { return !uses_.empty(); }
  /// Adds the volumes with kept contents, and the numbers that objects have had.
  void add_to(IndexFacts& facts) const;
  void add_to(BuildReport& report) const;

 private:
  [[nodiscard]] std::uint64_t dead_bytes_of(const KeptVolume& volume) const;

  const KeptTree& tree_;
  KeptUses uses_;  ///< of the volumes that are kept; nobody needs one without a use
};

}  // namespace dgfs::builder
