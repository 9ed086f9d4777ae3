// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Trains the model of the page codec on samples of the tree.
#pragma once

#include <memory>

#include "builder/options.h"
#include "builder/spool/tree_spool.h"
#include "builder/stop.h"
#include "format/model.h"

namespace dgfs::builder {

/// A tree of at least options.token_entries_min entries gets a token model. A smaller tree gets a
/// dictionary of at most options.model_bytes_max if it pays, else the empty model. A dictionary
/// pays if its savings on pages outside its sample, extrapolated to the tree, exceed its size. The
/// result depends only on the tree. Errors: those of Spool::read(); kInterrupted.
[[nodiscard]] Result<std::shared_ptr<const format::Model>> train_model(const TreeSpool& tree,
                                                                       const BuildOptions& options,
                                                                       StopFlag stop);

}  // namespace dgfs::builder
