// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/scanner.h"

#include <algorithm>
#include <utility>

#include "builder/spool/tree_path.h"
#include "format/content/extent.h"
#include "format/entry/mode.h"

namespace dgfs::builder {
namespace {

// Trees rarely have more levels, and a process may open only 1024 files by default.
constexpr std::size_t kOpenLevelsMax = 64;
// So many of the deepest levels keep all their pending subdirectories in memory. The levels above
// keep only a few, because a path of 64 KiB has up to 32,768 levels.
constexpr std::size_t kHeldLevelsMax = 64;

}  // namespace

Scanner::Scanner(const storage::Directory& root, const BuildOptions& options,
                 const EntryRules& rules, OutputFiles outputs, ScanSinks sinks, NameSpace names,
                 AheadOptions ahead)
    : root_(root),
      options_(options),
      rules_(rules),
      stop_(options.stop),
      entries_(options, std::move(outputs)),
      sinks_(sinks),
      names_(std::move(names)),
      cursor_(root, kOpenLevelsMax),
      ahead_options_(ahead) {}

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
  SourceEntry root;
  DGFS_TRY(status, root_.status());
  root.status = status;
  root_device_ = status.device;
  DGFS_CHECK(entries_.choice().check(root_, sinks_.losses));
  DGFS_CHECK(entries_.read_details(root_, {}, root));
  DGFS_CHECK(add_losses(root));
  DGFS_CHECK(add(root));
  if (options_.one_file_system) ahead_options_.device = root_device_;
  ahead_ = std::make_unique<ScanAhead>(root_, entries_, ahead_options_, stop_);
  ahead_->start();
  Listing listing = list(root_);
  DGFS_CHECK(std::move(listing.sorter));
  DGFS_CHECK(std::move(listing.source));
  DGFS_CHECK(sinks_.tree.begin_directory(prefix_));
  return scan_children(root_, std::move(listing.names));
}

Status Scanner::visit(const PendingDirectory& pending) {
  prefix_.resize(levels_.back().prefix_bytes);
  prefix_.append(pending.name).push_back('\0');
  if (options_.one_file_system && pending.identity.device != root_device_) {
    return sinks_.tree.begin_directory(prefix_);
  }
  if (auto listed = ahead_->take(prefix_)) return visit_listed(pending, std::move(*listed));
  Listing listing = enter_and_list(pending);
  DGFS_CHECK(std::move(listing.sorter));
  if (!listing.source) return omit(pending, std::move(listing.source).error());
  DGFS_CHECK(sinks_.tree.begin_directory(prefix_));
  DGFS_TRY(directory, cursor_.enter(prefix_));
  return scan_children(*directory, std::move(listing.names));
}

Status Scanner::visit_listed(const PendingDirectory& pending, ListedDirectory listed) {
  if (listed.error) return omit(pending, std::move(*listed.error));
  if (auto same = check_same(pending, listed.status, listed.path); !same) {
    return omit(pending, std::move(same).error());
  }
  DGFS_CHECK(sinks_.tree.begin_directory(prefix_));
  PendingDirectories children(sinks_.tree);
  for (SourceEntry& entry : listed.entries) {
    DGFS_CHECK(scan_entry(entry, children));
  }
  DGFS_CHECK(stop_.check());
  return end_children(std::move(children));
}

Status Scanner::omit(const PendingDirectory& pending, Error error) {
  const auto parent = std::string_view(prefix_).substr(0, levels_.back().prefix_bytes);
  DGFS_CHECK(sinks_.losses.add(tree_path(parent, pending.name), std::move(error)));
  return sinks_.tree.omit(pending.record_offset);
}

// Some file systems number a directory anew once they have forgotten it, and a directory may be
// replaced while others are scanned. Either way the opened directory is packed, so its record gets
// the attributes of the opened one. The rest of the record must hold for it too.
Status Scanner::check_same(const PendingDirectory& pending, const storage::FileStatus& opened,
                           const std::string& path) {
  if (identity_of(opened) == pending.identity) return ok();
  const auto replaced = [&](std::uint16_t code) {
    return Error(ErrorKind::kChanged, code, "was replaced while being scanned").in_file(path);
  };
  if (opened.device != pending.identity.device) return replaced(4030);
  if (options_.xattrs) {
    DGFS_TRY(directory, cursor_.enter(prefix_));
    DGFS_TRY(now, read_source_xattrs(*directory, {}, entries_.on_unreadable()));
    DGFS_TRY(record, sinks_.tree.read(pending.record_offset));
    DGFS_TRY(listed, decode_entry_record(record));
    if (!std::ranges::equal(now.set, listed.xattrs)) return replaced(4220);
  }
  return sinks_.tree.restate(pending.record_offset, rules_.apply(opened));
}

