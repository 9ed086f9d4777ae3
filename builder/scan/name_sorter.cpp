// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/name_sorter.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "format/coding.h"

namespace dgfs::builder {
namespace {

// Offsets of names have 32 bits.
constexpr std::size_t kMemoryBytesMax = std::size_t{1} << 30;

using NameLength = std::uint16_t;

}  // namespace

/// Sorted names that fit into memory.
class NameSorter::MemoryNames final : public SortedNames {
 public:
  MemoryNames(std::string bytes, std::vector<Name> names)
      : bytes_(std::move(bytes)), names_(std::move(names)) {}

  Result<std::optional<std::string_view>> next() override {
    if (at_ == names_.size()) return std::nullopt;
    const Name& name = names_[at_++];
    return std::string_view(bytes_).substr(name.begin, name.length);
  }

 private:
  std::string bytes_;
  std::vector<Name> names_;
  std::size_t at_ = 0;
};

/// Merges runs of sorted names: the least head comes first.
class NameSorter::MergedNames final : public SortedNames {
 public:
  MergedNames(std::unique_ptr<Spool> runs, const std::vector<std::uint64_t>& ends)
      : runs_(std::move(runs)) {
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
      cursors_.emplace_back(*runs_, std::exchange(begin, end), end, kRunBufferBytes);
    }
  }

  Result<std::optional<std::string_view>> next() override {
    if (!started_) {
      DGFS_CHECK(start());
    }
    while (!heads_.empty()) {
      std::pop_heap(heads_.begin(), heads_.end(), is_after);
      Head least = std::move(heads_.back());
      heads_.pop_back();
      DGFS_CHECK(pull(least.run));
      if (last_ && *last_ == least.name) continue;
      last_ = std::move(least.name);
      return *last_;
    }
    return std::nullopt;
  }

 private:
  struct Head {
    std::string name;
    std::size_t run = 0;
  };
  static bool is_after(const Head& a, const Head& b) { return a.name > b.name; }

  Status start() {
    started_ = true;
    for (std::size_t run = 0; run < cursors_.size(); ++run) {
      DGFS_CHECK(pull(run));
    }
    return ok();
  }
  Status pull(std::size_t run) {
    SpoolCursor& cursor = cursors_[run];
    if (cursor.at_end()) return ok();
    DGFS_TRY(head, cursor.take(sizeof(NameLength)));
    const auto length = format::load<NameLength>(head, 0);
    DGFS_TRY(name, cursor.take(length));
    heads_.push_back({std::string(name.begin(), name.end()), run});
    std::push_heap(heads_.begin(), heads_.end(), is_after);
    return ok();
  }

  std::unique_ptr<Spool> runs_;
  std::vector<SpoolCursor> cursors_;
  std::vector<Head> heads_;
  std::optional<std::string> last_;
  bool started_ = false;
};

NameSorter::NameSorter(SpoolPlace place, std::size_t memory_bytes)
    : memory_bytes_(std::min(memory_bytes, kMemoryBytesMax)) {
  // A run goes to the file at once, so the spool keeps no second copy in memory.
  place.buffer_bytes = std::min(place.buffer_bytes, kRunBufferBytes);
  runs_ = std::make_unique<Spool>(std::move(place));
}

Status NameSorter::add(std::string_view name) {
  if (name.size() > std::numeric_limits<NameLength>::max()) {
    return Error(ErrorKind::kLimit, 4035, "name is too long");
  }
  // A growing vector may double, so the names may take only half of the memory.
  const std::size_t held = bytes_.size() + names_.size() * sizeof(Name);
  if (!names_.empty() && held + name.size() > memory_bytes_ / 2) {
    DGFS_CHECK(spill());
  }
  names_.push_back(
      {static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(name.size())});
  bytes_ += name;
  return ok();
}

void NameSorter::sort() {
  const auto text = [&](const Name& name) {
    return std::string_view(bytes_).substr(name.begin, name.length);
  };
  std::sort(names_.begin(), names_.end(),
            [&](const Name& a, const Name& b) { return text(a) < text(b); });
  const auto end = std::unique(names_.begin(), names_.end(),
                               [&](const Name& a, const Name& b) { return text(a) == text(b); });
  names_.erase(end, names_.end());
}

Status NameSorter::spill() {
  sort();
  Buffer record;
  for (const Name& name : names_) {
    record.clear();
    format::Encoder(record).fixed(static_cast<NameLength>(name.length));
    const char* const begin = bytes_.data() + name.begin;
    record.insert(record.end(), begin, begin + name.length);
    DGFS_CHECK(runs_->append(record));
  }
  run_ends_.push_back(runs_->size_bytes());
  names_.clear();
  bytes_.clear();
  return ok();
}

Result<std::unique_ptr<SortedNames>> NameSorter::finish() && {
  if (run_ends_.empty()) {
    sort();
    return std::make_unique<MemoryNames>(std::move(bytes_), std::move(names_));
  }
  if (!names_.empty()) {
    DGFS_CHECK(spill());
  }
  bytes_ = {};
  names_ = {};
  return std::make_unique<MergedNames>(std::move(runs_), run_ends_);
}

}  // namespace dgfs::builder
