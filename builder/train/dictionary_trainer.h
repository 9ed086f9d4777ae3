// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The dictionary trainer finds the common classes of small files in a tree, and trains a dictionary
// for each class on a sample. The sample depends only on the tree.
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

/// Trains the dictionaries of a tree. Leaves unreadable files out of the sample; the packing of the
/// build reports them. Memory: at most 30 MiB of samples, and the memory that zstd needs to train
/// on 2 MiB. Errors: kInterrupted, those of Spool::read().
[[nodiscard]] Result<DictionarySet> train_dictionaries(const storage::Directory& root,
                                                       const TreeSpool& tree,
                                                       const TrainerOptions& options,
                                                       StopFlag stop);

}  // namespace dgfs::builder
