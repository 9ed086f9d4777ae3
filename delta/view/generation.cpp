// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/generation.h"

#include <algorithm>
#include <utility>

#include "delta/store/snapshot/snapshot.h"

namespace dgfs::view {
namespace {

constexpr const char* kHolder = "view";

std::vector<delta::Snapshot> sealed_of(const std::vector<std::shared_ptr<delta::Store>>& stores) {
  std::vector<delta::Snapshot> sealed;
  for (std::size_t i = 0; i + 1 < stores.size(); ++i) {
    sealed.push_back(stores[i]->snapshot(kHolder));
  }
  return sealed;
}

std::vector<ObjectNumber> ends_of(const std::vector<std::shared_ptr<delta::Store>>& stores) {
  std::vector<ObjectNumber> ends;
  for (std::size_t i = 1; i < stores.size(); ++i) {
    ends.push_back(stores[i]->parameters().born_object);
  }
  return ends;
}

}  // namespace

Generation::Generation(std::shared_ptr<const reader::Image> image,
                       std::vector<std::shared_ptr<delta::Store>> stores, const Chunks& chunks,
                       const Orphans* orphans, std::shared_ptr<const delta::FilterUnion> filters,
                       ObjectNumber reserved)
    : image_(std::move(image)),
      bottom_(*image_),
      orphans_(orphans),
      stores_(std::move(stores)),
      chunks_(chunks),
      ends_(ends_of(stores_)),
      sealed_(sealed_of(stores_)),
      sealed_stack_(sealed_),
      filters_(std::move(filters)),
      reserved_by_base_(reserved) {}

// A filter passes every object that was born in its store or later, so the end is asked first.
bool Generation::layer_may_have(std::size_t layer, RecordClass record, ObjectNumber object) const {
  return object < ends_[layer] &&
         sealed_[layer].may_have(static_cast<std::uint8_t>(record), object);
}

// Objects of the image are young for no layer.
bool Generation::sealed_may_have(RecordClass record, ObjectNumber object) const {
  const auto may_have = [&](std::size_t layer) { return layer_may_have(layer, record, object); };
  std::size_t asked = 0;  // so many of the oldest layers are known not to have it
  if (filters_ != nullptr && object < sealed_.front().born_object() &&
      !filters_->may_have({static_cast<std::uint8_t>(record), object})) {
    const auto& left_out = filters_->left_out();
    if (std::any_of(left_out.begin(), left_out.end(), may_have)) return true;
    asked = filters_->filters();
  }
  for (std::size_t layer = sealed_.size(); layer-- > asked;) {
    if (may_have(layer)) return true;
  }
  return false;
}

std::shared_ptr<const delta::FilterUnion> filters_of_layers(
    const std::vector<std::shared_ptr<delta::Store>>& stores) {
  constexpr std::size_t kFewLayers = 2;
  if (stores.size() <= kFewLayers) return nullptr;
  std::vector<const delta::PrefixFilter*> filters;
  for (const delta::Snapshot& layer : sealed_of(stores)) filters.push_back(layer.filter());
  return std::make_shared<const delta::FilterUnion>(filters);
}

GenerationRef generation_of(const reader::Image& image, const delta::DeltaDirectory& delta,
                            const Orphans* orphans) {
  // The caller keeps the image.
  return generation_of(std::shared_ptr<const reader::Image>(std::shared_ptr<void>(), &image), delta,
                       orphans);
}

GenerationRef generation_of(std::shared_ptr<const reader::Image> image,
                            const delta::DeltaDirectory& delta, const Orphans* orphans) {
  auto stores = delta.stores();
  auto filters = filters_of_layers(stores);
  const auto& manifest = delta.manifest();
  return std::make_shared<const Generation>(
      std::move(image), std::move(stores), Chunks(manifest.chunk_bytes), orphans,
      std::move(filters), manifest.base ? manifest.base->end_of_numbers : 0);
}

}  // namespace dgfs::view
