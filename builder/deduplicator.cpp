// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/deduplicator.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/extent.h"

namespace dgfs::builder {
namespace {

constexpr std::size_t kCompareBytes = std::size_t{1} << 20;

// A batch's data moves to its begin as extents leave it.
class Compaction {
 public:
  explicit Compaction(Batch& batch) : batch_(batch) {}

  [[nodiscard]] Bytes next(const BatchExtent& extent) const {
    return data().subspan(read_bytes_, extent.data_bytes);
  }
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }

  void keep(const BatchExtent& extent) {
    if (read_bytes_ != kept_bytes_) {
      std::memmove(data().data() + kept_bytes_, data().data() + read_bytes_, extent.data_bytes);
      const auto begin = batch_.checksums.begin();
      std::copy_n(begin + static_cast<std::ptrdiff_t>(read_frames_), extent.frame_count,
                  begin + static_cast<std::ptrdiff_t>(kept_frames_));
    }
    kept_bytes_ += extent.data_bytes;
    kept_frames_ += extent.frame_count;
    drop(extent);
  }
  void drop(const BatchExtent& extent) {
    read_bytes_ += extent.data_bytes;
    read_frames_ += extent.frame_count;
  }
  void finish() {
    batch_.data_bytes = kept_bytes_;
    batch_.checksums.resize(kept_frames_);
  }

 private:
  [[nodiscard]] MutableBytes data() const {
    return batch_.memory.first(batch_.data_begin + batch_.data_bytes).subspan(batch_.data_begin);
  }

  Batch& batch_;
  std::size_t read_bytes_ = 0;
  std::size_t kept_bytes_ = 0;
  std::size_t read_frames_ = 0;
  std::size_t kept_frames_ = 0;
};

// All items that have the extent are to find it there.
void point_to(const PlacedExtent& known, const BatchExtent& extent, Batch& batch) {
  const bool is_joint = batch.items[extent.item].stored.joint_offset.has_value();
  for (std::size_t i = extent.item; i <= extent.last_item; ++i) {
    StoredExtent& stored = batch.items[i].stored;
    if (stored.joint_offset.has_value() != is_joint) continue;
    stored = {known.codec, true, known.volume, known.bytes, known.at_bytes, stored.joint_offset};
  }
}

}  // namespace

Status Deduplicator::share(Batch& batch) {
  Compaction compaction(batch);
  const std::uint64_t position = volumes_[batch.volume].position();
  for (const BatchExtent& extent : batch.extents) {
    const StoredExtent stored = batch.items[extent.item].stored;
    const Loaded own{stored.codec, compaction.next(extent)};
    DGFS_TRY(known, table_.find(extent.fingerprint));
    if (!known) {
      DGFS_CHECK(table_.add(extent.fingerprint, {position + compaction.kept_bytes(),
                                                 extent.data_bytes, stored.codec, batch.volume}));
      compaction.keep(extent);
      continue;
    }
    DGFS_TRY(there, load(*known, batch));
    // Content that is stored as it is makes no joint frame.
    const bool fits = known->codec == stored.codec || !stored.joint_offset;
    if (!fits || !is_same({known->codec, there}, own, extent.content_bytes)) {
      compaction.keep(extent);
      continue;
    }
    point_to(*known, extent, batch);
    compaction.drop(extent);
  }
  compaction.finish();
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

// What precedes it in the batch has moved to where it will be in the volume.
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
  // Larger contents are compressed without dictionaries, so that the same have the same extent.
  if (format::has_seek_table(content_bytes)) return false;
  const auto content_a = open(a, content_bytes);
  return content_a && content_a == open(b, content_bytes);
}

std::optional<Buffer> Deduplicator::open(const Loaded& extent, std::uint64_t content_bytes) const {
  const bool is_raw = extent.codec == format::ExtentCodec::kRaw;
  if (is_raw && extent.stored.size() != format::raw_extent_bytes(content_bytes)) {
    return std::nullopt;
  }
  Buffer content(static_cast<std::size_t>(content_bytes));
  const format::FrameOptions options{&dictionaries_, true};
  for (std::uint64_t i = 0; i < format::frame_count(extent.codec, content_bytes); ++i) {
    const auto begin = static_cast<std::size_t>(i) * format::kFrameBytes;
    const auto out = MutableBytes(content).subspan(begin);
    const auto stored =
        extent.stored.subspan(static_cast<std::size_t>(is_raw ? format::raw_frame_offset(i) : 0));
    const auto opened =
        is_raw
            ? format::open_frame(extent.codec, i,
                                 stored.first(std::min(stored.size(), format::kStoredFrameBytes)),
                                 out.first(std::min(out.size(), format::kFrameBytes)), options)
            : format::open_frame(extent.codec, i, stored, out, options);
    if (!opened) return std::nullopt;
  }
  return content;
}

}  // namespace dgfs::builder
