// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/packer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "builder/spool/completed_entry.h"
#include "builder/spool/tree_path.h"
#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "format/section/digest_hasher.h"

namespace dgfs::builder {
Status Packer::run() {
  while (true) {
    DGFS_TRY(batch, parts_.data.next([this] { parts_.progress.update(); }));
    if (!batch) return ok();
    DGFS_CHECK(pack(*batch));
    parts_.progress.update();
  }
}

Status Packer::pack(WrittenBatch& batch) {
  counted_bytes_ += batch.piece_bytes;
  parts_.progress.state().content_bytes += batch.piece_bytes;
  if (!batch.is_whole) return ok();
  // complete() counts the whole file, so take out the pieces counted so far.
  parts_.progress.state().content_bytes -= std::exchange(counted_bytes_, 0);
  return complete_items(batch);
}

Status Packer::complete_items(WrittenBatch& batch) {
  prefix_ = batch.prefix;
  if (batch.group.volume != data_at_.volume) {
    data_at_ = batch.group;
    if (!parts_.keeps_contents) {
      DGFS_CHECK(parts_.index.begin_extents(data_at_));
    }
  }
  for (BatchItem& item : batch.items) {
    const Bytes record = batch.record(item);
    if (record_kind(record) == RecordKind::kDirectory) {
      DGFS_TRY(directory, decode_directory_record(record));
      DGFS_CHECK(apply_directory_record(directory, prefix_));
      DGFS_CHECK(parts_.index.begin_directory());
      continue;
    }
    DGFS_TRY(scanned, decode_entry_record(record));
    DGFS_CHECK(complete(item, scanned));
  }
  return ok();
}

Status Packer::complete(BatchItem& item, ScannedEntry& scanned) {
  ++parts_.progress.state().entries;
  if (scanned.is_omitted()) return omit(item);
  if (item.extra != nullptr && item.extra->error) {
    return lose(item, scanned, std::move(*item.extra->error));
  }
  if (item.link.is_link() && !item.link.is_first()) return add_further_name(item, scanned);
  if (item.extra != nullptr) {
    DGFS_CHECK(take_from_reading(item, scanned));
  }
  DGFS_CHECK(complete_entry_fields(item, scanned));
  DGFS_TRY(digest, digest_of(item, scanned));
  if (item.extra != nullptr)
    item.extra->digest.reset();  // its zeros are counted with the file below
  parts_.progress.state().content_bytes += scanned.size_bytes;
  if (item.stored.is_shared) {
    ++shared_files_;
    if (entry_.fragment_offset.value_or(0) == 0) shared_bytes_ += entry_.stored_bytes;
  }
  if (item.link.is_first()) {
    entry_.link_count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(item.link.name_count, std::numeric_limits<std::uint32_t>::max()));
  }
  if (scanned.is_nameless()) return add_nameless(item, scanned, digest);
  return parts_.keeps_contents ? add_placed(item, scanned, digest)
                               : add_entry(item, scanned, digest);
}

// Of an object.
format::InodeNumber Packer::number_of(const ScannedEntry& scanned) const {
  return parts_.keeps_numbers ? scanned.inode : parts_.index.next_ordinal() + 1;
}

Status Packer::add_entry(const BatchItem& item, const ScannedEntry& scanned,
                         const std::optional<format::Digest>& digest) {
  const bool is_in_sum = item.stored.at_bytes == 0;
  if (!is_in_sum) entry_.address = format::DataAddress{item.stored.volume, item.stored.at_bytes};
  const std::uint64_t advance = format::running_bytes(entry_);
  if (item.link.is_first()) {
    DGFS_CHECK(add_first_name(scanned, digest));
  } else {
    DGFS_CHECK(add_digest(digest));
    DGFS_CHECK(parts_.index.add(entry_, number_of(scanned)));
  }
  data_at_.offset_bytes += advance;
  return ok();
}

// Of the extent of entry_, which may be the next one to be written.
ExtentPlace Packer::place_of(const BatchItem& item, const ScannedEntry& scanned) {
  if (scanned.kept) {
    ++kept_files_;
    return EntryExtent{scanned.kept->address, scanned.kept->stored_bytes};
  }
  if (item.stored.at_bytes != 0) {
    return EntryExtent{{item.stored.volume, item.stored.at_bytes}, entry_.stored_bytes};
  }
  if (entry_.stored_bytes == 0) return std::nullopt;
  // All of a fragment frame but its first file lie where that one has begun.
  const auto before = entry_.fragment_offset.value_or(0) != 0 ? entry_.stored_bytes : 0;
  const EntryExtent place{{data_at_.volume, data_at_.offset_bytes - before}, entry_.stored_bytes};
  data_at_.offset_bytes += format::running_bytes(entry_);
  return place;
}

// It is a link record without a name that refers to it.
Status Packer::add_nameless(const BatchItem& item, const ScannedEntry& scanned,
                            const std::optional<format::Digest>& digest) {
  const ExtentPlace place = place_of(item, scanned);
  entry_.key = format::link_key(scanned.inode);
  entry_.link_count = 0;
  if (place) entry_.address = place->at;
  return parts_.index.add_link_record(entry_, scanned.inode, digest ? &*digest : nullptr);
}

