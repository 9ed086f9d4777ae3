// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/directory_table_writer.h"

#include "format/header/section.h"
#include "format/section/directory_table.h"

namespace dgfs::builder {

using format::SectionKind;

Status DirectoryTableWriter::begin_list() {
  DGFS_CHECK(end_list());
  in_list_ = true;
  return ok();
}

void DirectoryTableWriter::add_child(bool is_directory) {
  if (is_directory) subdirectory_positions_.push_back(child_count_);
  ++child_count_;
}

Status DirectoryTableWriter::end_list() {
  if (!in_list_) return ok();
  format::encode_directory_list(body_, child_count_, subdirectory_positions_);
  in_list_ = false;
  child_count_ = 0;
  subdirectory_positions_.clear();
  if (body_.size() > format::kSectionBlockBytesMax) {
    return Error(ErrorKind::kLimit, 4060, "a directory has too many subdirectories");
  }
  return body_.size() >= format::kSectionBlockBytes ? end_block() : Status(ok());
}

Status DirectoryTableWriter::end_block() {
  Buffer block;
  format::seal_block(SectionKind::kDirectoryTable, body_, block);
  body_.clear();
  return blocks_.append(block);
}

Status DirectoryTableWriter::finish() {
  DGFS_CHECK(end_list());
  return body_.empty() ? Status(ok()) : end_block();
}

}  // namespace dgfs::builder
