// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/content/read_many_run.h"

#include <algorithm>
#include <future>
#include <utility>

#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::reader {
namespace {

// A gap of at most so many bytes between two files is read too: about the bytes that a device of 1
// GB/s reads in the time that one more read costs at depth 32 (10 us).
constexpr std::uint64_t kGapBytesMax = 8192;
// Bound of a read of neighbours: longer reads are not faster.
constexpr std::uint64_t kStretchBytesMax = std::uint64_t{256} << 10;

constexpr std::uint64_t align_down(std::uint64_t value) {
  return value - value % storage::kReadQueueAlignmentBytes;
}
constexpr std::uint64_t align_up(std::uint64_t value) {
  return align_down(value + storage::kReadQueueAlignmentBytes - 1);
}

storage::ReadQueueOptions queue_options(const ReadManyOptions& options) {
  storage::ReadQueueOptions wanted;
  wanted.depth = std::clamp(options.depth, 1U, storage::kReadQueueDepthMax);
  wanted.direct = !options.through_page_cache;
  wanted.io_uring = options.io_uring;
  return wanted;
}

}  // namespace

ReadManyRun::ReadManyRun(const FileContents& files, const Content& content, CounterCells& counters,
                         const ReadManyOptions& options, const VisitPiece& visit)
    : files_(files),
      content_(content),
      counters_(counters),
      visit_(visit),
      piece_bytes_(std::max<std::size_t>(1, options.piece_bytes / format::kFrameBytes) *
                   format::kFrameBytes),
      memory_bytes_(options.memory_bytes),
      slots_(queue_options(options).depth),
      queue_(storage::make_read_queue(queue_options(options))) {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) free_.push_back(slot);
}

void ReadManyRun::run(ReadManyPlan& plan) {
  // If the system grants no thread, next.get() makes the round.
  const auto make_round = [&] {
    return std::async(std::launch::async | std::launch::deferred, [&] { return plan.next(); });
  };
  for (auto next = make_round(); go_on_;) {
    auto round = next.get();
    if (round.empty()) break;
    next = make_round();
    for (auto& stretch : stretches_of(std::move(round))) {
      if (go_on_) begin(std::move(stretch));
    }
  }
  while (queue_->pending() > 0) finish_one();
}

// Groups the files of a round into stretches, in the order of their places. Finishes at once the
// files that cannot be read in a stretch.
std::vector<ReadManyRun::Stretch> ReadManyRun::stretches_of(std::vector<PlannedFile>&& round) {
  std::vector<Stretch> stretches;
  for (auto& file : round) {
    auto& node = file.node;
    if (file.error) {
      tell(file.index, *std::move(file.error));
      continue;
    }
    if (!fits_one_read(node)) {
      read_alone(file.index, node);
      continue;
    }
    auto extent = content_.extent_of(node, node.size_bytes);
    if (!extent) {
      tell(file.index, extent.assume_error());
      continue;
    }
    const auto* volume = extent.assume_value().volume;
    const auto begin = node.data.offset_bytes;
    const auto end = begin + node.stored_bytes;
    const bool joins = !stretches.empty() && stretches.back().volume == volume &&
                       begin <= stretches.back().end + kGapBytesMax &&
                       end <= stretches.back().begin + kStretchBytesMax;
    if (!joins) stretches.push_back({volume, begin, end, {}});
    auto& stretch = stretches.back();
    stretch.end = std::max(stretch.end, end);
    stretch.files.push_back({file.index, std::move(node), extent.assume_value()});
  }
  return stretches;
}

bool ReadManyRun::fits_one_read(const Node& node) const {
  return format::is_regular(node.mode) && node.size_bytes > 0 && node.size_bytes <= piece_bytes_ &&
         !node.sparse_map.present() && node.stored_bytes <= 2 * piece_bytes_;
}

void ReadManyRun::begin(Stretch&& stretch) {
  const auto offset = align_down(stretch.begin);
  const auto size_bytes = static_cast<std::size_t>(align_up(stretch.end) - offset);
  while (!queue_->has_room() || (used_bytes_ > 0 && used_bytes_ + size_bytes > memory_bytes_)) {
    finish_one();
  }
  if (!go_on_) return;
  const auto number = take_slot(size_bytes);
  auto& slot = slots_[number];
  slot.stretch = std::move(stretch);
  slot.size_bytes = size_bytes;
  used_bytes_ += size_bytes;
  CounterCells::add(counters_.data_reads);
  CounterCells::add(counters_.data_read_bytes, size_bytes);
  queue_->push(*slot.stretch.volume->file, offset, slot.memory.first(size_bytes), number);
}

// Takes a free slot and gives it enough memory. Prefers the slot used last, whose memory is still
// in the processor's cache.
std::size_t ReadManyRun::take_slot(std::size_t size_bytes) {
  const auto number = free_.back();
  free_.pop_back();
  auto& memory = slots_[number].memory;
  if (memory.capacity_bytes() >= size_bytes) return number;
  held_bytes_ -= memory.capacity_bytes();
  for (auto other = free_.begin(); other != free_.end() && held_bytes_ + size_bytes > memory_bytes_;
       ++other) {
    held_bytes_ -= slots_[*other].memory.capacity_bytes();
    slots_[*other].memory.release();
  }
  memory.reserve(size_bytes);
  held_bytes_ += size_bytes;
  return number;
}

void ReadManyRun::finish_one() {
  const auto finished = queue_->pop();
  const auto number = static_cast<std::size_t>(finished.tag);
  auto& slot = slots_[number];
  // A failed read is no error yet: hand_out() then reads each file alone.
  const auto count = finished.count ? finished.count.assume_value() : 0;
  hand_out(slot, slot.memory.first(count));
  used_bytes_ -= slot.size_bytes;
  slot.stretch.files.clear();
  free_.push_back(number);
}

void ReadManyRun::hand_out(const Slot& slot, Bytes bytes) {
  const auto first = align_down(slot.stretch.begin);
  for (const auto& file : slot.stretch.files) {
    if (!go_on_) return;
    const auto at = static_cast<std::size_t>(file.extent.address.offset_bytes - first);
    const auto stored_bytes = static_cast<std::size_t>(file.extent.stored_bytes);
    const auto content =
        at + stored_bytes <= bytes.size()
            ? content_.open_stored(file.extent, bytes.subspan(at, stored_bytes), scratch_)
            : std::nullopt;
    if (content) {
      tell(file.index, FilePiece{&file.node, 0, *content, true});
    } else {
      read_alone(file.index, file.node);
    }
  }
}

// Reads a file through FileContents, piece by piece.
void ReadManyRun::read_alone(std::size_t index, const Node& node) {
  std::uint64_t offset = 0;
  for (bool is_last = false; go_on_ && !is_last;) {
    scratch_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes_, node.size_bytes - offset)));
    const auto count = files_.read(node, offset, scratch_);
    if (!count) return tell(index, count.assume_error());
    is_last = offset + scratch_.size() == node.size_bytes;
    tell(index, FilePiece{&node, offset, scratch_, is_last});
    offset += scratch_.size();
  }
}

void ReadManyRun::tell(std::size_t index, const Result<FilePiece>& piece) {
  go_on_ = go_on_ && visit_(index, piece);
}

}  // namespace dgfs::reader
