// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/append_file.h"

namespace dgfs::builder {

Status AppendFile::append(Bytes bytes) {
  // Half a write is large enough not to be worth a copy.
  if (bytes.size() >= write_bytes_ / 2) {
    DGFS_CHECK(flush());
    DGFS_CHECK(file_.write_at(written_, bytes));
    written_ += bytes.size();
    return ok();
  }
  if (buffer_.size() + bytes.size() > write_bytes_) {
    DGFS_CHECK(flush());
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return ok();
}

Status AppendFile::align(std::size_t alignment) {
  const auto beyond = static_cast<std::size_t>(position() % alignment);
  return beyond == 0 ? Status(ok()) : append(Buffer(alignment - beyond));
}

Status AppendFile::flush() {
  if (buffer_.empty()) return ok();
  DGFS_CHECK(file_.write_at(written_, buffer_));
  written_ += buffer_.size();
  buffer_.clear();
  return ok();
}

Status AppendFile::rewind(std::uint64_t position) {
  DGFS_CHECK(flush());
  written_ = position;
  return ok();
}

}  // namespace dgfs::builder
