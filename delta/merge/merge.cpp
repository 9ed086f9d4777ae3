// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/merge.h"

#include "builder/build.h"
#include "delta/merge/view_directory.h"

namespace dgfs::merge {

Result<builder::BuildReport> repack(storage::Env& env, const view::View& view,
                                    const builder::BuildOptions& options) {
  const ViewDirectory root(view);
  return builder::build(env, root, options);
}

}  // namespace dgfs::merge
