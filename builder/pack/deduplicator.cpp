// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/deduplicator.h"

#include <algorithm>
#include <utility>

#include "format/content/extent.h"

namespace dgfs::builder {
namespace {

constexpr std::size_t kCompareBytes = std::size_t{1} << 20;

Status open_raw(Bytes stored, MutableBytes content) {
  if (stored.size() != format::raw_extent_bytes(content.size())) {
    return Error(ErrorKind::kCorrupt, 4114, "an extent is not as long as its content needs");
  }
  for (std::uint64_t i = 0; !content.empty(); ++i) {
    const auto bytes = std::min(content.size(), format::kFrameBytes);
    const auto stored_bytes = format::kChecksumBytes + bytes;
    DGFS_CHECK(format::open_frame(format::ExtentCodec::kRaw, i, stored.first(stored_bytes),
                                  content.first(bytes)));
    stored = stored.subspan(stored_bytes);
    content = content.subspan(bytes);
  }
  return ok();
}

// Points all items with the extent to the known one.
void point_to(const PlacedExtent& known, const BatchExtent& extent, Batch& batch) {
  const bool is_fragment = batch.items[extent.item].stored.fragment_offset.has_value();
  for (std::size_t i = extent.item; i <= extent.last_item; ++i) {
    StoredExtent& stored = batch.items[i].stored;
    if (stored.fragment_offset.has_value() != is_fragment) continue;
    stored = {known.codec, true, known.volume, known.bytes, known.at_bytes, stored.fragment_offset};
  }
}

}  // namespace

Status Deduplicator::share(Batch& batch) {
  const std::uint64_t position = volumes_[batch.volume].position();
  // The planned position holds until an extent is left out. Then all following data in the volume
  // moves, and this loop moves it once.
  const auto in_block = static_cast<std::size_t>(position % AppendFile::kBlockBytes);
  const bool is_as_planned = batch.data_begin % AppendFile::kBlockBytes == in_block;
  BatchCompaction data(batch, is_as_planned ? batch.data_begin : in_block);
  for (const BatchExtent& extent : batch.extents) {
    DGFS_TRY(known, table_.find(extent.fingerprint));
    if (known) {
      DGFS_TRY(there, is_there(*known, extent, data.next(extent), batch));
      if (there) {
        point_to(*known, extent, batch);
        data.drop(extent);
        continue;
      }
    }
    const auto begin = data.kept_bytes();
    if (extent.is_put_off) {
      DGFS_CHECK(pack_late(extent, data, batch));
    } else {
      data.keep(extent);
    }
    if (known) continue;
    DGFS_CHECK(
        table_.add(extent.fingerprint, {position + begin, data.kept_bytes() - begin,
                                        batch.items[extent.item].stored.codec, batch.volume}));
    if (put_off_.known != nullptr) put_off_.known->add(extent.fingerprint);
  }
  data.finish();
  return ok();
}

Result<bool> Deduplicator::is_there(const PlacedExtent& known, const BatchExtent& extent, Bytes own,
                                    const Batch& batch) {
  const StoredExtent& stored = batch.items[extent.item].stored;
  // A raw extent cannot be a fragment frame.
  if (known.codec != stored.codec && stored.fragment_offset) return false;
  DGFS_TRY(there, load(known, batch));
  return is_same({known.codec, there}, {stored.codec, own}, extent.content_bytes);
}

// Rare: another content has an equal fingerprint, or an equal word in the table of known contents.
// The extent has one frame, so packing does not make it longer.
Status Deduplicator::pack_late(const BatchExtent& extent, BatchCompaction& data, Batch& batch) {
  const auto content = open({format::ExtentCodec::kRaw, data.next(extent)}, extent.content_bytes);
  if (!content) {
    return Error(ErrorKind::kCorrupt, 4113, "deferred content has changed in memory");
  }
  Buffer packed(static_cast<std::size_t>(packed_bytes_max(content->size())));
  std::vector<std::uint64_t> checksums;
  const auto name = name_of(batch, extent.item);
  DGFS_TRY(stored, put_off_.packer->pack({name, batch.items[extent.item].position}, *content,
                                         packed, checksums));
  batch.items[extent.item].stored = stored;
  data.replace(extent, Bytes(packed).first(static_cast<std::size_t>(stored.bytes)), checksums);
  return ok();
}

Result<std::optional<PlacedExtent>> Deduplicator::find_or_add(const Fingerprint& fingerprint,
                                                              const PlacedExtent& own,
                                                              std::uint64_t content_bytes) {
  DGFS_TRY(known, table_.find(fingerprint));
  if (!known) {
    if (own.bytes <= kTableExtentBytesMax) {
      DGFS_CHECK(table_.add(fingerprint, own));
    }
    return known;
  }
  DGFS_TRY(same, is_same_written(*known, own, content_bytes));
  if (!same) known.reset();
  return known;
}

// An earlier extent of this batch has already moved to its final place in memory.
Result<Bytes> Deduplicator::load(const PlacedExtent& extent, const Batch& batch) {
  const auto count = static_cast<std::size_t>(extent.bytes);
  const std::uint64_t position = volumes_[extent.volume].position();
  if (extent.at_bytes < position) return read_back_.read({extent.volume, extent.at_bytes}, count);
  const auto begin = batch.data_begin + static_cast<std::size_t>(extent.at_bytes - position);
  return batch.memory.first(begin + count).subspan(begin);
}

Result<bool> Deduplicator::is_same_written(const PlacedExtent& a, const PlacedExtent& b,
                                           std::uint64_t content_bytes) const {
  const bool is_large = format::has_seek_table(content_bytes);
  if (is_large && (a.codec != b.codec || a.bytes != b.bytes)) return false;
  const std::uint64_t bytes = std::max(a.bytes, b.bytes);
  const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kCompareBytes));
  Buffer stored_a;
  Buffer stored_b;
  for (std::uint64_t at = 0; at < bytes; at += step) {
    stored_a.resize(static_cast<std::size_t>(std::min<std::uint64_t>(step, a.bytes - at)));
    stored_b.resize(static_cast<std::size_t>(std::min<std::uint64_t>(step, b.bytes - at)));
    DGFS_CHECK(volumes_[a.volume].read(a.at_bytes + at, stored_a));
    DGFS_CHECK(volumes_[b.volume].read(b.at_bytes + at, stored_b));
    if (!is_large) return is_same({a.codec, stored_a}, {b.codec, stored_b}, content_bytes);
    if (stored_a != stored_b) return false;
  }
  return true;
}

bool Deduplicator::is_same(const Loaded& a, const Loaded& b, std::uint64_t content_bytes) const {
  if (a.codec == b.codec && std::ranges::equal(a.stored, b.stored)) return true;
  // Larger contents are compressed without dictionaries, so equal contents have equal extents.
  if (format::has_seek_table(content_bytes)) return false;
  const auto content_a = open(a, content_bytes);
  return content_a && content_a == open(b, content_bytes);
}

std::optional<Buffer> Deduplicator::open(const Loaded& extent, std::uint64_t content_bytes) const {
  Buffer content(static_cast<std::size_t>(content_bytes));
  const format::FrameOptions options{&dictionaries_, true};
  const auto opened = extent.codec == format::ExtentCodec::kRaw
                          ? open_raw(extent.stored, content)
                          : format::open_frame(extent.codec, 0, extent.stored, content, options);
  return opened ? std::optional(std::move(content)) : std::nullopt;
}

}  // namespace dgfs::builder
