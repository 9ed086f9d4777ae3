// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/extent/value_binder.h"

#include <utility>

namespace dgfs::delta {
namespace {

// Their copy stays in the processor's cache. Longer writes are no faster.
constexpr std::size_t kTogetherBytesMax = std::size_t{128} << 10;

// Binds values to places as it ends, whatever has ended it: what was written has its place.
class Binding {
 public:
  Binding(const std::vector<const LargeValue*>& values, const std::vector<Place>& places)
      : values_(values), places_(places) {}
  ~Binding() {
    for (std::size_t i = 0; i < places_.size(); ++i) values_[i]->bind_to(places_[i]);
  }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

 private:
  const std::vector<const LargeValue*>& values_;
  const std::vector<Place>& places_;
};

}  // namespace

Status ValueBinder::add(const LargeValue& value) {
  auto contents = value.unbound();
  if (!contents) return ok();
  if (waiting_bytes_ + contents->size() > kTogetherBytesMax) {
    DGFS_CHECK(finish());
  }
  waiting_bytes_ += contents->size();
  contents_.push_back(std::move(contents));
  values_.push_back(&value);
  return ok();
}

Status ValueBinder::finish() {
  std::vector<Bytes> blocks;
  for (const ValueRef& contents : contents_) blocks.push_back(as_bytes(*contents));
  std::vector<Place> places;
  auto written = [&] {
    const Binding binding(values_, places);
    return volume_.file().write_all(blocks, places);
  }();
  values_.clear();
  contents_.clear();
  waiting_bytes_ = 0;
  return written;
}

}  // namespace dgfs::delta
