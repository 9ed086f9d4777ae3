// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Trains the model of the page codec on a sample of the tree.
#pragma once

#include <memory>

#include "builder/stop.h"
#include "builder/tree_spool.h"
#include "format/model.h"

namespace dgfs::builder {

/// A model of at most `bytes_max`, or the empty one where none of that size would pay: on pages
/// that it was not trained on it must save more, extrapolated to the tree, than it takes itself.
/// Depends on nothing but the tree. Errors: those of Spool::read; kInterrupted.
[[nodiscard]] Result<std::shared_ptr<const format::Model>> train_model(const TreeSpool& tree,
                                                                       std::size_t bytes_max,
                                                                       StopFlag stop);

}  // namespace dgfs::builder
