// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Moment: one state of the whole stack, image and stores, as records. An operation reads one
// moment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/view/generation.h"

namespace dgfs::view {

/// The state of a name. A value.
struct NameState {
  std::optional<Dentry> dentry;  ///< none: the name does not exist
  bool is_in_image = false;      ///< the name comes from the image
  /// Whether a layer below the live store shows the name. If the name does not exist, it is known
  /// only after Moment::look_below().
  bool is_shown_below = false;
  bool may_be_shown_below = false;   ///< the live store has a whiteout
  std::optional<reader::Node> node;  ///< of the image, if the name comes from it
};

/// Thread-safe. Keeps its generation.
class Moment {
 public:
  explicit Moment(GenerationRef generation);

  [[nodiscard]] const Generation& layers() const { return *generation_; }

  /// Errors of all calls: kIo, kCorrupt (also a malformed record).
  [[nodiscard]] Result<NameState> name(ObjectNumber directory, std::string_view name) const;
  /// Completes the state of a name that does not exist.
  [[nodiscard]] Status look_below(ObjectNumber directory, std::string_view name,
                                  NameState& state) const;
  /// nullopt: there is no such object, or it has ended.
  /// @param node  of the object, if the caller has it already
  [[nodiscard]] Result<std::optional<AttributesRecord>> record(
      ObjectNumber object, const reader::Node* node = nullptr) const;
  /// The same with the blocks that writes have added, which may be more than the file can show.
  [[nodiscard]] Result<std::optional<AttributesRecord>> uncapped_record(
      ObjectNumber object, const reader::Node* node = nullptr) const;
  /// As record(), with kNotFound instead of nullopt.
  [[nodiscard]] Result<AttributesRecord> needed_record(ObjectNumber object) const;
  /// Whether no store has an attributes record of an object.
  [[nodiscard]] Result<bool> is_untouched(ObjectNumber object) const;
  /// The parent of a directory. Errors: kCorrupt, also if it has none.
  [[nodiscard]] Result<ObjectNumber> parent(ObjectNumber directory) const;
  [[nodiscard]] Result<std::string> target(ObjectNumber symlink) const;
  /// In order.
  [[nodiscard]] Result<std::vector<NamePlace>> names(ObjectNumber object) const;
  /// nullopt: the object has no such attribute.
  [[nodiscard]] Result<std::optional<std::string>> xattr(ObjectNumber object,
                                                         std::string_view name) const;
  /// In order.
  [[nodiscard]] Result<std::vector<std::string>> xattr_names(ObjectNumber object) const;

  /// Whether layers below the live store may have something under a key, so that dropping it needs
  /// a whiteout. No I/O; so it may be true without reason.
  [[nodiscard]] bool may_be_below(RecordClass record, ObjectNumber object) const;
  /// All stores, over the image.
  [[nodiscard]] const delta::StackSnapshot& stores() const { return all_; }

 private:
  [[nodiscard]] Result<NameState> name_below(ObjectNumber directory, std::string_view name) const;
  [[nodiscard]] Result<bool> is_unlinked(const reader::Node& node) const;
  [[nodiscard]] Result<std::vector<Xattr>> image_xattrs(ObjectNumber object) const;
  [[nodiscard]] Result<bool> leads_to(const NamePlace& place, ObjectNumber object) const;

  GenerationRef generation_;
  delta::Snapshot live_;
  delta::StackSnapshot all_;
};

}  // namespace dgfs::view
