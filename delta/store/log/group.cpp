// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/log/group.h"

#include <algorithm>

#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::delta {
namespace {

using format::load;

constexpr std::array<std::uint8_t, 8> kGroupMagic = {'D', 'G', 'F', 'S', 'L', 'O', 'G', '1'};
constexpr std::size_t kCheckedFrom = 16;

std::uint64_t checksum_of(const GroupHeader& header, Bytes group) {
  const auto end = kGroupHeaderBytes + static_cast<std::size_t>(header.run_bytes);
  return format::checksum64(group.first(end).subspan(kCheckedFrom));
}

}  // namespace

std::uint64_t GroupHeader::padded_bytes() const {
  const std::uint64_t bytes = kGroupHeaderBytes + run_bytes;
  return (bytes + kGroupAlignmentBytes - 1) / kGroupAlignmentBytes * kGroupAlignmentBytes;
}

Buffer encode_group(GroupHeader& header, const Run& run) {
  Buffer group(kGroupHeaderBytes);
  run.encode(group);
  header.run_bytes = group.size() - kGroupHeaderBytes;
  group.resize(static_cast<std::size_t>(header.padded_bytes()));
  std::copy(kGroupMagic.begin(), kGroupMagic.end(), group.begin());
  std::copy(header.store.begin(), header.store.end(), group.begin() + kCheckedFrom);
  const MutableBytes bytes(group);
  format::store(bytes, 32, header.generation);
  format::store(bytes, 40, header.number);
  format::store(bytes, 48, header.last_sequence);
  format::store(bytes, 56, header.previous);
  format::store(bytes, 64, header.run_bytes);
  header.checksum = checksum_of(header, group);
  format::store(bytes, 8, header.checksum);
  return group;
}

std::optional<GroupHeader> decode_group_header(Bytes bytes) {
  if (!std::equal(kGroupMagic.begin(), kGroupMagic.end(), bytes.begin())) return std::nullopt;
  GroupHeader header;
  std::copy_n(bytes.begin() + kCheckedFrom, header.store.size(), header.store.begin());
  header.checksum = load<std::uint64_t>(bytes, 8);
  header.generation = load<std::uint64_t>(bytes, 32);
  header.number = load<std::uint64_t>(bytes, 40);
  header.last_sequence = load<std::uint64_t>(bytes, 48);
  header.previous = load<std::uint64_t>(bytes, 56);
  header.run_bytes = load<std::uint64_t>(bytes, 64);
  return header;
}

bool is_group_whole(const GroupHeader& header, Bytes group) {
  return group.size() == header.padded_bytes() && checksum_of(header, group) == header.checksum;
}

Result<RunRef> decode_group_run(const GroupHeader& header, Bytes group,
                                std::size_t size_bytes_max) {
  return Run::decode(group.subspan(kGroupHeaderBytes, static_cast<std::size_t>(header.run_bytes)),
                     size_bytes_max);
}

}  // namespace dgfs::delta
