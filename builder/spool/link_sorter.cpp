// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/link_sorter.h"

#include <utility>

namespace dgfs::builder {
namespace {

// The current object. Its names are only counted, because there may be many.
struct Object {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t first_position = 0;
  std::uint64_t names = 0;
};

}  // namespace

LinkSorter::LinkSorter(SpoolPlace place, std::size_t memory_bytes)
    : place_(std::move(place)), memory_bytes_(memory_bytes), by_object_(place_, memory_bytes / 2) {}

Status LinkSorter::add(std::uint64_t device, std::uint64_t inode, std::uint64_t position) {
  return by_object_.add({device, inode, position});
}

Result<LinkNames> LinkSorter::finish() && {
  DGFS_TRY(objects, std::move(by_object_).finish());
  // Further names are written as they come; the first name is written when the count is known.
  RunSorter by_position(place_, memory_bytes_ / 2);
  Object object;
  const auto end_object = [&]() -> Status {
    if (object.names < 2) return ok();
    return by_position.add({object.first_position, object.first_position, object.names});
  };
  while (true) {
    DGFS_TRY(record, objects->next());
    if (!record) break;
    const auto [device, inode, position] = *record;
    if (object.names != 0 && object.device == device && object.inode == inode) {
      ++object.names;
      DGFS_CHECK(by_position.add({position, object.first_position, object.names}));
      continue;
    }
    DGFS_CHECK(end_object());
    object = {device, inode, position, 1};
  }
  DGFS_CHECK(end_object());
  objects.reset();
  DGFS_TRY(names, std::move(by_position).finish());
  return LinkNames(std::move(names));
}

Result<LinkName> LinkNames::at(std::uint64_t position) {
  while (!started_ || (next_ && next_->position < position)) {
    started_ = true;
    DGFS_TRY(record, records_->next());
    next_.reset();
    if (record) next_ = LinkName{(*record)[0], (*record)[1], (*record)[2]};
  }
  if (next_ && next_->position == position) return *next_;
  return LinkName{position, position, 0};
}

}  // namespace dgfs::builder
