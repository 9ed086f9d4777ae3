// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FormerTree: what a delta shows before an update, at one moment.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/update/content.h"
#include "delta/view/contents/composed_chunks.h"
#include "delta/view/contents/content_reader.h"
#include "delta/view/contents/data_seek.h"
#include "delta/view/moment.h"

namespace dgfs::update {

/// An object of the former tree. A value.
struct FormerObject {
  view::ObjectNumber object = 0;
  view::Attributes attributes;
  bool may_have_xattrs = false;
  bool is_untouched = false;         ///< no store has records of it
  std::optional<reader::Node> node;  ///< in the image; none: unknown, or the image has no such
};

/// For one thread. Errors of all calls: those of view::Moment.
class FormerTree {
 public:
  /// @param delta  as it is before the update; its stores are kept
  FormerTree(std::shared_ptr<const reader::Image> image, const delta::DeltaDirectory& delta)
      : generations_(view::generation_of(std::move(image), delta)),
        moment_(generations_.current()),
        composed_(0),
        reader_(generations_, composed_),
        seek_(generations_) {}

  [[nodiscard]] const view::Moment& moment() const { return moment_; }
  [[nodiscard]] std::uint64_t chunk_bytes() const {
    return moment_.layers().chunks().chunk_bytes();
  }
  /// @param node  of the object, if the name that leads to it is the image's
  [[nodiscard]] Result<FormerObject> find(view::ObjectNumber object,
                                          const std::optional<reader::Node>& node) const;
  /// nullopt: there is no such name.
  [[nodiscard]] Result<std::optional<FormerObject>> find(view::ObjectNumber directory,
                                                         std::string_view name) const;
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(const FormerObject& found) const;
  [[nodiscard]] Result<std::string> target(const FormerObject& found) const;
  /// The names that lead to an object; fewer than its link count if the image does not list them.
  [[nodiscard]] Result<std::vector<view::NamePlace>> names(view::ObjectNumber object) const {
    return moment_.names(object);
  }
  /// The path of a directory from the root, "a/b"; the root's is empty.
  [[nodiscard]] Result<std::string> path_of(view::ObjectNumber directory) const;
  /// The content of a file; *this must outlive it.
  [[nodiscard]] std::unique_ptr<Content> content(view::ObjectNumber file) const;

 private:
  view::Generations generations_;
  view::Moment moment_;
  view::ComposedChunks composed_;
  view::ContentReader reader_;
  view::DataSeek seek_;
};

}  // namespace dgfs::update
