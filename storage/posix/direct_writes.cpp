// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/direct_writes.h"

#include "storage/posix/file.h"
#include "storage/wrapped.h"

namespace dgfs::storage {

void write_past_cache(File& file) {
  File* const inner = unwrap_file(file);
  auto* const posix_file = dynamic_cast<PosixFile*>(inner == nullptr ? &file : inner);
  if (posix_file != nullptr) posix_file->try_direct(true);
}

}  // namespace dgfs::storage
