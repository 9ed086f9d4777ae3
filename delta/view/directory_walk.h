// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DirectoryWalk: the names of a directory in order, of all layers together.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/view/moment.h"
#include "reader/directory_cursor.h"

namespace dgfs::view {

/// For one thread. It reads layers as they are walked through, a page or some dozen records at a
/// time.
class DirectoryWalk {
 public:
  /// Stands nowhere. It sees the directory as it was at the moment, which must outlive it. Errors
  /// of all: those of Moment.
  /// @param wants_nodes  node() is asked for
  [[nodiscard]] static Result<DirectoryWalk> make(const Moment& moment, ObjectNumber directory,
                                                  bool wants_nodes = false);

  /// To the first name that is not before `name`.
  [[nodiscard]] Status seek(std::string_view name);
  /// To the first name behind `name`; empty: to the first of all.
  [[nodiscard]] Status seek_behind(std::string_view name);
  /// It must stand at a name.
  [[nodiscard]] Status next();

  [[nodiscard]] bool is_at_name() const { return dentry_.has_value(); }
  // While it stands there:
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] const Dentry& dentry() const { return *dentry_; }
  /// Set where it is the image that gives the name, if nodes are wanted.
  [[nodiscard]] const std::optional<reader::Node>& node() const { return node_; }

 private:
  DirectoryWalk(ObjectNumber directory, std::optional<delta::StackCursor> records,
                std::optional<reader::DirectoryCursor> image, bool wants_nodes)
      : directory_(directory),
        records_(std::move(records)),
        image_(std::move(image)),
        wants_nodes_(wants_nodes) {}

  [[nodiscard]] bool is_at_record() const { return records_ && records_->is_at_place(); }
  [[nodiscard]] bool is_in_image() const { return image_ && image_->is_at_name(); }
  [[nodiscard]] Status find();
  [[nodiscard]] Status take_record();
  [[nodiscard]] Status take_image();
  [[nodiscard]] bool is_covered(std::string_view name) const;

  ObjectNumber directory_;
  std::optional<delta::StackCursor> records_;  ///< none: no store says anything
  std::optional<reader::DirectoryCursor> image_;
  bool wants_nodes_;
  std::optional<reader::Node> node_;
  delta::KeyEnd cover_end_ = "";  ///< names before it are gone, unless a record says otherwise
  std::string name_;
  std::optional<Dentry> dentry_;
};

}  // namespace dgfs::view
