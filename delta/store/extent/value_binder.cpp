// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/extent/value_binder.h"

#include <utility>

namespace dgfs::delta {
namespace {

// Bytes of values that are written at once. A write waits for the device, so it should be long.
constexpr std::size_t kTogetherBytesMax = std::size_t{1} << 20;

// Binds the written values to their places when it ends, also after an error or an exception.
class Binding {
 public:
  // @param places   of all values, without their offsets so far
  // @param extents  of the values that were written
  Binding(const std::vector<const LargeValue*>& values, std::vector<ValuePlace>& places,
          const std::vector<Extent>& extents)
      : values_(values), places_(places), extents_(extents) {}
  ~Binding() {
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      places_[i].offset_bytes = extents_[i].offset_bytes;
      values_[i]->bind_to(std::move(places_[i]));
    }
  }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

 private:
  const std::vector<const LargeValue*>& values_;
  std::vector<ValuePlace>& places_;
  const std::vector<Extent>& extents_;
};

}  // namespace

Status ValueBinder::add(const LargeValue& value) {
  auto contents = value.unbound();
  if (!contents) return ok();
  if (waiting_bytes_ + contents->size() > kTogetherBytesMax ||
      values_.size() == BlockFile::kTogetherMax) {
    DGFS_CHECK(finish());
  }
  waiting_bytes_ += contents->size();
  contents_.push_back(std::move(contents));
  values_.push_back(&value);
  return ok();
}

Status ValueBinder::finish() {
  std::vector<Bytes> blocks;
  std::vector<ValuePlace> places;
  for (const ValueRef& contents : contents_) {
    blocks.push_back(as_bytes(*contents));
    places.push_back(ValuePlace::of(0, blocks.back()));
  }
  std::vector<Extent> extents;
  const auto until_they_are_bound = volume_.begin_binding();
  auto written = [&] {
    const Binding binding(values_, places, extents);
    return volume_.file().write_all(blocks, extents);
  }();
  values_.clear();
  contents_.clear();
  waiting_bytes_ = 0;
  return written;
}

}  // namespace dgfs::delta
