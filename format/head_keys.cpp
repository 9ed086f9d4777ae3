// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/head_keys.h"

#include "format/key.h"
#include "format/limits.h"

namespace dgfs::format {

Error HeadKeys::error() const {
  return Error(ErrorKind::kCorrupt, 2912, problem_).at_offset(in_.bit_offset() / 8);
}

bool HeadKeys::next() {
  if (is_at_block_) {
    ++block_;
  } else if (!read_ahead()) {
    return false;
  }
  is_at_block_ = true;
  key_.assign(ahead_.view());
  has_ahead_ = left_ > 0;
  return !has_ahead_ || read_ahead();
}

bool HeadKeys::seek(std::size_t block) {
  while (!is_at_block_ || block_ < block) {
    if (!next()) return false;
  }
  return true;
}

bool HeadKeys::read_ahead() {
  if (is_at_block_) {
    problem_ = read_next_key(model_, in_, ahead_, directory_);
  } else if (in_.bits(1) != 0) {  // F-191: an empty key is the prefix alone
    if (!ahead_.read(model_, kContextStart, kKeyBytesMax, in_)) problem_ = "key is too long";
    directory_ = directory_bytes(ahead_.view());
  }
  --left_;
  const auto at = in_.bit_offset();
  const bool ends_well = left_ == 0 ? at == end_bits_ : at <= end_bits_;
  if (problem_ == nullptr && !ends_well) problem_ = "first keys of blocks end elsewhere";  // F-191
  return problem_ == nullptr;
}

}  // namespace dgfs::format
