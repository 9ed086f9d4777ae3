// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/value_check.h"

#include <utility>

namespace dgfs::delta {

Result<ValueCheck> ValueCheck::make(std::unique_ptr<storage::File> file, Damage& damage) {
  if (file == nullptr) return ValueCheck(nullptr, 0, damage);
  DGFS_TRY(file_bytes, file->size());
  return ValueCheck(std::make_unique<ExtentVolume>(std::move(file)), file_bytes, damage);
}

Status ValueCheck::mark(const std::vector<Extent>& values) {
  if (volume_ == nullptr) return ok();
  for (const Extent& value : values) {
    Status marked = ok();
    if (value.length_bytes > file_bytes_ || value.offset_bytes > file_bytes_ - value.length_bytes) {
      marked = volume_->file().at_place(
          Error(ErrorKind::kCorrupt, 7092, "a large value lies beyond the end of the file"),
          value.offset_bytes);
    } else {
      marked = volume_->file().mark(value);
    }
    if (marked) {
      ++values_;
      value_bytes_ += value.length_bytes;
    } else {
      DGFS_CHECK(damage_->add(std::move(marked).error()));
    }
  }
  return ok();
}

Status ValueCheck::read(const Run& run) {
  if (volume_ == nullptr) return ok();
  for (const Message& message : run.boxed()) {
    for (const LargeRef& large : large_values(message)) {
      read_bytes_ += large->length_bytes();
      if (auto value = large->load(*volume_); !value) {
        DGFS_CHECK(damage_->add(std::move(value).error()));
      }
    }
  }
  return ok();
}

}  // namespace dgfs::delta
