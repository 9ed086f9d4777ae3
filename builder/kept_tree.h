// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KeptTree: a tree whose objects have numbers, and whose contents partly lie in volumes of other
// images already. A build from it keeps both.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "builder/pack/kept_extents.h"
#include "builder/scan/scanner.h"
#include "format/entry/entry.h"
#include "format/header/volume_header.h"
#include "format/section/state_id.h"
#include "format/section/volume_origins.h"
#include "format/zstd/content_dictionary.h"
#include "storage/directory.h"

namespace dgfs::builder {

/// A volume of another image. A value.
struct KeptVolume {
  format::VolumeRecord record;  ///< with its number in the new image
  format::VolumeOrigin origin;  ///< the builder counts the dead bytes
  bool is_there = true;         ///< its contents can be read and packed anew
};

/// Which volumes of other images a build packs anew. A value.
struct KeepRules {
  /// Those of whose bytes more than so many of a hundred are dead.
  std::optional<unsigned> dead_percent;
  /// Those of merges whose contents are not larger than all that is packed anyway, and the smallest
  /// of more than a few, so that many merges leave few volumes.
  bool folds = false;
};

/// One build uses it; what it shows must not change meanwhile.
class KeptTree {
 public:
  virtual ~KeptTree() = default;
  KeptTree() = default;
  KeptTree(const KeptTree&) = delete;
  KeptTree& operator=(const KeptTree&) = delete;

  /// Adds all entries to the sinks, in key order: the root first, and before the children of each
  /// directory the directory's prefix. ScannedEntry::inode is the number of the object, and its
  /// device is 0. Names of an object with several names also go to the link sorter, and kept
  /// contents to `kept`; the totals are of the others. Errors: those of the tree and of the sinks;
  /// kInterrupted.
  [[nodiscard]] virtual Result<ScanTotals> scan(const ScanSinks& sinks,
                                                KeptExtents& kept) const = 0;
  /// Opens the contents that are not kept. Thread-safe.
  [[nodiscard]] virtual const storage::Directory& root() const = 0;
  /// The volumes that kept contents may lie in, with rising numbers above those of the new image's
  /// own volumes.
  [[nodiscard]] virtual const std::vector<KeptVolume>& volumes() const = 0;
  [[nodiscard]] virtual KeepRules rules() const = 0;
  /// State of a delta that the tree equals, if it has an id.
  [[nodiscard]] virtual std::optional<format::StateId> state() const = 0;
  /// The dictionaries that kept frames name.
  [[nodiscard]] virtual const format::ContentDictionaries& dictionaries() const = 0;
  /// No object ever had this number or a higher one.
  [[nodiscard]] virtual format::InodeNumber next_inode() const = 0;
};

}  // namespace dgfs::builder
