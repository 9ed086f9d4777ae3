// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index_source.h"

namespace dgfs::reader {

const IndexCopy* IndexSource::second() const {
  const std::lock_guard lock(mutex_);
  if (!second_settled_) open_second();
  return second_ ? &*second_ : nullptr;
}

std::optional<Error> IndexSource::second_error() const {
  static_cast<void>(second());
  const std::lock_guard lock(mutex_);
  return second_error_;
}

void IndexSource::open_second() const {
  second_error_.reset();
  second_settled_ = !open_second_;
  if (second_settled_) return;
  auto opened = open_second_();
  if (!opened) {
    second_error_ = std::move(opened).assume_error();
    return;
  }
  auto copy = std::move(opened).assume_value();
  if (copy && !(copy->superblock() == first_.superblock())) {
    second_error_ =
        Error(ErrorKind::kCorrupt, 3003, "its superblock is not that of " + first_.path())
            .in_file(copy->path())
            .in_section("superblock")
            .at_offset(copy->section_offset(format::SectionKind::kNone));
    return;
  }
  second_ = std::move(copy);
  second_settled_ = true;
}

}  // namespace dgfs::reader
