// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/run.h"

#include <algorithm>

namespace dgfs::delta {

std::optional<Point> Run::find(std::string_view key) const {
  const auto at = lower_bound(key);
  if (at < size() && this->key(items_[at]) == key) return point(at);
  return tombstones_.covers(key) ? std::optional(Point{key, MessageKind::kDelete, {}, nullptr})
                                 : std::nullopt;
}

std::size_t Run::lower_bound(std::string_view key, std::size_t begin, std::size_t end) const {
  const auto at =
      std::ranges::lower_bound(items_.begin() + static_cast<std::ptrdiff_t>(begin),
                               items_.begin() + static_cast<std::ptrdiff_t>(end), key, {},
                               [this](const Item& item) { return this->key(item); });
  return static_cast<std::size_t>(at - items_.begin());
}

Point Run::point(std::size_t at) const {
  const Item& item = items_[at];
  Point point{key(item), item.kind, {}, nullptr};
  if (item.is_boxed) {
    point.boxed = &boxed_[item.value_bytes];
  } else {
    point.value = {point.key.data() + point.key.size(), item.value_bytes};
  }
  return point;
}

std::vector<Extent> Run::values() const {
  std::vector<Extent> all;
  for (const Message& message : boxed_) {
    for (const LargeRef& large : large_values(message)) all.push_back(*large->extent());
  }
  return all;
}

bool operator==(const Run& a, const Run& b) {
  return std::ranges::equal(a.points(), b.points()) && a.tombstones_ == b.tombstones_;
}

}  // namespace dgfs::delta
