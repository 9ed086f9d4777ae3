// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/row_writer.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "format/entry/mode.h"

namespace dgfs::format {
namespace {

/// Finds the value that more than half of the votes are for, if any is (Boyer and Moore).
template <class Value>
class Majority {
 public:
  void vote(const Value& value) {
    if (lead_ == 0) value_ = value;
    lead_ += value_ == value ? 1 : -1;
  }
  [[nodiscard]] const Value& value() const { return value_; }

 private:
  Value value_{};
  int lead_ = 0;
};

/// Counts how often each time occurs.
class TimeCounts {
 public:
  void add(const Time& time) {
    if (last_ == nullptr || last_->first != time) {
      last_ = &*counts_.try_emplace(time, 0).first;
    }
    ++last_->second;
  }
  /// The times that occur more than once, the commonest first; if there is none, any one time.
  [[nodiscard]] RecentTimes commonest() const {
    std::vector<std::pair<std::size_t, Time>> sorted;
    for (const auto& [time, count] : counts_) {
      if (count > 1) sorted.emplace_back(count, time);
    }
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    if (sorted.empty()) sorted.emplace_back(1, counts_.empty() ? Time() : counts_.begin()->first);
    RecentTimes times;
    for (std::size_t i = 0; i < std::min(sorted.size(), kTimeSymbols); ++i) {
      times.append(sorted[i].second);
    }
    return times;
  }

 private:
  std::map<Time, std::size_t> counts_;
  std::pair<const Time, std::size_t>* last_ = nullptr;
};

}  // namespace

TokenPageHead choose_page_head(std::span<const Entry> entries, const AttributeTable& attributes) {
  TimeCounts times;
  std::array<Majority<AttributeCombination>, kTypeCount> combinations;
  for (const auto& entry : entries) {
    if (entry.link_inode != 0) continue;
    times.add(entry.mtime);
    combinations[type_number(entry.mode)].vote({entry.mode, entry.uid, entry.gid});
  }
  TokenPageHead head;
  head.times = times.commonest();
  for (std::size_t type = 0; type < kTypeCount; ++type) {
    head.attributes[type] = attributes.find(combinations[type].value()).value_or(0);
  }
  return head;
}

unsigned RowWriter::extras_of(const Entry& entry) const {
  unsigned mask = 0;
  const auto add = [&](Extra extra, bool present) {
    if (present) mask |= static_cast<unsigned>(extra);
  };
  add(Extra::kSparseMap, entry.sparse_map.present());
  add(Extra::kFragment, entry.fragment_offset.has_value());
  const bool goes_on = last_fragment_.goes_on_in(entry);
  add(Extra::kZstd, entry.codec == ExtentCodec::kZstd && !goes_on);
  add(Extra::kStored, entry.stored_bytes != implied_stored_bytes(entry) && !goes_on);
  add(Extra::kAddress, entry.address.has_value() && !goes_on);
  add(Extra::kLinkCount, entry.link_count != 0);
  add(Extra::kGap, entry.gap_bytes != 0);
  add(Extra::kChangeTime, entry.ctime.has_value());
  add(Extra::kAccessTime, entry.atime.has_value());
  add(Extra::kXattrs, entry.xattrs.present());
  add(Extra::kLongTarget, entry.long_target.present());
  return mask;
}

}  // namespace dgfs::format
