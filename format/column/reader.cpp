// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/column/reader.h"

#include <algorithm>

#include "format/coding.h"

namespace dgfs::format {
namespace {

Error bad_columns(std::uint16_t code, const char* what, std::size_t offset) {
  return Error(ErrorKind::kCorrupt, code, what).in_section("page columns").at_offset(offset);
}

}  // namespace

Result<ColumnReader> ColumnReader::open(Bytes columns) {
  if (columns.size() < kColumnHeadBytes) return bad_columns(2160, "columns have no head", 0);
  ColumnReader reader;
  reader.mask_ = load<std::uint32_t>(columns, 0);
  if ((reader.mask_ & ~kColumnMask) != 0) {  // F-132
    return bad_columns(2161, "unknown columns", 0);
  }
  const auto bits_bytes = load<std::uint32_t>(columns, 4);
  if (bits_bytes > columns.size() - kColumnHeadBytes) {  // F-133
    return bad_columns(2162, "bit stream is longer than the columns", 4);
  }
  reader.body_ = columns.first(columns.size() - bits_bytes);
  reader.bits_ = columns.last(bits_bytes);
  reader.at_ = kColumnHeadBytes;
  return reader;
}

void ColumnReader::fail(const char* what) {
  if (failed()) return;
  failure_ = what;
  failure_offset_ = at_;
  at_ = body_.size();
  bit_at_ = bits_.size() * 8;
}

std::uint64_t ColumnReader::large_small() {
  const auto above = number();
  if (above <= ~std::uint64_t{0} - kSmallEscape) return above + kSmallEscape;
  fail("number is longer than 64 bits");  // F-134
  return 0;
}

std::uint64_t ColumnReader::bits_slowly(unsigned count) {
  if (count > bits_.size() * 8 - bit_at_) {
    fail("bit stream ends early");
    return 0;
  }
  std::uint64_t value = 0;
  for (unsigned have = 0; have < count;) {
    const auto byte_at = static_cast<std::size_t>(bit_at_ / 8);
    const auto skipped = static_cast<unsigned>(bit_at_ % 8);
    std::uint64_t word = 0;
    if (bits_.size() - byte_at >= sizeof word) {
      std::memcpy(&word, bits_.data() + byte_at, sizeof word);
    } else {
      std::memcpy(&word, bits_.data() + byte_at, bits_.size() - byte_at);
    }
    const auto taken = std::min(count - have, 64 - skipped);
    const auto mask = taken == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << taken) - 1;
    value |= (word >> skipped & mask) << have;
    have += taken;
    bit_at_ += taken;
  }
  return value;
}

std::string_view ColumnReader::text(std::uint64_t length_bytes) {
  if (length_bytes > body_.size() - at_) {
    fail("text is longer than the columns");
    return {};
  }
  const auto text = as_text(body_.subspan(at_, static_cast<std::size_t>(length_bytes)));
  at_ += text.size();
  return text;
}

Status ColumnReader::status() const {
  if (!failed()) return ok();
  return bad_columns(2163, failure_, failure_offset_);
}

Status ColumnReader::finish() {  // F-136
  if (at_ != body_.size()) fail("bytes follow the last column");
  if ((bit_at_ + 7) / 8 != bits_.size()) fail("bytes follow the last bits");
  return status();
}

}  // namespace dgfs::format
