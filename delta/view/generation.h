// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Generation: the layers under a view, from one switch of the stack to the next: an image, sealed
// stores over it, and the store that is written to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/filter/filter_union.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/view/contents/chunks.h"
#include "delta/view/image_bottom.h"
#include "delta/view/orphans.h"

namespace dgfs::view {

class Generation;
/// Whoever reads or writes holds one from the beginning of an operation to its end. So a store is
/// closed, and an image let go, only after the last operation that uses it.
using GenerationRef = std::shared_ptr<const Generation>;

/// Thread-safe. Owns its layers together with other generations.
class Generation {
 public:
  /// @param stores   from the oldest to the newest; at least one. The last one is written to, the
  ///                 others never change.
  /// @param chunks   how files are cut into chunks
  /// @param orphans  of the view that changes the stores, must outlive it; null: no view changes
  ///                 them
  /// @param filters  of the oldest of the other stores, to ask them all at once; null: of none
  /// @param reserved  end of the numbers that layers in the base have reserved; 0: there is no base
  Generation(std::shared_ptr<const reader::Image> image,
             std::vector<std::shared_ptr<delta::Store>> stores, const Chunks& chunks,
             const Orphans* orphans = nullptr,
             std::shared_ptr<const delta::FilterUnion> filters = nullptr,
             ObjectNumber reserved = 0);

  [[nodiscard]] const ImageBottom& bottom() const { return bottom_; }
  [[nodiscard]] const std::shared_ptr<const reader::Image>& image() const { return image_; }
  /// From the oldest to the newest.
  [[nodiscard]] const std::vector<std::shared_ptr<delta::Store>>& stores() const { return stores_; }
  /// The store that is written to.
  [[nodiscard]] delta::Store& live() const { return *stores_.back(); }
  [[nodiscard]] const Chunks& chunks() const { return chunks_; }
  /// The other stores, the oldest first.
  [[nodiscard]] const std::vector<delta::Snapshot>& sealed() const { return sealed_; }
  /// The same as one dictionary.
  [[nodiscard]] const delta::StackSnapshot& sealed_stack() const { return sealed_stack_; }
  /// Numbers below it may have been given out, whatever the stores say: the layers that reserved
  /// them may be in the base.
  [[nodiscard]] ObjectNumber reserved_by_base() const { return reserved_by_base_; }
  /// True: no store has a record of this class of an object. False: a store may have one. No I/O.
  [[nodiscard]] bool is_untouched(RecordClass record, ObjectNumber object) const {
    return !live_may_have(record, object) && !sealed_may_have(record, object);
  }
  [[nodiscard]] bool live_may_have(RecordClass record, ObjectNumber object) const {
    return live().may_have(static_cast<std::uint8_t>(record), object);
  }
  [[nodiscard]] bool sealed_may_have(RecordClass record, ObjectNumber object) const;
  /// For the next generation, if it has the same sealed stores and perhaps more.
  [[nodiscard]] const std::shared_ptr<const delta::FilterUnion>& filters() const {
    return filters_;
  }
  /// When an object that is still referenced lost its last name; none: it has a name or does not
  /// exist.
  [[nodiscard]] std::optional<Time> orphan_since(ObjectNumber object) const {
    return orphans_ == nullptr ? std::nullopt : orphans_->since(object);
  }

 private:
  [[nodiscard]] bool layer_may_have(std::size_t layer, RecordClass record,
                                    ObjectNumber object) const;

  std::shared_ptr<const reader::Image> image_;
  ImageBottom bottom_;
  const Orphans* orphans_;
  std::vector<std::shared_ptr<delta::Store>> stores_;
  const Chunks chunks_;
  /// No object of a sealed store has this number or a higher one: the next store was born there.
  std::vector<ObjectNumber> ends_;
  std::vector<delta::Snapshot> sealed_;  ///< of stores_, so they end first
  delta::StackSnapshot sealed_stack_;
  std::shared_ptr<const delta::FilterUnion> filters_;  ///< of the first of sealed_
  const ObjectNumber reserved_by_base_;
};

/// Throws std::bad_alloc. Cost: reads the filters once.
/// @param stores  as of Generation
[[nodiscard]] std::shared_ptr<const delta::FilterUnion> filters_of_layers(
    const std::vector<std::shared_ptr<delta::Store>>& stores);

/// The present layers of an open delta.
/// @param image    must outlive the result
/// @param orphans  as of Generation
[[nodiscard]] GenerationRef generation_of(const reader::Image& image,
                                          const delta::DeltaDirectory& delta,
                                          const Orphans* orphans = nullptr);
/// The same; shares the image.
[[nodiscard]] GenerationRef generation_of(std::shared_ptr<const reader::Image> image,
                                          const delta::DeltaDirectory& delta,
                                          const Orphans* orphans = nullptr);

}  // namespace dgfs::view
