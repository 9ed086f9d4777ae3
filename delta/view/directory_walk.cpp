// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/directory_walk.h"

#include <utility>

namespace dgfs::view {

Result<DirectoryWalk> DirectoryWalk::make(const Moment& moment, ObjectNumber directory,
                                          bool wants_nodes, StopFlag stop) {
  std::optional<delta::StackCursor> records;
  if (!moment.layers().is_untouched(RecordClass::kDentry, directory)) {
    records.emplace(moment.stores().cursor(keys_of(RecordClass::kDentry, directory)));
  }
  std::optional<reader::DirectoryCursor> image;
  if (moment.layers().bottom().may_have(directory)) {
    auto names = moment.layers().bottom().image().directory(directory);
    if (names) {
      image.emplace(std::move(names).value());
    } else if (names.error().kind() != ErrorKind::kNotFound &&
               names.error().kind() != ErrorKind::kNotDirectory) {
      return std::move(names).error();
    }
  }
  return DirectoryWalk(directory, std::move(records), std::move(image), wants_nodes, stop);
}

Status DirectoryWalk::seek(std::string_view name) {
  cover_end_ = "";
  if (records_) {
    DGFS_CHECK(records_->seek(key_of(RecordClass::kDentry, directory_, name)));
  }
  if (image_) {
    DGFS_CHECK(image_->seek(name));
  }
  return find();
}

Status DirectoryWalk::seek_behind(std::string_view name) {
  DGFS_CHECK(seek(name));
  if (is_at_name() && !name.empty() && name_ == name) {
    DGFS_CHECK(next());
  }
  return ok();
}

Status DirectoryWalk::next() { return find(); }

bool DirectoryWalk::is_covered(std::string_view name) const {
  return delta::is_before(key_of(RecordClass::kDentry, directory_, name), cover_end_);
}

// Finds the next name that exists, at or behind the positions in both layers.
Status DirectoryWalk::find() {
  dentry_.reset();
  node_.reset();
  while (!dentry_ && (is_at_record() || is_in_image())) {
    DGFS_CHECK(stop_.check());
    const bool is_record =
        is_at_record() && (!is_in_image() || rest_of(records_->key()) <= image_->name().name);
    DGFS_CHECK(is_record ? take_record() : take_image());
  }
  return ok();
}

// A record of a name replaces the name of the image.
Status DirectoryWalk::take_record() {
  if (const auto* end = records_->covered_until()) cover_end_ = *end;
  if (records_->has_message()) {
    const auto name = rest_of(records_->key());
    if (is_in_image() && image_->name().name == name) {
      DGFS_CHECK(image_->next());
    }
    DGFS_TRY(message, records_->message());
    if (message.kind == delta::MessageKind::kPut) {
      name_ = name;
      dentry_ = message.value ? decode_dentry(*message.value) : std::nullopt;
      if (!dentry_) {
        return Error(ErrorKind::kCorrupt, 7368, "a record of a name is damaged")
            .in_section("delta");
      }
    }
  }
  return records_->next();
}

Status DirectoryWalk::take_image() {
  const auto listed = image_->name();
  if (!is_covered(listed.name)) {
    name_ = listed.name;
    dentry_ = Dentry{listed.inode, format::type_of(listed.mode), false};
    if (wants_nodes_) {
      auto node = image_->node();
      if (!node && node.error().kind() == ErrorKind::kLimit) return std::move(node).error();
      // Without the node the name is still listed: a reader of the object gets the error.
      if (node) node_ = std::move(node).value();
    }
  }
  return image_->next();
}

}  // namespace dgfs::view
