// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/run_sorter.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "format/coding.h"

namespace dgfs::builder {
namespace {

// One read of a run while merging. With smaller reads, seeking between runs would dominate.
constexpr std::size_t kRunBufferBytes = std::size_t{1} << 16;
constexpr std::size_t kRecordsMin = 4;

Bytes bytes_of(const SortRecord& record) {
  return {reinterpret_cast<const std::uint8_t*>(record.data()), sizeof record};
}

class MemoryRecords final : public SortedRecords {
 public:
  explicit MemoryRecords(std::vector<SortRecord> records) : records_(std::move(records)) {}
  Result<std::optional<SortRecord>> next() override {
    if (at_ == records_.size()) return std::nullopt;
    return records_[at_++];
  }

 private:
  std::vector<SortRecord> records_;
  std::size_t at_ = 0;
};

class MergedRecords final : public SortedRecords {
 public:
  MergedRecords(std::vector<std::shared_ptr<Spool>> runs, std::size_t buffer_bytes)
      : runs_(std::move(runs)) {
    for (const auto& run : runs_) {
      cursors_.emplace_back(*run, 0, run->size_bytes(), buffer_bytes);
    }
  }

  Result<std::optional<SortRecord>> next() override {
    if (!started_) {
      DGFS_CHECK(start());
    }
    if (heads_.empty()) return std::nullopt;
    const Head least = heads_.top();
    heads_.pop();
    DGFS_CHECK(pull(least.run));
    return least.record;
  }

 private:
  struct Head {
    SortRecord record;
    std::size_t run;
    friend auto operator<=>(const Head&, const Head&) = default;
  };

  Status start() {
    started_ = true;
    for (std::size_t run = 0; run < cursors_.size(); ++run) {
      DGFS_CHECK(pull(run));
    }
    return ok();
  }
  Status pull(std::size_t run) {
    if (cursors_[run].at_end()) return ok();
    DGFS_TRY(bytes, cursors_[run].take(sizeof(SortRecord)));
    Head head{{}, run};
    for (std::size_t i = 0; i < head.record.size(); ++i) {
      head.record[i] = format::load<std::uint64_t>(bytes, i * sizeof(std::uint64_t));
    }
    heads_.push(head);
    return ok();
  }

  std::vector<std::shared_ptr<Spool>> runs_;
  std::vector<SpoolCursor> cursors_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
  bool started_ = false;
};

}  // namespace

RunSorter::RunSorter(SpoolPlace place, std::size_t memory_bytes)
    : place_(std::move(place)),
      records_max_(std::max(kRecordsMin, memory_bytes / sizeof(SortRecord))),
      fan_in_(std::max(std::size_t{2}, memory_bytes / kRunBufferBytes)) {
  // A run goes to its file at once, so its spool keeps no second copy in memory.
  place_.buffer_bytes = std::min(place_.buffer_bytes, kRunBufferBytes);
}

Status RunSorter::add(const SortRecord& record) {
  records_.push_back(record);
  return records_.size() >= records_max_ ? spill() : Status(ok());
}

Status RunSorter::spill() {
  std::sort(records_.begin(), records_.end());
  const Run run = new_run();
  for (const SortRecord& record : records_) {
    DGFS_CHECK(run->append(bytes_of(record)));
  }
  records_.clear();
  return ok();
}

RunSorter::Run RunSorter::new_run() {
  ++spilled_runs_;
  runs_.push_back(std::make_shared<Spool>(place_));
  return runs_.back();
}

std::unique_ptr<SortedRecords> RunSorter::merge(std::vector<Run> runs) const {
  return std::make_unique<MergedRecords>(std::move(runs), kRunBufferBytes);
}

Status RunSorter::merge_first() {
  const auto end = runs_.begin() + static_cast<std::ptrdiff_t>(fan_in_);
  const auto merged = merge(std::vector<Run>(runs_.begin(), end));
  runs_.erase(runs_.begin(), end);
  const Run run = new_run();
  while (true) {
    DGFS_TRY(record, merged->next());
    if (!record) return ok();
    DGFS_CHECK(run->append(bytes_of(*record)));
  }
}

Result<std::unique_ptr<SortedRecords>> RunSorter::finish() && {
  if (runs_.empty()) {
    std::sort(records_.begin(), records_.end());
    return std::make_unique<MemoryRecords>(std::move(records_));
  }
  if (!records_.empty()) {
    DGFS_CHECK(spill());
  }
  records_ = {};
  while (runs_.size() > fan_in_) {
    DGFS_CHECK(merge_first());
  }
  return merge(std::vector<Run>(runs_.begin(), runs_.end()));
}

}  // namespace dgfs::builder
