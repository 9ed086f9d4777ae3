// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scanner.h"

#include <algorithm>
#include <utility>

#include "builder/tree_path.h"
#include "builder/xattr_reader.h"
#include "format/extent.h"
#include "format/limits.h"
#include "format/mode.h"
#include "storage/names.h"

namespace dgfs::builder {
namespace {

// Levels of a tree are rarely more, and a process may open but 1024 files by default.
constexpr std::size_t kOpenLevelsMax = 64;

FileIdentity identity_of(const storage::FileStatus& status) {
  return {status.device, status.inode};
}

Status check_target(const std::string& target) {
  if (target.size() > format::kTargetBytesMax) {
    return Error(ErrorKind::kLimit, 4031, "target of the symbolic link is too long");
  }
  if (!target.empty() && target.find('\0') == std::string::npos) return ok();
  return Error(ErrorKind::kUnsupported, 4032, "target of the symbolic link is empty");
}

}  // namespace

Scanner::Scanner(const storage::Directory& root, const BuildOptions& options,
                 std::vector<FileIdentity> skip, ScanSinks sinks, NameSpace names)
    : root_(root),
      options_(options),
      stop_(options.stop),
      choice_(options),
      skip_(std::move(skip)),
      sinks_(sinks),
      names_(std::move(names)),
      cursor_(root, kOpenLevelsMax) {}

Result<ScanTotals> Scanner::run() {
  DGFS_CHECK(scan_root());
  while (!levels_.empty()) {
    DGFS_TRY(pending, levels_.back().pending.next());
    if (pending) {
      DGFS_CHECK(visit(*pending));
    } else {
      levels_.pop_back();
    }
  }
  return totals_;
}

Status Scanner::scan_root() {
  DGFS_TRY(status, root_.status());
  root_device_ = status.device;
  DGFS_CHECK(choice_.check(root_, sinks_.losses));
  DGFS_TRY(details, read_details(root_, {}, status));
  DGFS_CHECK(add({}, status, details));
  Listing listing = list(root_);
  DGFS_CHECK(std::move(listing.sorter));
  DGFS_CHECK(std::move(listing.source));
  DGFS_CHECK(sinks_.tree.begin_directory(prefix_));
  return scan_children(root_, std::move(listing.names));
}

Status Scanner::visit(const PendingDirectory& pending) {
  const std::size_t parent_bytes = levels_.back().prefix_bytes;
  prefix_.resize(parent_bytes);
  prefix_.append(pending.name).push_back('\0');
  if (options_.one_file_system && pending.identity.device != root_device_) {
    return sinks_.tree.begin_directory(prefix_);
  }
  Listing listing = enter_and_list(pending);
  DGFS_CHECK(std::move(listing.sorter));
  if (!listing.source) {
    const std::string path =
        tree_path(std::string_view(prefix_).substr(0, parent_bytes), pending.name);
    DGFS_CHECK(sinks_.losses.add(path, std::move(listing.source).error()));
    return sinks_.tree.omit(pending.record_offset);
  }
  DGFS_CHECK(sinks_.tree.begin_directory(prefix_));
  DGFS_TRY(directory, cursor_.enter(prefix_));
  return scan_children(*directory, std::move(listing.names));
}

Result<const storage::Directory*> Scanner::enter(const PendingDirectory& pending) {
  DGFS_TRY(directory, cursor_.enter(prefix_));
  DGFS_TRY(status, directory->status());
  if (identity_of(status) == pending.identity) return directory;
  return Error(ErrorKind::kChanged, 4030, "was replaced while being scanned")
      .in_file(directory->path());
}

Scanner::Listing Scanner::enter_and_list(const PendingDirectory& pending) {
  auto directory = enter(pending);
  if (directory) return list(*directory.value());
  return {NameSorter(names_.place, 0), std::move(directory).error()};
}

Scanner::Listing Scanner::list(const storage::Directory& directory) const {
  Listing listing{NameSorter(names_.place, names_.memory_bytes)};
  listing.source = directory.each_name([&](std::string_view name) {
    const bool wanted = choice_.is_everything() || choice_.may_include(tree_path(prefix_, name));
    if (wanted) listing.sorter = listing.names.add(name);
    return listing.sorter.has_value() && !stop_.is_set();
  });
  return listing;
}

Status Scanner::scan_children(const storage::Directory& directory, NameSorter names) {
  DGFS_TRY(sorted, std::move(names).finish());
  PendingDirectories pending(sinks_.tree);
  while (true) {
    DGFS_CHECK(stop_.check());
    DGFS_TRY(name, sorted->next());
    if (!name) break;
    DGFS_CHECK(scan_name(directory, *name, pending));
  }
  pending.end();
  sinks_.progress.state().entries = totals_.entries;
  sinks_.progress.state().content_bytes_total = totals_.content_bytes;
  sinks_.progress.update();
  if (!pending.empty()) levels_.push_back({prefix_.size(), std::move(pending)});
  return ok();
}

Status Scanner::scan_name(const storage::Directory& directory, std::string_view name,
                          PendingDirectories& pending) {
  auto status = directory.status(name);
  if (!status) return sinks_.losses.add(tree_path(prefix_, name), std::move(status).error());
  if (is_skipped(status.value())) return ok();
  const bool is_directory = format::is_directory(status.value().mode);
  if (!choice_.is_everything() && !choice_.includes(tree_path(prefix_, name), is_directory)) {
    return ok();
  }
  auto details = read_details(directory, name, status.value());
  if (!details) return sinks_.losses.add(tree_path(prefix_, name), std::move(details).error());
  DGFS_TRY(offset, add(name, status.value(), details.value()));
  if (is_directory) {
    pending.add({std::string(name), identity_of(status.value()), offset});
  }
  return ok();
}

Result<Scanner::Details> Scanner::read_details(const storage::Directory& directory,
                                               std::string_view name,
                                               const storage::FileStatus& status) const {
  const auto located = [&](Error error) {
    return std::move(error).in_file(storage::join_path(directory.path(), name));
  };
  if (!format::is_valid_mode(status.mode)) {
    return located(Error(ErrorKind::kUnsupported, 4033, "is of an unknown type"));
  }
  if (prefix_.size() + 1 + name.size() > format::kKeyBytesMax) {
    return located(Error(ErrorKind::kLimit, 4034,
                         "path is too long: more than " + std::to_string(format::kKeyBytesMax) +
                             " bytes in the image"));
  }
  Details details;
  if (format::is_symlink(status.mode)) {
    DGFS_TRY(target, directory.read_link(name));
    if (auto checked = check_target(target); !checked) return located(std::move(checked).error());
    details.target = std::move(target);
  }
  // Those of files with content are read from the open file, when it is packed.
  const bool later = format::is_regular(status.mode) && status.size_bytes != 0;
  if (options_.xattrs && !later) {
    DGFS_TRY(xattrs, directory.xattrs(name));
    auto set = encode_source_xattrs(xattrs);
    if (!set) return located(std::move(set).error());
    details.xattrs = std::move(set).value();
  }
  return details;
}

Result<std::uint64_t> Scanner::add(std::string_view name, const storage::FileStatus& status,
                                   const Details& details) {
  const std::uint32_t cleared = options_.permission_mask.value_or(0) & format::kPermissionMask;
  const bool multiple = !format::is_directory(status.mode) && status.link_count > 1;
  ScannedEntry entry;
  entry.flags = multiple ? kRecordMultiplyLinked : std::uint8_t{0};
  entry.mode = status.mode & ~cleared;
  entry.uid = options_.uid.value_or(status.uid);
  entry.gid = options_.gid.value_or(status.gid);
  entry.mtime = status.modify_time;
  entry.size_bytes = format::is_regular(status.mode) ? status.size_bytes : 0;
  entry.device = status.device;
  entry.inode = status.inode;
  entry.rdev = format::is_device(status.mode) ? status.rdev : 0;
  entry.name = name;
  entry.target = details.target;
  entry.xattrs = details.xattrs;
  if (multiple) {
    DGFS_CHECK(sinks_.links.add(status.device, status.inode, sinks_.tree.entry_count()));
  }
  DGFS_TRY(offset, sinks_.tree.add(entry));
  count(status);
  return offset;
}

void Scanner::count(const storage::FileStatus& status) {
  ++totals_.entries;
  totals_.newest_mtime = totals_.entries == 1 ? status.modify_time
                                              : std::max(totals_.newest_mtime, status.modify_time);
  if (!format::is_regular(status.mode)) return;
  totals_.content_bytes += status.size_bytes;
  if (status.link_count > 1) return;
  totals_.extent_bytes +=
      format::raw_extent_bytes(std::min(status.size_bytes, status.allocated_bytes));
}

bool Scanner::is_skipped(const storage::FileStatus& status) const {
  return format::is_regular(status.mode) &&
         std::find(skip_.begin(), skip_.end(), identity_of(status)) != skip_.end();
}

}  // namespace dgfs::builder