Result<const storage::Directory*> Scanner::enter(const PendingDirectory& pending) {
  DGFS_TRY(directory, cursor_.enter(prefix_));
  DGFS_TRY(status, directory->status());
  DGFS_CHECK(check_same(pending, status, directory->path()));
  return directory;
}

Scanner::Listing Scanner::enter_and_list(const PendingDirectory& pending) {
  auto directory = enter(pending);
  if (directory) return list(*directory.value());
  return {NameSorter(names_.place, 0), std::move(directory).error()};
}

Scanner::Listing Scanner::list(const storage::Directory& directory) const {
  Listing listing{NameSorter(names_.place, names_.memory_bytes)};
  listing.source = directory.each_name([&](std::string_view name) {
    if (entries_.may_include(prefix_, name)) listing.sorter = listing.names.add(name);
    return listing.sorter.has_value() && !stop_.is_set();
  });
  return listing;
}

Status Scanner::scan_children(const storage::Directory& directory, NameSorter names) {
  DGFS_TRY(sorted, std::move(names).finish());
  PendingDirectories pending(sinks_.tree);
  ObjectKeys keys(directory);
  while (true) {
    DGFS_CHECK(stop_.check());
    DGFS_TRY(name, sorted->next());
    if (!name) break;
    if (auto entry = entries_.read(directory, prefix_, *name, keys)) {
      DGFS_CHECK(scan_entry(*entry, pending));
    }
  }
  return end_children(std::move(pending));
}

Status Scanner::end_children(PendingDirectories pending) {
  pending.end();
  sinks_.progress.state().entries = totals_.entries;
  sinks_.progress.state().content_bytes_total = totals_.content_bytes;
  sinks_.progress.update();
  if (pending.empty()) return ok();
  levels_.push_back({prefix_.size(), std::move(pending)});
  if (levels_.size() > kHeldLevelsMax) {
    levels_[levels_.size() - 1 - kHeldLevelsMax].pending.release();
  }
  return ok();
}

Status Scanner::scan_entry(SourceEntry& entry, PendingDirectories& pending) {
  if (entry.error)
    return sinks_.losses.add(tree_path(prefix_, entry.name), std::move(*entry.error));
  if (entry.is_output) {
    if (totals_.outputs.size() < kLossesKeptMax) {
      totals_.outputs.push_back(tree_path(prefix_, entry.name));
    }
    return ok();
  }
  DGFS_CHECK(add_losses(entry));
  DGFS_TRY(offset, add(entry));
  if (!format::is_directory(entry.status.mode)) return ok();
  if (!options_.one_file_system || entry.status.device == root_device_) {
    ahead_->add(prefix_ + entry.name + '\0');
  }
  pending.add({std::move(entry.name), identity_of(entry.status), offset});
  return ok();
}

Status Scanner::add_losses(SourceEntry& source) {
  for (Error& error : source.lost_xattrs) {
    DGFS_CHECK(
        sinks_.losses.add(tree_path(prefix_, source.name), std::move(error), LostPart::kAttribute));
  }
  return ok();
}

Result<std::uint64_t> Scanner::add(const SourceEntry& source) {
  const storage::FileStatus& status = source.status;
  const bool multiple = !options_.hard_dereference && is_multiply_linked(status);
  ScannedEntry entry;
  static_cast<EntryAttributes&>(entry) = rules_.apply(status);
  entry.flags = multiple ? kRecordMultiplyLinked : std::uint8_t{0};
  entry.device = status.device;
  entry.inode = status.inode;
  entry.rdev = format::is_device(status.mode) ? status.rdev : 0;
  entry.name = source.name;
  entry.target = source.target;
  entry.xattrs = source.xattrs;
  if (multiple) {
    DGFS_CHECK(sinks_.links.add(status.device, source.object_key, sinks_.tree.entry_count()));
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
  if (status.size_bytes != 0) ++totals_.contents;
  totals_.packed_bytes += status.size_bytes;
  if (status.size_bytes > status.allocated_bytes) {
    // Each name counts its share of the object, because the object has one digest.
    const auto names_per_digest = options_.hard_dereference ? 1 : status.link_count;
    totals_.long_holes.is_estimate = true;
    totals_.long_holes.add((status.size_bytes - status.allocated_bytes) /
                           std::max<std::uint64_t>(names_per_digest, 1));
  }
  if (status.link_count > 1 && !options_.hard_dereference) return;
  totals_.extent_bytes +=
      format::raw_extent_bytes(std::min(status.size_bytes, status.allocated_bytes));
}

}  // namespace dgfs::builder
