// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/stacked_value.h"

#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <boost/icl/right_open_interval.hpp>
#include <functional>
#include <utility>

#include "delta/store/message/value_part.h"

namespace dgfs::delta {
namespace {

ValueRange common(const ValueRange& a, const ValueRange& b) {
  const auto begin = std::max(a.begin_bytes, b.begin_bytes);
  return {begin, std::max(begin, std::min(a.end_bytes, b.end_bytes))};
}

ValueRange range_of(const Edit& edit) { return {begin_of(edit), end_of(edit)}; }

using Interval = boost::icl::right_open_interval<std::uint64_t>;
// Intervals that touch are joined.
using Intervals = boost::icl::interval_set<std::uint64_t, std::less, Interval>;

Interval interval_of(const ValueRange& range) { return {range.begin_bytes, range.end_bytes}; }

}  // namespace

void StackedValue::add_older(Message message, const ExtentVolume& values) {
  if (is_final() || (!message.is_final() && message.patch.empty())) return;
  said_.push_back({std::move(message), &values});
}

Status StackedValue::read(std::uint64_t begin_bytes, MutableBytes out, const Bottom& bottom) const {
  const auto base = from_base({begin_bytes, begin_bytes + out.size()});
  if (!base.empty()) {
    const auto part = out.subspan(static_cast<std::size_t>(base.begin_bytes - begin_bytes),
                                  static_cast<std::size_t>(base.end_bytes - base.begin_bytes));
    DGFS_CHECK(read_base(base.begin_bytes, part, bottom));
  }
  for (auto said = said_.rbegin(); said != said_.rend(); ++said) {
    for (const Edit& edit : said->message.patch.edits()) {
      const ValueRange changed = range_of(edit);
      const auto inside = common(changed, {begin_bytes, begin_bytes + out.size()});
      if (std::holds_alternative<FieldChange>(edit) && !inside.empty() && inside != changed) {
        return Error(ErrorKind::kCorrupt, 7164, "a field of a value that is read in parts");
      }
    }
    DGFS_CHECK(apply_part(said->message.patch, begin_bytes, out, *said->values));
  }
  return ok();
}

Status StackedValue::read_base(std::uint64_t begin_bytes, MutableBytes out,
                               const Bottom& bottom) const {
  if (!is_final()) return bottom(begin_bytes, out);
  std::size_t read_bytes = 0;
  if (!said_.empty() && said_.back().message.kind == MessageKind::kPut) {
    Message whole = said_.back().message;
    whole.patch = {};
    DGFS_TRY(slice, part_of_value(whole, begin_bytes, out.size(), *said_.back().values));
    read_bytes = slice.bytes().copy(reinterpret_cast<char*>(out.data()), out.size());
  }
  std::ranges::fill(out.subspan(read_bytes), std::uint8_t{0});
  return ok();
}

bool StackedValue::is_patched() const {
  return std::ranges::any_of(said_, [](const Said& said) { return !said.message.patch.empty(); });
}

bool StackedValue::has_fields() const {
  return std::ranges::any_of(said_, [](const Said& said) {
    return std::ranges::any_of(said.message.patch.edits(), [](const Edit& edit) {
      return std::holds_alternative<FieldChange>(edit);
    });
  });
}

void StackedValue::announce(const ValueRange& range) const {
  const auto base = from_base(range);
  for (const Said& said : said_) {
    const auto announce_large = [&](const LargeRef& large) {
      if (const auto extent = large->extent()) said.values->file().announce(*extent);
    };
    if (said.message.large && !base.empty()) announce_large(said.message.large);
    for (const Edit& edit : said.message.patch.edits()) {
      const auto* piece = std::get_if<LargePiece>(&edit);
      if (piece != nullptr && !common(range_of(edit), range).empty()) announce_large(piece->large);
    }
  }
}

ValueRange StackedValue::from_base(const ValueRange& range) const {
  Intervals left(interval_of(range));
  for (const Said& said : said_) {
    for (const Edit& edit : said.message.patch.edits()) {
      if (!std::holds_alternative<FieldChange>(edit)) left -= interval_of(range_of(edit));
    }
  }
  // A field may be changed before a part of it is replaced, so its older bytes are needed.
  for (const Said& said : said_) {
    for (const Edit& edit : said.message.patch.edits()) {
      const auto inside = common(range_of(edit), range);
      if (std::holds_alternative<FieldChange>(edit) && !inside.empty()) left += interval_of(inside);
    }
  }
  if (left.empty()) return {range.begin_bytes, range.begin_bytes};
  return {left.begin()->lower(), left.rbegin()->upper()};
}

std::vector<ValueRange> StackedValue::data_in(const ValueRange& range) const {
  Intervals data;
  for (auto said = said_.rbegin(); said != said_.rend(); ++said) {
    const Message& message = said->message;
    if (message.kind == MessageKind::kPut) {
      Message whole = message;
      whole.patch = {};
      data += interval_of({0, length_of_value(whole)});
    }
    for (const Edit& edit : message.patch.edits()) {
      if (std::holds_alternative<Zeros>(edit)) {
        data -= interval_of(range_of(edit));
      } else {
        data += interval_of(range_of(edit));
      }
    }
  }
  data &= interval_of(range);
  std::vector<ValueRange> stretches;
  for (const Interval& each : data) stretches.push_back({each.lower(), each.upper()});
  return stretches;
}

}  // namespace dgfs::delta
