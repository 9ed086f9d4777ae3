// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/record/attributes_record.h"

#include "format/limits.h"

namespace dgfs::view {
namespace {

constexpr unsigned kByteBits = 8;

template <class Number>
void put(std::string& value, std::uint64_t at, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    value[at + i] = static_cast<char>(static_cast<std::uint64_t>(number) >> (kByteBits * i));
  }
}

template <class Number>
Number get(std::string_view value, std::uint64_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    number = number << kByteBits | static_cast<std::uint8_t>(value[at + i]);
  }
  return static_cast<Number>(number);
}

void put_time(std::string& value, std::uint64_t at, const Time& time) {
  put(value, at, time.seconds);
  put(value, at + sizeof(time.seconds), time.nanoseconds);
}

Time get_time(std::string_view value, std::uint64_t at) {
  return {get<std::int64_t>(value, at), get<std::uint32_t>(value, at + sizeof(std::int64_t))};
}

}  // namespace

std::string encode_attributes(const AttributesRecord& record) {
  const Attributes& from = record.attributes;
  std::string value(kAttributesBytes, '\0');
  put(value, field::kMode, from.mode);
  put(value, field::kFlags, record.flags);
  put(value, field::kUid, from.uid);
  put(value, field::kGid, from.gid);
  put(value, field::kLinkCount, from.link_count);
  put(value, field::kChildren, from.children);
  put(value, field::kSize, from.size_bytes);
  put(value, field::kBlocks, from.blocks);
  put(value, field::kRdev, from.rdev);
  put_time(value, field::kMtime, from.mtime);
  put_time(value, field::kCtime, from.ctime);
  put_time(value, field::kAtime, from.atime);
  return value;
}

std::optional<AttributesRecord> decode_attributes(std::string_view value) {
  if (value.size() != kAttributesBytes) return std::nullopt;
  AttributesRecord record;
  Attributes& to = record.attributes;
  to.mode = get<std::uint32_t>(value, field::kMode);
  record.flags = get<std::uint32_t>(value, field::kFlags);
  to.uid = get<std::uint32_t>(value, field::kUid);
  to.gid = get<std::uint32_t>(value, field::kGid);
  to.link_count = get<std::uint64_t>(value, field::kLinkCount);
  to.children = get<std::uint64_t>(value, field::kChildren);
  to.size_bytes = get<std::uint64_t>(value, field::kSize);
  to.blocks = get<std::uint64_t>(value, field::kBlocks);
  to.rdev = get<std::uint64_t>(value, field::kRdev);
  to.mtime = get_time(value, field::kMtime);
  to.ctime = get_time(value, field::kCtime);
  to.atime = get_time(value, field::kAtime);
  const bool is_sound =
      format::is_valid_mode(to.mode) && is_time(to.mtime) && is_time(to.ctime) && is_time(to.atime);
  return is_sound ? std::optional(record) : std::nullopt;
}

std::string number_bytes(std::uint32_t number) {
  std::string bytes(sizeof number, '\0');
  put(bytes, 0, number);
  return bytes;
}

std::string time_bytes(const Time& time) {
  std::string bytes(sizeof time.seconds + sizeof time.nanoseconds, '\0');
  put_time(bytes, 0, time);
  return bytes;
}

}  // namespace dgfs::view
