// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/entry_reader.h"

#include <algorithm>
#include <utility>

#include "builder/scan/xattr_reader.h"
#include "builder/spool/tree_path.h"
#include "format/checksum.h"
#include "format/coding.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "storage/names.h"
#include "storage/source_traits.h"

namespace dgfs::builder {
namespace {

Status check_target(const std::string& target) {
  if (target.size() > format::kTargetBytesMax) {
    return Error(ErrorKind::kLimit, 4031, "target of the symbolic link is too long");
  }
  if (!target.empty() && target.find('\0') == std::string::npos) return ok();
  return Error(ErrorKind::kUnsupported, 4032, "target of the symbolic link is empty");
}

}  // namespace

FileIdentity identity_of(const storage::FileStatus& status) {
  return {status.device, status.inode};
}

bool is_multiply_linked(const storage::FileStatus& status) {
  return !format::is_directory(status.mode) && status.link_count > 1;
}

std::uint64_t ObjectKeys::key_of(const storage::FileStatus& status) {
  if (!keeps_numbers_) keeps_numbers_ = storage::keeps_inode_numbers(directory_);
  if (*keeps_numbers_) return status.inode;
  Buffer common;
  format::Encoder encoder(common);
  encoder.fixed(status.inode);
  encoder.fixed(status.mode);
  encoder.fixed(status.uid);
  encoder.fixed(status.gid);
  encoder.fixed(status.rdev);
  encoder.fixed(status.size_bytes);
  encoder.fixed(status.modify_time.seconds);
  encoder.fixed(status.modify_time.nanoseconds);
  return format::checksum64(common);
}

bool EntryReader::may_include(std::string_view prefix, std::string_view name) const {
  return choice_.is_everything() || choice_.may_include(tree_path(prefix, name));
}

std::optional<SourceEntry> EntryReader::read(const storage::Directory& directory,
                                             std::string_view prefix, std::string_view name,
                                             ObjectKeys& keys) const {
  SourceEntry entry;
  entry.name = name;
  auto status = directory.status(name);
  if (!status) {
    entry.error = std::make_unique<Error>(std::move(status).error());
    return entry;
  }
  entry.status = status.value();
  const auto identity = identity_of(entry.status);
  if (std::ranges::find(outputs_.locks, identity) != outputs_.locks.end()) return std::nullopt;
  const bool is_directory = format::is_directory(entry.status.mode);
  if (!choice_.is_everything() && !choice_.includes(tree_path(prefix, name), is_directory)) {
    return std::nullopt;
  }
  entry.is_output = std::ranges::find(outputs_.replaced, identity) != outputs_.replaced.end();
  if (entry.is_output) return entry;
  if (!options_.hard_dereference && is_multiply_linked(entry.status)) {
    entry.object_key = keys.key_of(entry.status);
  }
  if (auto read = read_details(directory, prefix, entry); !read) {
    entry.error = std::make_unique<Error>(std::move(read).error());
  }
  return entry;
}

Status EntryReader::read_details(const storage::Directory& directory, std::string_view prefix,
                                 SourceEntry& entry) const {
  const auto located = [&](Error error) {
    return std::move(error).in_file(storage::join_path(directory.path(), entry.name));
  };
  const auto& status = entry.status;
  if (!format::is_valid_mode(status.mode)) {
    return located(Error(ErrorKind::kUnsupported, 4033, "is of an unknown type"));
  }
  if (prefix.size() + 1 + entry.name.size() > format::kKeyBytesMax) {
    return located(Error(ErrorKind::kLimit, 4034,
                         "path is too long: more than " + std::to_string(format::kKeyBytesMax) +
                             " bytes in the image"));
  }
  if (format::is_symlink(status.mode)) {
    DGFS_TRY(target, directory.read_link(entry.name));
    if (auto checked = check_target(target); !checked) return located(std::move(checked).error());
    entry.target = std::move(target);
  }
  // Xattrs of a file with content are read later from the open file, when it is packed.
  const bool later =
      format::is_regular(status.mode) && status.size_bytes != 0 && !options_.scans_all_xattrs;
  if (options_.xattrs && !later) {
    DGFS_TRY(xattrs, read_source_xattrs(directory, entry.name, on_unreadable()));
    entry.xattrs = std::move(xattrs.set);
    entry.lost_xattrs = std::move(xattrs.lost);
  }
  return ok();
}

}  // namespace dgfs::builder
