// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Building an image from a directory tree: scan -> link -> train -> read -> pack -> index, in
// memory that does not grow with the number of files. docs/ARCHITECTURE.md, "Life of a build".
#pragma once

#include "base/result.h"
#include "builder/options.h"
#include "builder/report.h"
#include "storage/env.h"

namespace dgfs::builder {

/// Packs a tree. On success image and index are complete, synced and in place; on any error
/// nothing at the output paths has changed. Builds of different outputs may run at the same time
/// in several threads; of an output that another build is writing, in any process, there is none
/// (storage/name_lock.h). Deterministic: the same tree and options give the same bytes whatever
/// `jobs` and `memory_bytes` are. The output files themselves are left out if they lie in the tree.
///
/// Errors: kBusy (somebody writes one of the outputs; the message names the process), kNotFound,
/// kPermission, kChanged (a file changed, shrank, grew or vanished while being read; the message
/// names it), kNoSpace, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<BuildReport> build(storage::Env& env, const BuildOptions& options);

}  // namespace dgfs::builder
