// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/tree_scan.h"

#include <algorithm>
#include <utility>

#include "builder/spool/tree_path.h"
#include "delta/merge/nameless_name.h"
#include "delta/merge/view_entry.h"
#include "format/content/extent.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "format/section/xattr_set.h"

namespace dgfs::merge {
namespace {

// So many of the deepest levels keep all their pending subdirectories in memory.
constexpr std::size_t kHeldLevelsMax = 64;

}  // namespace

std::string TreeScan::path_of(std::string_view name) const {
  if (const auto object = nameless_object(name)) return nameless_text(*object);
  return builder::tree_path(prefix_, name);
}

Result<builder::ScanTotals> TreeScan::run() {
  DGFS_TRY(root, find(view::kRoot, std::nullopt));
  DGFS_CHECK(add(root, {}));
  DGFS_CHECK(scan_children(view::kRoot));
  while (!levels_.empty()) {
    DGFS_TRY(next, levels_.back().pending.next());
    if (!next) {
      levels_.pop_back();
      continue;
    }
    prefix_.resize(levels_.back().prefix_bytes);
    prefix_.append(next->name).push_back('\0');
    DGFS_CHECK(scan_children(next->identity.inode));
  }
  DGFS_CHECK(scan_nameless());
  return std::move(totals_);
}

// A directory without a name is empty, and lives in the stores alone.
Status TreeScan::scan_nameless() {
  std::vector<view::ObjectNumber> objects;
  for (const view::Orphan& orphan : options_.nameless) objects.push_back(orphan.object);
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  for (const view::ObjectNumber object : objects) {
    DGFS_CHECK(stop_.check());
    const auto record = moment_.record(object);
    // A damaged one waits for a repair.
    if (!record && record.error().kind() == ErrorKind::kCorrupt) continue;
    DGFS_CHECK(record);
    if (!record.value() || record.value()->attributes.link_count != 0 ||
        format::is_directory(record.value()->attributes.mode)) {
      continue;
    }
    DGFS_TRY(found, find(object, std::nullopt));
    DGFS_CHECK(add(found, nameless_name(object), builder::kRecordNameless));
  }
  return ok();
}

Status TreeScan::scan_children(view::ObjectNumber directory) {
  DGFS_CHECK(sinks_.tree.begin_directory(prefix_));
  builder::PendingDirectories pending(sinks_.tree);
  auto scanned = [&]() -> Status {
    DGFS_TRY(walk,
             view::DirectoryWalk::make(moment_, directory, true, view::StopFlag(stop_.flag())));
    for (auto moved = walk.seek({});; moved = walk.next()) {
      DGFS_CHECK(std::move(moved));
      if (!walk.is_at_name()) return ok();
      DGFS_CHECK(stop_.check());
      DGFS_CHECK(add_name(walk, pending));
    }
  }();
  if (!scanned) {
    // The spools name their files, and an entry is named already.
    return scanned;
  }
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

Status TreeScan::add_name(const view::DirectoryWalk& walk, builder::PendingDirectories& pending) {
  const auto object = walk.dentry().object;
  const auto found = find(object, walk.node());
  if (!found) return about(path_of(walk.name()), found.error());
  DGFS_TRY(offset, add(found.value(), walk.name()));
  if (format::is_directory(found.value().attributes.mode)) {
    pending.add({std::string(walk.name()), {0, object}, offset});
  }
  return ok();
}

// @param node  of the object, if the name is the image's
Result<TreeScan::Found> TreeScan::find(view::ObjectNumber object,
                                       const std::optional<reader::Node>& node) const {
  const auto& layers = moment_.layers();
  Found found;
  found.object = object;
  found.node = node;
  if (!found.node && layers.bottom().may_have(object)) {
    DGFS_TRY(own, layers.bottom().node(object));
    found.node = std::move(own);
  }
  found.is_untouched = layers.is_untouched(view::RecordClass::kAttributes, object);
  // Whether such an object has a name is known to the moment.
  if (found.is_untouched && found.node && !layers.orphan_since(object)) {
    DGFS_TRY(record, layers.bottom().record_of(*found.node));
    found.attributes = record.attributes;
    found.may_have_xattrs = found.node->xattrs.present();
    return found;
  }
  found.is_untouched = found.is_untouched && found.node.has_value();
  DGFS_TRY(record, moment_.needed_record(object));
  found.attributes = record.attributes;
  found.may_have_xattrs =
      view::may_have_xattrs(record) || (found.node && found.node->xattrs.present());
  return found;
}

Result<std::uint64_t> TreeScan::add(const Found& found, std::string_view name, std::uint8_t flags) {
  const view::Attributes& attributes = found.attributes;
  const bool has_path = (flags & builder::kRecordNameless) == 0;
  if (has_path && prefix_.size() + 1 + name.size() > format::kKeyBytesMax) {
    return Error(ErrorKind::kLimit, 7602,
                 "path is too long: more than " + std::to_string(format::kKeyBytesMax) +
                     " bytes in the image")
        .in_file(path_of(name));
  }
  builder::ScannedEntry entry;
  entry.flags = flags;
  entry.mode = attributes.mode;
  entry.uid = attributes.uid;
  entry.gid = attributes.gid;
  entry.mtime = attributes.mtime;
  entry.size_bytes = format::is_regular(attributes.mode) ? attributes.size_bytes : 0;
  entry.inode = found.object;
  entry.rdev = format::is_device(attributes.mode) ? attributes.rdev : 0;
  entry.name = name;
  if (options_.times == KeptTimes::kAll) {
    if (attributes.ctime != attributes.mtime) entry.ctime = attributes.ctime;
    if (attributes.atime != attributes.mtime) entry.atime = attributes.atime;
  }
  if (!format::is_directory(attributes.mode) && attributes.link_count > 1) {
    entry.flags |= builder::kRecordMultiplyLinked;
    DGFS_CHECK(sinks_.links.add(0, found.object, sinks_.tree.entry_count()));
  }
  if (auto added = add_details(found, entry); !added) {
    return about(path_of(name), added.error());
  }
  DGFS_CHECK(count(entry, attributes.blocks * view::kBlockBytes));
  return sinks_.tree.add(entry);
}

Status TreeScan::add_details(const Found& found, builder::ScannedEntry& entry) {
  if (format::is_symlink(entry.mode)) {
    auto target =
        found.is_untouched ? image().read_link(*found.node) : moment_.target(found.object);
    DGFS_CHECK(target);
    target_ = std::move(target).value();
    entry.target = target_;
  }
  if (entry.has_content()) {
    DGFS_CHECK(keep_content(found, entry));
    if (!entry.kept) return ok();  // its attributes are read with the content
  }
  if (!options_.xattrs || !found.may_have_xattrs) return ok();
  std::vector<Xattr> xattrs;
  if (found.is_untouched) {
    DGFS_TRY(all, image().xattrs(*found.node));
    xattrs = std::move(all);
  } else {
    DGFS_TRY(names, moment_.xattr_names(found.object));
    for (std::string& name : names) {
      DGFS_TRY(value, moment_.xattr(found.object, name));
      if (!value) continue;
      const Bytes bytes = as_bytes(*value);
      xattrs.push_back({std::move(name), Buffer(bytes.begin(), bytes.end())});
    }
  }
  if (xattrs.empty()) return ok();
  xattrs_.clear();
  format::encode_xattr_set(xattrs, xattrs_);
  entry.xattrs = xattrs_;
  return ok();
}

Status TreeScan::keep_content(const Found& found, builder::ScannedEntry& entry) {
  const auto& node = found.node;
  if (!node || !format::is_regular(node->mode) || node->size_bytes != entry.size_bytes) return ok();
  if (node->stored_bytes == 0) return ok();  // all of it is a hole, which lies nowhere
  const auto volume = numbers_.find(node->data.volume);
  if (volume == numbers_.end() || !lies_in_its_volume(*node)) return ok();
  if (!found.is_untouched) {
    DGFS_TRY(is_changed, has_chunks(found.object));
    if (is_changed) return ok();
  }
  builder::KeptContent kept;
  kept.codec = node->codec;
  kept.stored_bytes = node->stored_bytes;
  kept.address = {volume->second, node->data.offset_bytes};
  kept.fragment_offset = node->fragment_offset;
  // A record of an object with several names has no fragment offset (F-156).
  if (kept.fragment_offset && entry.has_link_record()) return ok();
  if (node->sparse_map.present()) {
    DGFS_TRY(map, image().sparse_map(*node));
    sparse_map_.clear();
    map->encode(sparse_map_);
    kept.sparse_map = sparse_map_;
  }
  if (options_.wants_digests) {
    DGFS_TRY(digest, image().digest(*node));
    digest_ = digest;
    kept.digest = digest_;
  }
  entry.kept = kept;
  return ok();
}

// The filter may say so of a file without chunks.
Result<bool> TreeScan::has_chunks(view::ObjectNumber object) const {
  if (moment_.layers().is_untouched(view::RecordClass::kChunk, object)) return false;
  auto cursor = moment_.stores().cursor(view::chunk_keys(object, 0, std::nullopt));
  DGFS_CHECK(cursor.seek(view::chunk_key(object, 0)));
  return cursor.is_at_place();
}

// The place of an extent that does not is read, which finds the damage and names the file.
bool TreeScan::lies_in_its_volume(const reader::Node& node) const {
  const auto& volumes = image().volumes();
  const auto record =
      std::ranges::lower_bound(volumes, node.data.volume, {}, &format::VolumeRecord::number);
  if (record == volumes.end() || record->number != node.data.volume) return false;
  return node.data.offset_bytes >= format::kPageBytes &&
         node.data.offset_bytes <= record->data_end &&
         node.stored_bytes <= record->data_end - node.data.offset_bytes;
}

Status TreeScan::count(const builder::ScannedEntry& entry, std::uint64_t allocated_bytes) {
  ++totals_.entries;
  totals_.newest_mtime =
      totals_.entries == 1 ? entry.mtime : std::max(totals_.newest_mtime, entry.mtime);
  if (!format::is_regular(entry.mode)) return ok();
  totals_.content_bytes += entry.size_bytes;
  if (!entry.has_content()) return ok();
  if (entry.kept) return kept_.add(entry);
  ++totals_.contents;
  totals_.packed_bytes += entry.size_bytes;
  if (!entry.is_multiply_linked()) {
    totals_.extent_bytes += format::raw_extent_bytes(std::min(entry.size_bytes, allocated_bytes));
  }
  return ok();
}

}  // namespace dgfs::merge
