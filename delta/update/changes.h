// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Changes: what an update changes in the tree of a delta. The first change makes the store that
// takes them in; without one, nothing is written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/update/content.h"
#include "delta/view/view.h"

namespace dgfs::update {

/// For one thread. A dry run changes nothing, and gives new objects numbers that no object has.
class Changes {
 public:
  /// All must outlive it.
  Changes(storage::Env& env, std::shared_ptr<const reader::Image> image,
          delta::DeltaDirectory& delta, delta::SealRequest request, bool is_dry)
      : env_(env),
        image_(std::move(image)),
        delta_(delta),
        request_(std::move(request)),
        is_dry_(is_dry) {}
  /// Gives up what was not committed.
  ~Changes() { give_up(); }
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  // Errors of all that follow: those of View, and of DeltaDirectory::begin_update().

  /// Makes an object of any type, without extended attributes.
  /// @param target  of a symlink
  [[nodiscard]] Result<view::ObjectNumber> make(view::ObjectNumber directory, std::string_view name,
                                                std::uint32_t mode, std::uint64_t rdev,
                                                std::string_view target);
  /// Makes a regular file that gets its first name by link().
  [[nodiscard]] Result<view::ObjectNumber> make_unnamed(view::ObjectNumber directory);
  [[nodiscard]] Status link(view::ObjectNumber object, view::ObjectNumber directory,
                            std::string_view name);
  /// The object ends if this was its last name.
  [[nodiscard]] Status unlink(view::ObjectNumber directory, std::string_view name);
  /// Ends an object that has no name.
  [[nodiscard]] Status drop(view::ObjectNumber object);
  [[nodiscard]] Status remove_directory(view::ObjectNumber directory, std::string_view name);
  [[nodiscard]] Status set_attributes(view::ObjectNumber object,
                                      const view::AttributeChange& change);
  [[nodiscard]] Status set_xattr(view::ObjectNumber object, const Xattr& xattr);
  [[nodiscard]] Status remove_xattr(view::ObjectNumber object, std::string_view name);
  [[nodiscard]] Status write(view::ObjectNumber file, std::uint64_t offset_bytes, Bytes bytes);
  [[nodiscard]] Status zero(view::ObjectNumber file, std::uint64_t offset_bytes,
                            std::uint64_t length_bytes);
  /// The content of a file as it is now; null before the first change. *this must outlive it.
  [[nodiscard]] std::unique_ptr<Content> content(view::ObjectNumber file) const;

  /// The size of a file as it is now. Only after a change.
  [[nodiscard]] Result<std::uint64_t> size_of(view::ObjectNumber file) const;

  /// Of contents that were written, or would be.
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }
  /// Whether a store was begun, which commit() or give_up() ends.
  [[nodiscard]] bool has_begun() const { return view_ != nullptr; }
  /// Makes the changes the newest state. Nobody uses the former tree any more.
  [[nodiscard]] Result<delta::SealOutcome> commit();
  /// Leaves the delta as it was.
  void give_up() noexcept;

 private:
  [[nodiscard]] Status begin();
  [[nodiscard]] Status drop_xattrs(view::ObjectNumber object);

  storage::Env& env_;
  const std::shared_ptr<const reader::Image> image_;
  delta::DeltaDirectory& delta_;
  const delta::SealRequest request_;
  const bool is_dry_;
  std::unique_ptr<view::View> view_;  ///< null: nothing has changed yet
  view::ObjectNumber next_dry_ = UINT64_MAX;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace dgfs::update
