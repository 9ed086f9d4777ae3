// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Builds an image from a directory tree: scan -> link -> train -> read -> pack -> index. Memory
// does not grow with the number of files. See docs/ARCHITECTURE.md, "Life of a build".
#pragma once

#include "base/result.h"
#include "builder/options.h"
#include "builder/report.h"
#include "storage/directory.h"
#include "storage/env.h"

namespace dgfs::builder {

class KeptTree;

/// Packs a tree. On success, image and index are complete, synced and in place. On any error,
/// nothing at the output paths has changed. Several threads may run builds with different outputs
/// at the same time. A second build of the same output, in any process, is refused
/// (storage/name_lock.h). Deterministic: the same tree and options give the same bytes for any
/// `jobs` and `memory_bytes`. Output files that lie in the tree are not packed.
///
/// Errors: kBusy (another process writes one of the outputs; the message names it), kNotFound,
/// kPermission, kChanged (a file changed, shrank, grew or vanished while being read; the message
/// names it), kNoSpace, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<BuildReport> build(storage::Env& env, const BuildOptions& options);
/// The same of a tree that is open already, or that no file system holds.
/// @param env     of the outputs
/// @param source  the root; BuildOptions::source is not used
[[nodiscard]] Result<BuildReport> build(storage::Env& env, const storage::Directory& source,
                                        const BuildOptions& options);
/// The same of a tree that keeps numbers, and contents in volumes of other images. The new image
/// needs the volumes that it has extents in. If contents may be kept, trains no dictionaries:
/// compressed contents use those of the tree.
[[nodiscard]] Result<BuildReport> build(storage::Env& env, const KeptTree& source,
                                        const BuildOptions& options);

}  // namespace dgfs::builder
