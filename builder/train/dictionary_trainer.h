// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The dictionary trainer finds the common classes of small files in a tree, and trains a dictionary
// for each class on a sample, or one for each run of a large class. The samples depend only on the
// tree.
#pragma once

#include <cstddef>

#include "builder/spool/tree_spool.h"
#include "builder/stop.h"
#include "builder/train/dictionary_set.h"
#include "storage/directory.h"

namespace dgfs::builder {

struct TrainerOptions {
  std::size_t dictionary_bytes_max = 0;                   ///< 0: no dictionaries
  int level = 0;                                          ///< of the compression to come
  std::uint64_t run_bytes_min = std::uint64_t{24} << 20;  ///< content of a run at least
  std::uint64_t entries_max = std::uint64_t{1} << 20;     ///< entries that are read, at most
  std::size_t open_levels = 16;                           ///< directories kept open
};

/// Trains the dictionaries of a tree. Leaves unreadable files out of the sample; the packing of the
/// build reports them. Memory: at most 68 MiB of samples, twice that while
/// the buffers grow, and 12 MiB for training. Errors:
/// kInterrupted, those of Spool::read().
[[nodiscard]] Result<DictionarySet> train_dictionaries(const storage::Directory& root,
                                                       const TreeSpool& tree,
                                                       const TrainerOptions& options,
                                                       StopFlag stop);

}  // namespace dgfs::builder
