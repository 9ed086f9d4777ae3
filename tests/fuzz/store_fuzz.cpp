// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What the files of a store hold. Input: which decoder, then its bytes; checksums are made to fit.
#include <algorithm>

#include "delta/disk/block_codec.h"
#include "delta/disk/superblock.h"
#include "delta/log/group.h"
#include "delta/tree/node.h"
#include "format/checksum.h"
#include "format/coding.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

// Whatever it has been made of, it is a run as any other.
void check_run(const delta::Run& run) {
  for (std::size_t i = 1; i < run.size(); ++i) {
    require(run.point(i - 1).key < run.point(i).key);
  }
  Buffer bytes;
  run.encode(bytes);
  const auto again = delta::Run::decode(bytes);
  require(again && *again.value() == run);
  require(run.size_bytes() == again.value()->size_bytes());
}

void decode_run(const Buffer& input) {
  if (const auto run = delta::Run::decode(input)) check_run(*run.value());
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
  if (const auto run = delta::decode_group_run(*header, input)) check_run(*run.value());
}

void decode_block(Buffer input) {
  const auto block = delta::unpack_block(std::move(input));
  if (!block) return;
  for (const int level : {0, 1}) {
    delta::BlockPacker packer(level);
    const auto stored = packer.pack(block.value().bytes());
    require(stored.has_value());
    const Buffer bytes(stored.value().begin(), stored.value().end());
    const auto again = delta::unpack_block(bytes);
    require(std::ranges::equal(again.value().bytes(), block.value().bytes()));
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

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs::test;
  FuzzInput input({data, size_bytes});
  switch (input.take<std::uint8_t>() % 5) {
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
    default:
      decode_superblock(input.rest());
  }
  return 0;
}
