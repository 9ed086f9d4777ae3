// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/generation.h"

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
                       const Orphans* orphans)
    : image_(std::move(image)),
      bottom_(*image_),
      orphans_(orphans),
      stores_(std::move(stores)),
      chunks_(chunks),
      ends_(ends_of(stores_)),
      sealed_(sealed_of(stores_)),
      sealed_stack_(sealed_) {}

// A filter passes every object that was born in its store or later, so the end is asked first.
bool Generation::sealed_may_have(RecordClass record, ObjectNumber object) const {
  for (std::size_t i = sealed_.size(); i-- > 0;) {
    if (object < ends_[i] && sealed_[i].may_have(static_cast<std::uint8_t>(record), object)) {
      return true;
    }
  }
  return false;
}

GenerationRef generation_of(const reader::Image& image, const delta::DeltaDirectory& delta,
                            const Orphans* orphans) {
  // The caller keeps the image.
  const std::shared_ptr<const reader::Image> kept(std::shared_ptr<void>(), &image);
  return std::make_shared<const Generation>(kept, delta.stores(),
                                            Chunks(delta.manifest().chunk_bytes), orphans);
}

}  // namespace dgfs::view
