// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The blocks in the files of a store. Input: a byte that picks the decoder, then its bytes;
// checksums are made to fit.
#include <algorithm>

#include "delta/store/disk/block_codec.h"
#include "delta/store/disk/free_space.h"
#include "delta/store/log/group.h"
#include "delta/store/log/superblock.h"
#include "delta/store/run/run_pages.h"
#include "delta/store/run/run_parts.h"
#include "delta/store/tree/node.h"
#include "format/checksum.h"
#include "format/coding.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

// The most memory that a run may take, as if its node said so.
constexpr std::size_t kRunBytesMax = std::size_t{16} << 20;

// A decoded run behaves as any other run, whatever its bytes were.
void check_run(const delta::Run& run) {
  require(run.size_bytes() <= kRunBytesMax);
  for (std::size_t i = 1; i < run.size(); ++i) {
    require(run.point(i - 1).key < run.point(i).key);
  }
  Buffer bytes;
  run.encode(bytes);
  const auto again = delta::Run::decode(bytes, run.size_bytes());
  require(again && *again.value() == run);
  require(run.size_bytes() == again.value()->size_bytes());
}

void decode_run(const Buffer& input) {
  if (const auto run = delta::Run::decode(input, kRunBytesMax)) check_run(*run.value());
}

void decode_node(const Buffer& input) {
  const auto node = delta::Node::decode(input);
  if (!node) return;
  require(!node.value()->slots().empty());
  require(node.value()->find("") == 0);
  Buffer bytes;
  node.value()->encode(bytes);
  const auto again = delta::Node::decode(bytes);
  require(again && again.value()->slots().size() == node.value()->slots().size());
}

void decode_group(Buffer input) {
  if (input.size() < delta::kGroupHeaderBytes) return;
  auto header = delta::decode_group_header(input);
  if (!header || header->run_bytes > input.size() || header->padded_bytes() != input.size()) return;
  const auto end = delta::kGroupHeaderBytes + static_cast<std::size_t>(header->run_bytes);
  header->checksum = format::checksum64(Bytes(input).first(end).subspan(16));
  require(delta::is_group_whole(*header, input));
  if (const auto run = delta::decode_group_run(*header, input, kRunBytesMax))
    check_run(*run.value());
}

void decode_block(const Buffer& input) {
  Buffer room;
  const auto block = delta::unpack_block(input, room);
  if (!block) return;
  for (const int level : {0, 1}) {
    delta::BlockPacker packer(level);
    const auto stored = packer.pack(block.value());
    require(stored.has_value());
    Buffer again_room;
    const auto again = delta::unpack_block(stored.value(), again_room);
    require(std::ranges::equal(again.value(), block.value()));
  }
}

// Each page decodes the same alone as in its block.
void decode_run_block(const Buffer& input) {
  const auto run = delta::Run::unpack(input, kRunBytesMax);
  if (!run) return;
  check_run(*run.value());
  delta::BlockPacker packer(0);
  Buffer stored;
  const auto pages = delta::pack_run(*run.value(), 64, packer, stored);
  require(pages.has_value());
  const auto again = delta::Run::unpack(stored, run.value()->size_bytes());
  require(again && *again.value() == *run.value());
  for (std::size_t i = 0; i < pages.value().size(); ++i) {
    const auto& page = pages.value()[i];
    const auto bytes = Bytes(stored).subspan(static_cast<std::size_t>(page.offset_bytes),
                                             static_cast<std::size_t>(page.length_bytes));
    const auto alone = delta::unpack_page(bytes, run.value()->size_bytes());
    require(alone && !alone.value()->empty());
    require(*alone.value() == *delta::clipped(run.value(), pages.value().range(i)));
  }
}

void decode_superblock(Buffer input) {
  if (input.size() >= delta::kSuperblockBytes) {
    input.resize(delta::kSuperblockBytes);
    format::store(MutableBytes(input), input.size() - 8,
                  format::checksum64(Bytes(input).first(input.size() - 8)));
  }
  const auto superblock = delta::decode_superblock(input);
  if (!superblock) return;
  const auto again = delta::decode_superblock(delta::encode_superblock(superblock.value()));
  require(again && again.value() == superblock.value());
}

void decode_free_space(const Buffer& input) {
  const auto space = delta::FreeSpace::decode(input);
  if (!space) return;
  Buffer bytes;
  space.value().encode(bytes);
  const auto again = delta::FreeSpace::decode(bytes);
  require(again && again.value() == space.value());
  auto same = space.value();
  same.add(space.value().stretches());
  require(same == space.value());
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs::test;
  FuzzInput input({data, size_bytes});
  switch (input.take<std::uint8_t>() % 7) {
    case 0:
      decode_run(input.rest());
      break;
    case 1:
      decode_node(input.rest());
      break;
    case 2:
      decode_group(input.rest());
      break;
    case 3:
      decode_block(input.rest());
      break;
    case 4:
      decode_superblock(input.rest());
      break;
    case 5:
      decode_free_space(input.rest());
      break;
    default:
      decode_run_block(input.rest());
  }
  return 0;
}
