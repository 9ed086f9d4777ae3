// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes the newest state of a delta what a directory is. Reads the contents of files whose size or
// time differ, and writes the chunks that differ into a store that the manifest names only at the
// end: all or nothing.
#pragma once

#include "base/result.h"
#include "delta/update/update_report.h"
#include "delta/update/update_request.h"
#include "storage/env.h"

namespace dgfs::update {

/// Errors: kInvalidArgument (the source holds delta or image, or another image), kNotFound (no
/// parent of `at`, no source), kNotDirectory, kBusy (the delta is in use), kChanged (a file keeps
/// changing), kNotEmpty (a directory would have to go, but deletes are not wanted or it holds
/// entries that were not chosen), kInterrupted; those of DeltaDirectory::check_update(), of the
/// source and of View. After an error the delta has its old state; after one of the manifest
/// (kIo), perhaps the new one.
[[nodiscard]] Result<UpdateReport> update(storage::Env& env, const UpdateRequest& request);

}  // namespace dgfs::update
