// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/rows.h"

#include <algorithm>

#include "format/limits.h"

namespace dgfs::format {

namespace {

/// A guess at the mean length of the keys of a block. It is seldom too low; then the memory grows.
constexpr std::size_t kKeyBytesGuess = 32;

}  // namespace

TokenRows::TokenRows(std::size_t entries, std::size_t keys_bytes_max, std::uint64_t data_offset)
    : keys_bytes_max_(keys_bytes_max), data_end_(data_offset) {
  rows_.reserve(entries);
  keys_.reserve(std::min(keys_bytes_max, entries * kKeyBytesGuess));
}

bool TokenRows::add(const TokenCursor& cursor) {
  const auto text = cursor.key();
  if (text.size() > keys_bytes_max_ - keys_.size()) return false;
  // The cursor checks that keys rise, except for the first key of a block, which shares all its
  // bytes.
  const bool is_first = cursor.shared_bytes() == text.size();
  if (is_first && !rows_.empty() && text <= key(rows_.size() - 1)) return false;
  if (cursor.running_bytes() > kFileBytesMax - data_end_) return false;
  if (combinations_.empty() || combinations_.back() != cursor.combination()) {
    combinations_.push_back(cursor.combination());
  }
  if (times_.empty() || times_.back() != cursor.mtime()) times_.push_back(cursor.mtime());
  rows_.push_back({cursor.size_bytes(), cursor.running_bytes(), data_end_,
                   static_cast<std::uint32_t>(keys_.size()),
                   static_cast<std::uint16_t>(combinations_.size() - 1),
                   static_cast<std::uint16_t>(times_.size() - 1)});
  if (cursor.is_rich()) rich_.add(static_cast<std::uint32_t>(rows_.size() - 1), cursor.entry());
  keys_.append(text);
  data_end_ += cursor.running_bytes();
  return true;
}

Entry TokenRows::entry(std::size_t index) const {
  Entry entry;
  if (const auto* rich = rich_.find(index)) {
    entry = *rich;
  } else {
    const auto& row = rows_[index];
    const auto& combination = combinations_[row.combination];
    entry.mode = combination.mode;
    entry.uid = combination.uid;
    entry.gid = combination.gid;
    entry.mtime = times_[row.time];
    entry.size_bytes = row.size_bytes;
    entry.stored_bytes = row.stored_bytes;
  }
  entry.key = key(index);
  return entry;
}

std::size_t TokenRows::memory_bytes() const {
  return sizeof *this + keys_.capacity() + rows_.capacity() * sizeof(Row) +
         combinations_.capacity() * sizeof(AttributeCombination) +
         times_.capacity() * sizeof(Time) + rich_.memory_bytes();
}

}  // namespace dgfs::format
