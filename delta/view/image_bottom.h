// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ImageBottom: an image as the layer below all stores; returns the records that the image would
// have.
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

/// Thread-safe. Errors of all calls: those of the image, without kNotFound.
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
  /// nullopt: there is no such name, or no such directory.
  [[nodiscard]] Result<std::optional<reader::Node>> child(ObjectNumber directory,
                                                          std::string_view name) const;
  /// With the number of names in a directory. Reads only for hard links.
  [[nodiscard]] Result<AttributesRecord> record_of(const reader::Node& node) const;
  /// The directory of an object's first name. Reads nothing.
  [[nodiscard]] Result<std::optional<ObjectNumber>> parent(ObjectNumber object) const;
  /// All names of an object in the image; none for the root. If the index has no list of an
  /// object's names, only the first one.
  [[nodiscard]] Result<std::vector<NamePlace>> names(const reader::Node& node) const;

 private:
  const reader::Image& image_;
};

[[nodiscard]] Dentry dentry_of(const reader::Node& node);

}  // namespace dgfs::view
