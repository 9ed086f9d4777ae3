// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DirectoryWalk: the names of a directory in order, merged from all layers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/view/moment.h"
#include "delta/view/stop_flag.h"
#include "reader/directory_cursor.h"

namespace dgfs::view {

/// For one thread. It reads the layers piece by piece: a page or some dozen records at a time.
class DirectoryWalk {
 public:
  /// Is at no name. Shows the directory at the moment, which must outlive it. Errors of all calls:
  /// those of Moment.
  /// @param wants_nodes  whether node() will be called
  /// @param stop         ends each move with kInterrupted, also behind many names that are gone
  [[nodiscard]] static Result<DirectoryWalk> make(const Moment& moment, ObjectNumber directory,
                                                  bool wants_nodes = false,
                                                  StopFlag stop = StopFlag());

  /// Moves to the first name that is not before `name`.
  [[nodiscard]] Status seek(std::string_view name);
  /// Moves to the first name behind `name`; empty: to the first of all.
  [[nodiscard]] Status seek_behind(std::string_view name);
  /// The walk must be at a name.
  [[nodiscard]] Status next();

  [[nodiscard]] bool is_at_name() const { return dentry_.has_value(); }
  // Valid while it is at a name:
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] const Dentry& dentry() const { return *dentry_; }
  /// Set if the name comes from the image and nodes are wanted.
  [[nodiscard]] const std::optional<reader::Node>& node() const { return node_; }

 private:
  DirectoryWalk(ObjectNumber directory, std::optional<delta::StackCursor> records,
                std::optional<reader::DirectoryCursor> image, bool wants_nodes, StopFlag stop)
      : directory_(directory),
        records_(std::move(records)),
        image_(std::move(image)),
        wants_nodes_(wants_nodes),
        stop_(stop) {}

  [[nodiscard]] bool is_at_record() const { return records_ && records_->is_at_place(); }
  [[nodiscard]] bool is_in_image() const { return image_ && image_->is_at_name(); }
  [[nodiscard]] Status find();
  [[nodiscard]] Status take_record();
  [[nodiscard]] Status take_image();
  [[nodiscard]] bool is_covered(std::string_view name) const;

  ObjectNumber directory_;
  std::optional<delta::StackCursor> records_;  ///< none: the stores have no records
  std::optional<reader::DirectoryCursor> image_;
  bool wants_nodes_;
  StopFlag stop_;
  std::optional<reader::Node> node_;
  delta::KeyEnd cover_end_ = "";  ///< names before it are deleted, unless a record gives them
  std::string name_;
  std::optional<Dentry> dentry_;
};

}  // namespace dgfs::view
