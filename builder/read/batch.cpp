// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/batch.h"

#include <algorithm>
#include <utility>

#include "builder/scan/xattr_reader.h"

namespace dgfs::builder {
namespace {

// Some file systems give an object a new number once they have forgotten it; then its attributes
// tell.
bool is_same_object(const storage::FileStatus& status, const ScannedEntry& entry,
                    const EntryRules& rules) {
  if (status.device == entry.device && status.inode == entry.inode) return true;
  return rules.apply(status) == entry.attributes();
}

}  // namespace

bool needs_reading(const ScannedEntry& entry, const BatchItem& item) {
  return entry.has_content() && !entry.kept && !entry.is_omitted() &&
         (!item.link.is_link() || item.link.is_first());
}

Result<SourceFile> open_item(const storage::Directory& directory, const ScannedEntry& entry,
                             const FileRules& rules, std::uint64_t grown_bytes_max,
                             const StopFlag& stop, BatchItem& item) {
  item.extra.reset();
  DGFS_TRY(file, SourceFile::open(directory, entry.name));
  if (item.link.is_link() && !is_same_object(file.status(), entry, rules.attributes)) {
    return Error(ErrorKind::kChanged, 4041, "was replaced while being read")
        .in_file(file.file().path());
  }
  if (file.size_bytes() > std::max(grown_bytes_max, entry.size_bytes)) {
    if (!rules.keep_going) {
      return Error(ErrorKind::kChanged, 4222, "has grown too much since it was listed")
          .in_file(file.file().path());
    }
    file.cut_to(entry.size_bytes);
  }
  DGFS_CHECK(file.find_holes(stop));
  DGFS_CHECK(describe_file(file, entry, rules, item));
  return file;
}

Status describe_file(const SourceFile& file, const ScannedEntry& entry, const FileRules& rules,
                     BatchItem& item) {
  const auto attributes = rules.attributes.apply(file.status());
  if (attributes != entry.attributes()) item.more().restated = attributes;
  if (file.segments() != nullptr) item.more().segments = file.segments();
  if (!rules.xattrs) return ok();
  DGFS_TRY(xattrs, read_source_xattrs(file.file(), rules.keep_going ? OnUnreadable::kLeaveOut
                                                                    : OnUnreadable::kFail));
  if (!xattrs.set.empty()) item.more().xattrs = std::move(xattrs.set);
  for (Error& error : xattrs.lost) {
    item.more().lost_parts.emplace_back(LostPart::kAttribute, std::move(error));
  }
  return ok();
}

std::string name_of(const Batch& batch, std::size_t item) {
  const auto entry = decode_entry_record(batch.record(batch.items[item]));
  return entry ? std::string(entry.value().name) : std::string();
}

}  // namespace dgfs::builder
