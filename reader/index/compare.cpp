// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/compare.h"

#include <fmt/format.h>

#include <algorithm>

namespace dgfs::reader {
namespace {

constexpr std::uint64_t kComparedChunkBytes = std::uint64_t{256} << 10;

Status compare_section(const IndexCopy& first, const IndexCopy& second, format::SectionKind kind) {
  const auto length = first.superblock().section(kind).length_bytes;
  const auto buffer_bytes = static_cast<std::size_t>(std::min(kComparedChunkBytes, length));
  Buffer first_buffer(buffer_bytes);
  Buffer second_buffer(buffer_bytes);
  for (std::uint64_t at = 0; at < length; at += kComparedChunkBytes) {
    const auto count = static_cast<std::size_t>(std::min(kComparedChunkBytes, length - at));
    const auto ours = MutableBytes(first_buffer).first(count);
    const auto theirs = MutableBytes(second_buffer).first(count);
    DGFS_CHECK(first.read_section(kind, at, ours));
    DGFS_CHECK(second.read_section(kind, at, theirs));
    const auto found = std::mismatch(ours.begin(), ours.end(), theirs.begin()).first;
    if (found == ours.end()) continue;
    const auto place = at + static_cast<std::uint64_t>(found - ours.begin());
    return Error(ErrorKind::kCorrupt, 3160,
                 fmt::format("not the byte that the copy in {} has at offset {}", second.path(),
                             second.section_offset(kind) + place))
        .in_file(first.path())
        .in_section(format::section_name(kind))
        .at_offset(first.section_offset(kind) + place);
  }
  return ok();
}

}  // namespace

void compare_copies(const IndexCopy& first, const IndexCopy& second,
                    const std::function<void(const Error&)>& differs) {
  for (const auto& section : format::kSections) {
    if (section.shape == format::SectionShape::kNone) continue;
    const auto same = compare_section(first, second, section.kind);
    if (!same) differs(same.assume_error());
  }
}

}  // namespace dgfs::reader
