// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Moment: one state of the whole stack, image and stores, as records. Each operation reads one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/view/contents/chunks.h"
#include "delta/view/image_bottom.h"
#include "delta/view/orphans.h"

namespace dgfs::view {

/// The layers that a view stands on, from a switch of the stack to the next one. Thread-safe.
class Layers {
 public:
  /// All must outlive it.
  /// @param orphans  those of the view that changes the stores; none: nobody changes them
  Layers(const reader::Image& image, delta::DeltaDirectory& delta,
         const Orphans* orphans = nullptr);

  [[nodiscard]] const ImageBottom& bottom() const { return bottom_; }
  /// The store that is written to.
  [[nodiscard]] delta::Store& live() const { return live_; }
  /// How files are cut into records.
  [[nodiscard]] const Chunks& chunks() const { return chunks_; }
  /// Stores below it, as they are for ever; the oldest first.
  [[nodiscard]] const std::vector<delta::Snapshot>& sealed() const { return sealed_; }
  /// The same as one dictionary.
  [[nodiscard]] const delta::StackSnapshot& sealed_stack() const { return sealed_stack_; }
  /// Whether nothing above the image says anything of these records. No I/O.
  [[nodiscard]] bool is_untouched(RecordClass record, ObjectNumber object) const {
    return !live_may_have(record, object) && !sealed_may_have(record, object);
  }
  [[nodiscard]] bool live_may_have(RecordClass record, ObjectNumber object) const {
    return live_.may_have(static_cast<std::uint8_t>(record), object);
  }
  [[nodiscard]] bool sealed_may_have(RecordClass record, ObjectNumber object) const;
  /// When an object lost its last name that is still referenced; none: it has a name, or is not.
  [[nodiscard]] std::optional<Time> orphan_since(ObjectNumber object) const {
    return orphans_ == nullptr ? std::nullopt : orphans_->since(object);
  }

 private:
  ImageBottom bottom_;
  const Orphans* orphans_;
  delta::Store& live_;
  const Chunks chunks_;
  std::vector<delta::Snapshot> sealed_;
  delta::StackSnapshot sealed_stack_;
};

/// What a name is, and what is below it. A value.
struct NameState {
  std::optional<Dentry> dentry;  ///< none: there is no such name
  bool is_in_image = false;      ///< it is the image that gives it
  /// Whether a layer below the live store shows the name. Of a name that is not there it is known
  /// only after Moment::look_below().
  bool is_shown_below = false;
  bool may_be_shown_below = false;   ///< the live store has a whiteout
  std::optional<reader::Node> node;  ///< of the image, where that gives the name
};

/// Thread-safe. The layers must outlive it.
class Moment {
 public:
  explicit Moment(const Layers& layers);

  [[nodiscard]] const Layers& layers() const { return layers_; }

  /// Errors of all: kIo, kCorrupt (a record that is none, also).
  [[nodiscard]] Result<NameState> name(ObjectNumber directory, std::string_view name) const;
  /// Completes the state of a name that is not there.
  [[nodiscard]] Status look_below(ObjectNumber directory, std::string_view name,
                                  NameState& state) const;
  /// nullopt: there is no such object, or it has ended.
  /// @param node  of the object, if it is known already
  [[nodiscard]] Result<std::optional<AttributesRecord>> record(
      ObjectNumber object, const reader::Node* node = nullptr) const;
  /// The same, where that is kNotFound.
  [[nodiscard]] Result<AttributesRecord> needed_record(ObjectNumber object) const;
  /// Whether no store says anything of an object's attributes.
  [[nodiscard]] Result<bool> is_untouched(ObjectNumber object) const;
  /// The directory that a directory is in. Errors: kCorrupt, also where it is in none.
  [[nodiscard]] Result<ObjectNumber> parent(ObjectNumber directory) const;
  [[nodiscard]] Result<std::string> target(ObjectNumber symlink) const;
  /// In order.
  [[nodiscard]] Result<std::vector<NamePlace>> names(ObjectNumber object) const;
  /// nullopt: the object has no such attribute.
  [[nodiscard]] Result<std::optional<std::string>> xattr(ObjectNumber object,
                                                         std::string_view name) const;
  /// In order.
  [[nodiscard]] Result<std::vector<std::string>> xattr_names(ObjectNumber object) const;

  /// Whether the layers below the live store may have something under a key, so that it takes a
  /// whiteout to be rid of it. Without I/O, so that it may say yes of what is not there.
  [[nodiscard]] bool may_be_below(RecordClass record, ObjectNumber object) const;
  /// What the stores say together, over the image.
  [[nodiscard]] const delta::StackSnapshot& stores() const { return all_; }

 private:
  [[nodiscard]] Result<NameState> name_below(ObjectNumber directory, std::string_view name) const;
  [[nodiscard]] Result<bool> is_unlinked(const reader::Node& node) const;
  [[nodiscard]] Result<std::vector<Xattr>> image_xattrs(ObjectNumber object) const;
  [[nodiscard]] Result<bool> leads_to(const NamePlace& place, ObjectNumber object) const;

  const Layers& layers_;
  delta::Snapshot live_;
  delta::StackSnapshot all_;
};

}  // namespace dgfs::view
