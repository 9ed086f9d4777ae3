// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/data_writer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace dgfs::builder {
namespace {

// The interval of progress reports.
constexpr std::chrono::milliseconds kWaitAtOnce(200);

}  // namespace

std::size_t WrittenBatch::held_bytes() const {
  std::size_t bytes = prefix.size() + records.size() + items.size() * sizeof(BatchItem);
  for (const BatchItem& item : items) {
    if (item.extra == nullptr) continue;
    bytes += sizeof(ItemExtra) + item.extra->xattrs.size();
    if (item.extra->segments != nullptr) bytes += item.extra->segments->memory_bytes();
  }
  return bytes;
}

DataWriter::~DataWriter() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  taken_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status DataWriter::start() {
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::exception&) {
    return Error(ErrorKind::kLimit, 4052, "cannot start a thread");
  }
  return ok();
}

void DataWriter::work() {
  std::optional<Error> failure;
  try {
    if (auto written = write_all(); !written) failure = std::move(written).error();
  } catch (const std::exception&) {
    failure = Error(ErrorKind::kLimit, 4053, "not enough memory");
  }
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  ended_ = true;
  written_.notify_one();
}

Status DataWriter::write_all() {
  while (true) {
    DGFS_TRY(batch, pool_.next());
    if (batch == nullptr) return ok();
    DGFS_TRY(written, write(*batch));
    pool_.release(std::move(batch));
    if (!hand_over(std::move(written))) return ok();
  }
}

// Returns false if next() will not be called any more.
bool DataWriter::hand_over(WrittenBatch batch) {
  const std::size_t bytes = batch.held_bytes();
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return cancelled_ || held_bytes_ < held_bytes_max_; });
  if (cancelled_) return false;
  held_bytes_ += bytes;
  queue_.push_back(std::move(batch));
  written_.notify_one();
  return true;
}

Result<std::optional<WrittenBatch>> DataWriter::next(const std::function<void()>& waiting) {
  std::unique_lock lock(mutex_);
  while (!written_.wait_for(lock, kWaitAtOnce, [this] { return ended_ || !queue_.empty(); })) {
    lock.unlock();
    waiting();
    lock.lock();
  }
  if (queue_.empty()) {
    if (failure_) return std::move(*failure_);
    return std::optional<WrittenBatch>();
  }
  WrittenBatch batch = std::move(queue_.front());
  queue_.pop_front();
  held_bytes_ -= batch.held_bytes();
  taken_.notify_one();
  return std::optional(std::move(batch));
}

Result<WrittenBatch> DataWriter::write(Batch& batch) {
  WrittenBatch written;
  // Consecutive groups in the same volume count as one.
  if (batch.volume != group_.volume) group_ = {batch.volume, volumes_[batch.volume].position()};
  written.group = group_;
  if (batch.piece) {
    written.is_whole = batch.piece->is_last;
    DGFS_TRY(piece_bytes, write_piece(batch));
    written.piece_bytes = piece_bytes;
  } else {
    DGFS_CHECK(write_data(batch));
  }
  written.prefix = std::move(batch.prefix);
  written.records = std::move(batch.records);
  written.items = std::move(batch.items);
  return written;
}

Status DataWriter::write_data(Batch& batch) {
  if (dedup_ != nullptr && !batch.extents.empty()) {
    DGFS_CHECK(dedup_->share(batch));
  }
  frames_.update(bytes_of(batch.checksums));
  AppendFile& volume = volumes_[large_ ? large_->at.volume : batch.volume];
  return volume.append_in_place(batch.memory, batch.data_begin, batch.data_bytes);
}

// A file that stands apart goes to the volume with the least data, wherever its neighbours stand.
// Otherwise large files could fill one volume. Written bytes are compared, not planned ones: these
// depend only on the tree too, and include the effect of holes and compression.
Status DataWriter::begin_large(const Batch& batch) {
  const format::VolumeNumber number = batch.piece->is_apart ? emptiest() : batch.volume;
  AppendFile& volume = volumes_[number];
  DGFS_TRY(mark, volume.mark());
  large_ =
      LargeStart{std::move(mark), {number, volume.position()}, frames_, {}, {}, 0, std::nullopt};
  return ok();
}

format::VolumeNumber DataWriter::emptiest() const {
  const auto least = std::ranges::min_element(
      volumes_, {}, [](const AppendFile& file) { return file.position(); });
  return static_cast<format::VolumeNumber>(least - volumes_.begin());
}

// Writes pieces as they come. Only after the last piece it is known whether the file stayed
// unchanged, and whether its content is already in the image. If the file is lost or shared, the
// volume goes back to where the file began.
Result<std::uint64_t> DataWriter::write_piece(Batch& batch) {
  const FilePiece& piece = *batch.piece;
  BatchItem& item = batch.items.front();
  std::uint64_t written_bytes = 0;
  if (piece.is_first) {
    DGFS_CHECK(begin_large(batch));
  }
  if (!large_->error) {
    if (item.extra != nullptr && item.extra->error) {
      large_->error = std::move(item.extra->error);
    } else {
      for (std::uint64_t i = 0; i < batch.frames.frame_count(); ++i) {
        large_->table.add(batch.frames.begin(i + 1) - batch.frames.begin(i),
                          batch.frames.checksum(i));
      }
      large_->content_bytes += piece.content_bytes;
      large_->fingerprint.add(batch.chunks);
      DGFS_CHECK(write_data(batch));
      written_bytes = piece.content_bytes;
    }
  }
  if (piece.is_last) {
    DGFS_CHECK(end_large(batch, item));
    large_.reset();
  }
  return written_bytes;
}

Status DataWriter::end_large(const Batch& batch, BatchItem& item) {
  const FilePiece& piece = *batch.piece;
  if (!large_->error) check_large(*piece.file);
  const bool again = large_->error && large_->error->kind() == ErrorKind::kChanged;
  if (again) {
    DGFS_TRY(entry, decode_entry_record(batch.record(item)));
    DGFS_CHECK(read_large_again(*piece.file, entry, item));
  }
  if (large_->error) {
    item.more().error = std::move(large_->error);
    rewind_large();
    return ok();
  }
  if (piece.codec == format::ExtentCodec::kZstd && !again) {
    DGFS_CHECK(write_seek_table(item));
  }
  if (large_->content_bytes == 0) return ok();
  if (large_->at.volume != group_.volume) {
    item.stored.volume = large_->at.volume;
    item.stored.at_bytes = large_->at.offset_bytes;
  }
  return dedup_ != nullptr ? share_large(item) : Status(ok());
}

Status DataWriter::write_seek_table(BatchItem& item) {
  Buffer encoded;
  large_->table.encode(large_->content_bytes, encoded);
  item.stored.codec = format::ExtentCodec::kZstd;
  item.stored.bytes = large_->table.begin(large_->table.frame_count()) + encoded.size();
  return volumes_[large_->at.volume].append(encoded);
}

Status DataWriter::share_large(BatchItem& item) {
  const auto [volume, at_bytes] = large_->at;
  const PlacedExtent own{at_bytes, volumes_[volume].position() - at_bytes, item.stored.codec,
                         volume};
  DGFS_TRY(same, dedup_->find_or_add(large_->fingerprint.finish(), own, large_->content_bytes));
  if (!same) return ok();
  item.stored = {same->codec, true, same->volume, same->bytes, same->at_bytes};
  rewind_large();
  return ok();
}

void DataWriter::rewind_large() {
  frames_ = large_->frames;
  volumes_[large_->at.volume].rewind(large_->mark);
}

}  // namespace dgfs::builder
