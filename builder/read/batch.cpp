// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/batch.h"

#include <utility>

namespace dgfs::builder {

bool needs_reading(const ScannedEntry& entry, const BatchItem& item) {
  return entry.has_content() && !entry.is_omitted() &&
         (!item.link.is_link() || item.link.is_first());
}

Status describe_file(const SourceFile& file, bool xattrs, BatchItem& item) {
  if (file.segments() != nullptr) item.more().segments = file.segments();
  if (!xattrs) return ok();
  DGFS_TRY(set, file.read_xattrs());
  if (!set.empty()) item.more().xattrs = std::move(set);
  return ok();
}

std::string name_of(const Batch& batch, std::size_t item) {
  const auto entry = decode_entry_record(batch.record(batch.items[item]));
  return entry ? std::string(entry.value().name) : std::string();
}

}  // namespace dgfs::builder
