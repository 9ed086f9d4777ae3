// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Trains the model of the page codec on a sample of the tree.
#pragma once

#include <memory>

#include "builder/options.h"
#include "builder/spool/tree_spool.h"
#include "builder/stop.h"
#include "format/model.h"

namespace dgfs::builder {

/// For a tree of options.token_entries_min entries a token model. For a smaller one a dictionary of
/// at most options.model_bytes_max, or the empty model where no dictionary of that size would pay:
/// on pages that it was not trained on it must save more, extrapolated to the tree, than it takes
/// itself. Depends on nothing but the tree. Errors: those of Spool::read; kInterrupted.
[[nodiscard]] Result<std::shared_ptr<const format::Model>> train_model(const TreeSpool& tree,
                                                                       const BuildOptions& options,
                                                                       StopFlag stop);

}  // namespace dgfs::builder
