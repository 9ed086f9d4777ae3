// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ImageBottom: an image as the layer below all stores, with the records that it would have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/view/record/attributes_record.h"
#include "delta/view/record/dentry.h"
#include "delta/view/record/keys.h"
#include "reader/image.h"

namespace dgfs::view {

/// Thread-safe. Errors of all: those of the image, but for absence.
class ImageBottom {
 public:
  /// @param image  must outlive it
  explicit ImageBottom(const reader::Image& image) : image_(image) {}

  [[nodiscard]] const reader::Image& image() const { return image_; }
  /// Whether an object with this number may be the image's.
  [[nodiscard]] bool may_have(ObjectNumber object) const {
    return object < image_.superblock().next_inode;
  }

  /// nullopt: the image has no such object.
  [[nodiscard]] Result<std::optional<reader::Node>> node(ObjectNumber object) const;
  /// nullopt: it has no such name, or the directory is none.
  [[nodiscard]] Result<std::optional<reader::Node>> child(ObjectNumber directory,
                                                          std::string_view name) const;
  /// With the names that a directory has. No read but for hard links.
  [[nodiscard]] Result<AttributesRecord> record_of(const reader::Node& node) const;
  /// The directory that an object's first name is in. No reads.
  [[nodiscard]] Result<std::optional<ObjectNumber>> parent(ObjectNumber object) const;
  /// All names that the image gives an object; none for the root. Of an object with several names
  /// only the first, where the index does not list them.
  [[nodiscard]] Result<std::vector<NamePlace>> names(const reader::Node& node) const;

 private:
  const reader::Image& image_;
};

[[nodiscard]] Dentry dentry_of(const reader::Node& node);

}  // namespace dgfs::view
