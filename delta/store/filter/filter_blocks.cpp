// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/filter/filter_blocks.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

namespace dgfs::delta {

void FilterBlocks::load(const Place& table) {
  if (table.length_bytes != 0 && !load_parts(table)) give_up();
}

Status FilterBlocks::load_parts(const Place& table) {
  DGFS_TRY(found, read_filter_table(file_, table, filter_.older()));
  for (const auto& each : found.stages) {
    filter_.restore(std::make_unique<FilterStage>(each.capacity, each.count));
    stages_.push_back(each);
  }
  if (!stages_.empty() && stages_.back().count < stages_.back().capacity) {
    DGFS_CHECK(read_filter_stage(file_, stages_.back().place, filter_.stage(stages_.size() - 1)));
  }
  if (!found.ranges.empty()) filter_.restore(PrefixRanges(std::move(found.ranges)));
  ranges_ = filter_.ranges();
  table_ = table;
  return ok();
}

// Its blocks are free from now on. Overwriting them does no harm: a later open that finds them in
// the superblock finds damage again.
void FilterBlocks::give_up() {
  filter_.add_all();
  stages_.clear();
  table_ = {};
  ranges_ = nullptr;
  is_stale_ = true;
  has_given_up_ = true;
}

// The newest stages have the most prefixes.
std::size_t FilterBlocks::unread() const {
  auto number = stages_.size();
  while (number > 0 && filter_.stage(number - 1).is_read()) --number;
  return number;
}

bool FilterBlocks::load_stage() {
  const auto at = unread();
  if (at == 0) return false;
  try {
    if (read_filter_stage(file_, stages_[at - 1].place, filter_.stage(at - 1))) return true;
    std::vector<Extent> retired = retired_;
    for (const auto& stage : stages_) retired.push_back(stage.place.extent());
    retired.push_back(table_.extent());
    give_up();
    retired_ = std::move(retired);
  } catch (const std::bad_alloc&) {  // nothing has changed
  }
  return false;
}

std::vector<Place> FilterBlocks::blocks() const {
  std::vector<Place> blocks;
  if (table_.length_bytes == 0) return blocks;
  blocks.push_back(table_);
  for (const auto& stage : stages_) blocks.push_back(stage.place);
  return blocks;
}

void FilterBlocks::mark_used_space() {
  const auto blocks = this->blocks();
  for (auto block = blocks.begin(); block != blocks.end(); ++block) {
    if (file_.mark(block->extent())) continue;
    std::for_each(blocks.begin(), block,
                  [this](const Place& marked) { file_.free(marked.extent()); });
    return give_up();
  }
}

bool FilterBlocks::is_written(std::size_t stage) const {
  return stage < stages_.size() && stages_[stage].count == filter_.stage(stage).count();
}

Status FilterBlocks::write() {
  if (filter_.empty()) return ok();
  const auto stages = has_given_up_ ? 0 : filter_.stages();
  retired_.reserve(retired_.size() + stages + 1);
  stages_.reserve(stages);
  for (std::size_t at = 0; at < stages; ++at) {
    if (is_written(at)) continue;
    auto written = write_stage(at);
    if (written) continue;
    if (written.error().kind() != ErrorKind::kNoSpace) return written;
    is_stale_ = true;
    return write_table({{}, {filter_.older().all()}});
  }
  const auto ranges = filter_.ranges();
  if (!is_stale_ && ranges == ranges_) return ok();
  DGFS_CHECK(write_table({stages_, ranges ? ranges->all() : std::vector<PrefixRange>()}));
  ranges_ = ranges;
  is_stale_ = false;
  return ok();
}

// The bits contain every prefix that `count` counts, because they are read after it; they may
// contain more.
Status FilterBlocks::write_stage(std::size_t at) {
  const FilterStage& stage = filter_.stage(at);
  const auto count = stage.count();
  DGFS_TRY(place, file_.write(stage.encode()));
  if (at == stages_.size()) {
    stages_.push_back({stage.capacity(), count, place});
  } else {
    retire(std::exchange(stages_[at].place, place));
    stages_[at].count = count;
  }
  is_stale_ = true;
  return ok();
}

Status FilterBlocks::write_table(const FilterTable& table) {
  DGFS_TRY(place, file_.write(encode_filter_table(table)));
  retire(std::exchange(table_, place));
  return ok();
}

// write() and leave_end() have reserved the memory for it.
void FilterBlocks::retire(const Place& place) {
  if (place.length_bytes != 0) retired_.push_back(place.extent());
}

// Blocks that were written in vain are freed after the checkpoint, like those that were replaced.
void FilterBlocks::leave_end(std::uint64_t begin_bytes) noexcept {
  std::vector<Extent> taken;
  try {
    retired_.reserve(retired_.size() + stages_.size() + 1);
    taken.reserve(stages_.size());
    if (move_before(begin_bytes, taken)) return;
  } catch (const std::bad_alloc&) {
  }
  retired_.insert(retired_.end(), taken.begin(), taken.end());
}

// False: nothing has changed, except `taken`. The table is moved last.
bool FilterBlocks::move_before(std::uint64_t begin_bytes, std::vector<Extent>& taken) {
  const auto is_behind = [&](const Place& place) { return place.offset_bytes >= begin_bytes; };
  if (table_.length_bytes == 0 || is_stale_) return false;
  auto stages = stages_;
  for (std::size_t at = 0; at < stages.size(); ++at) {
    if (!is_behind(stages[at].place) || !filter_.stage(at).is_read()) continue;
    const auto count = filter_.stage(at).count();
    const auto moved = file_.write_before_end(filter_.stage(at).encode());
    if (!moved || !moved.value()) continue;
    stages[at] = {stages[at].capacity, count, *moved.value()};
    taken.push_back(moved.value()->extent());
  }
  if (taken.empty() && !is_behind(table_)) return false;
  const FilterTable table{stages, ranges_ ? ranges_->all() : std::vector<PrefixRange>()};
  const auto place = file_.write_before_end(encode_filter_table(table));
  if (!place || !place.value()) return false;
  for (std::size_t at = 0; at < stages.size(); ++at) {
    if (stages[at].place != stages_[at].place) retire(stages_[at].place);
  }
  stages_ = std::move(stages);
  retire(std::exchange(table_, *place.value()));
  return true;
}

void FilterBlocks::note_checkpoint() {
  try {
    for (; !retired_.empty(); retired_.pop_back()) file_.free(retired_.back());
  } catch (const std::bad_alloc&) {  // the rest is freed the next time
  }
}

std::vector<Extent> FilterBlocks::spare() const {
  std::vector<Extent> blocks = retired_;
  if (!is_stale_) return blocks;
  for (const auto& stage : stages_) blocks.push_back(stage.place.extent());
  return blocks;
}

std::uint64_t FilterBlocks::disk_bytes() const noexcept {
  if (table_.length_bytes == 0) return 0;
  std::uint64_t bytes = padded_bytes(table_.length_bytes);
  for (const auto& stage : stages_) bytes += padded_bytes(stage.place.length_bytes);
  return bytes;
}

std::uint64_t FilterBlocks::retired_bytes() const {
  std::uint64_t bytes = 0;
  for (const Extent& block : retired_) bytes += padded_bytes(block.length_bytes);
  return bytes;
}

std::uint64_t FilterBlocks::bytes_to_write(std::uint64_t prefixes) const {
  if (filter_.older().empty()) return 0;
  std::uint64_t bytes = 2 * FilterTable::kBytesMax;  // leave_end() may write it again
  std::uint64_t room = 0;
  std::uint64_t capacity = 0;
  std::size_t stages = filter_.stages();
  for (std::size_t at = 0; at < stages; ++at) {
    const auto count = filter_.stage(at).count();
    capacity = filter_.stage(at).capacity();
    room = capacity - std::min(capacity, count);
    if (!is_written(at) || room > 0) bytes += padded_bytes(FilterStage::bytes_of(capacity));
  }
  for (; room < prefixes && stages < PrefixFilter::kStagesMax; ++stages) {
    capacity = filter_.capacity_after(capacity);
    room += capacity;
    bytes += padded_bytes(FilterStage::bytes_of(capacity));
  }
  return bytes;
}

}  // namespace dgfs::delta