// The page plan decides how the entry states its place.
Status Packer::add_placed(const BatchItem& item, const ScannedEntry& scanned,
                          const std::optional<format::Digest>& digest) {
  const ExtentPlace place = place_of(item, scanned);
  if (!item.link.is_first()) {
    DGFS_CHECK(add_digest(digest));
    return parts_.index.add_placed(entry_, scanned.inode, place);
  }
  format::Entry name;
  name.key = entry_.key;
  name.mode = format::type_of(entry_.mode);
  name.link_inode = scanned.inode;
  entry_.key = format::link_key(name.link_inode);
  if (place) entry_.address = place->at;
  DGFS_CHECK(parts_.index.add_link_record(entry_, name.link_inode, digest ? &*digest : nullptr));
  return parts_.index.add_placed(name, 0, place);
}

// The attributes of the file that was read, and the parts that it lost.
Status Packer::take_from_reading(BatchItem& item, ScannedEntry& scanned) {
  if (item.extra->restated) static_cast<EntryAttributes&>(scanned) = *item.extra->restated;
  for (auto& [part, error] : item.extra->lost_parts) {
    DGFS_CHECK(parts_.losses.add(tree_path(prefix_, scanned.name), std::move(error), part));
  }
  return ok();
}

Status Packer::complete_entry_fields(BatchItem& item, const ScannedEntry& scanned) {
  complete_entry(prefix_, scanned, entry_);
  SideSections& side = parts_.index.side();
  if (scanned.target.size() > format::kInlineTargetBytesMax) {
    DGFS_TRY(ref, side.add_long_target(scanned.target));
    entry_.long_target = ref;
  }
  ItemExtra* const extra = item.extra.get();
  const Bytes xattrs =
      extra != nullptr && !extra->xattrs.empty() ? Bytes(extra->xattrs) : scanned.xattrs;
  if (!xattrs.empty()) {
    DGFS_TRY(ref, side.add_xattrs(xattrs));
    entry_.xattrs = ref;
  }
  if (extra != nullptr && extra->segments != nullptr) {
    entry_.stored_bytes = format::raw_extent_bytes(extra->segments->content_bytes());
    DGFS_TRY(ref, side.add_sparse_map(std::move(extra->segments)));
    entry_.sparse_map = ref;
  }
  if (item.stored.bytes != 0) {
    entry_.codec = item.stored.codec;
    entry_.stored_bytes = item.stored.bytes;
    entry_.fragment_offset = item.stored.fragment_offset;
  }
  if (!scanned.kept) return ok();
  entry_.codec = scanned.kept->codec;
  entry_.stored_bytes = scanned.kept->stored_bytes;
  entry_.fragment_offset = scanned.kept->fragment_offset;
  if (!scanned.kept->sparse_map.empty()) {
    DGFS_TRY(ref, side.add_sparse_map(scanned.kept->sparse_map));
    entry_.sparse_map = ref;
  }
  return ok();
}

// Files without content are not read. An object with several names has one digest.
Result<std::optional<format::Digest>> Packer::digest_of(const BatchItem& item,
                                                        const ScannedEntry& scanned) const {
  using Found = std::optional<format::Digest>;
  const DigestWriter* const digests = parts_.index.digests();
  if (digests == nullptr || !format::is_regular(scanned.mode)) return Found();
  if (item.extra != nullptr && item.extra->digest) return Found(item.extra->digest->digest);
  if (scanned.size_bytes == 0) return Found(format::empty_digest(digests->algorithm()));
  format::Digest digest{};
  if (!scanned.kept || scanned.kept->digest.size() != digest.size()) {
    return Error(ErrorKind::kInvalidArgument, 4111, "contents that were not digested");
  }
  std::ranges::copy(scanned.kept->digest, digest.begin());
  return Found(digest);
}

Status Packer::add_digest(const std::optional<format::Digest>& digest) {
  return digest ? parts_.index.digests()->add(parts_.index.next_ordinal(), *digest) : ok();
}

// Makes entry_ the link record, and adds a name that refers to it.
Status Packer::add_first_name(const ScannedEntry& scanned,
                              const std::optional<format::Digest>& digest) {
  format::Entry name;
  name.key = entry_.key;
  name.mode = format::type_of(entry_.mode);
  name.link_inode = number_of(scanned);
  if (!entry_.address) name.stored_bytes = entry_.stored_bytes;
  entry_.key = format::link_key(name.link_inode);
  if (name.stored_bytes != 0) entry_.address = data_at_;
  DGFS_CHECK(parts_.index.add_link_record(entry_, name.link_inode, digest ? &*digest : nullptr));
  return parts_.index.add(name, parts_.keeps_numbers ? 0 : name.link_inode);
}

Status Packer::add_further_name(const BatchItem& item, const ScannedEntry& scanned) {
  const std::uint64_t first = item.link.first_position;
  if (omitted_.contains(first)) {
    return lose(item, scanned,
                Error(ErrorKind::kNotFound, 4070, "the first name of this file could not be read"));
  }
  ++further_names_;
  parts_.progress.state().content_bytes += scanned.size_bytes;
  format::Entry name;
  set_key(name.key, prefix_, scanned.name);
  name.mode = format::type_of(scanned.mode);
  if (!parts_.keeps_numbers) {
    name.link_inode = first - omitted_.count_before(first) + 1;
    return parts_.index.add(name, parts_.index.next_ordinal() + 1);
  }
  name.link_inode = scanned.inode;
  return parts_.keeps_contents ? parts_.index.add_placed(name, 0, {}) : parts_.index.add(name, 0);
}

Status Packer::omit(const BatchItem& item) { return omitted_.add(item.position); }

Status Packer::lose(const BatchItem& item, const ScannedEntry& scanned, Error error) {
  DGFS_CHECK(parts_.losses.add(tree_path(prefix_, scanned.name), std::move(error)));
  return omit(item);
}

}  // namespace dgfs::builder
