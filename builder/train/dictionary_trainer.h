// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The dictionary trainer finds the classes of small files that a tree has much of, and trains a
// dictionary for each on a sample, which depends on nothing but the tree.
#pragma once

#include <cstddef>

#include "builder/spool/tree_spool.h"
#include "builder/stop.h"
#include "builder/train/dictionary_set.h"
#include "storage/directory.h"

namespace dgfs::builder {

struct TrainerOptions {
  std::size_t dictionary_bytes_max = 0;  ///< 0: no dictionaries
  std::size_t open_levels = 16;          ///< directories kept open
};

/// Files that cannot be read are left out of the sample; the build itself will meet them again.
/// Memory: the samples, at most 30 MiB, and about as much as zstd needs to train on 2 MiB.
/// Errors: kInterrupted, those of Spool::read.
[[nodiscard]] Result<DictionarySet> train_dictionaries(const storage::Directory& root,
                                                       const TreeSpool& tree,
                                                       const TrainerOptions& options,
                                                       StopFlag stop);

}  // namespace dgfs::builder
