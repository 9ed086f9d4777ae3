// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/corrupt/forged_images.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "format/coding.h"
#include "format/content/extent.h"
#include "format/model.h"
#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/zstd/payload.h"
#include "tests/corrupt/sample_image.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kRunBytes = 128 * 1024;  // the most that a zstd block may hold

// Appends blocks of 4 bytes that decode to 128 KiB each.
void append_runs(std::size_t runs, Buffer& frame) {
  for (std::size_t i = 0; i < runs; ++i) {
    const auto header = std::uint32_t{kRunBytes} << 3 | 1U << 1 | (i + 1 == runs ? 1U : 0U);
    for (const int shift : {0, 8, 16}) frame.push_back(static_cast<std::uint8_t>(header >> shift));
    frame.push_back('b');
  }
}

Buffer assemble(ImageAssembler& assembler) {
  const auto memory = storage::make_memory_env(1);
  assembler.write(*memory, "/i", "", true);
  return read_file(*memory, "/i");
}

}  // namespace

Buffer zstd_magic() { return {0x28, 0xb5, 0x2f, 0xfd}; }

Buffer silent_frame(Buffer magic, std::size_t runs) {
  magic.insert(magic.end(), {0x00, 7 << 3});  // a window of 128 KiB
  append_runs(runs, magic);
  return magic;
}

Buffer boasting_frame(Buffer magic) {
  magic.insert(magic.end(), {0xe0, 0, 0, 0, 0, 0, 0, 0, 0x10});
  append_runs(1, magic);
  return magic;
}

void add_stored_frame(ImageAssembler& assembler, const Buffer& frame, std::uint64_t size_bytes) {
  Buffer extent(format::kChecksumBytes);
  extent.insert(extent.end(), frame.begin(), frame.end());
  format::store(MutableBytes(extent), 0, format::frame_checksum(0, frame));
  auto& entry = assembler.add("e", 0100644);
  entry.size_bytes = size_bytes;
  entry.stored_bytes = extent.size();
  entry.codec = format::ExtentCodec::kZstd;
  entry.address = assembler.place(0, extent);
}

void add_circular_link(ImageAssembler& assembler) {
  auto& name = assembler.add("l", 0100000);
  name.link_inode = 4;
  name.mtime = {};
  auto& record = assembler.add_link_record(4, 0100000, 0);
  record.link_inode = 4;
  record.mtime = {};
}

Buffer page_bomb_image(const Buffer& frame, std::uint32_t decoded_bytes) {
  TakenImage taken(sample_image());
  auto header = value_of(format::read_page_header(Bytes(taken.pages()).first(format::kPageBytes)));
  header.codec = format::kColumnCodec;
  header.decoded_bytes = decoded_bytes;
  const auto page = format::make_page(header, frame);
  std::copy(page.begin(), page.end(), taken.pages().begin());
  taken.reseal_page(0);
  return taken.image();
}

Buffer overlapping_image() {
  Buffer inner;
  format::append_raw_extent(as_bytes("inner content"), inner);
  Buffer contents(100, 'o');
  contents.insert(contents.end(), inner.begin(), inner.end());
  contents.resize(contents.size() + 100, 'o');
  Buffer outer;
  format::append_raw_extent(contents, outer);
  ImageAssembler assembler;
  const auto place = assembler.place(0, outer);
  auto& whole = assembler.add("outer", 0100644);
  whole.size_bytes = contents.size();
  whole.stored_bytes = outer.size();
  whole.address = place;
  auto& part = assembler.add("inner", 0100644);
  part.size_bytes = inner.size() - format::kChecksumBytes;
  part.stored_bytes = inner.size();
  part.address = format::DataAddress{0, place.offset_bytes + format::kChecksumBytes + 100};
  return assemble(assembler);
}

Buffer unsorted_image(std::string_view second) {
  constexpr std::string_view kSorted = "bbb";
  ImageAssembler assembler;
  assembler.add_file("aaa", as_bytes("1"));
  assembler.add_file(std::string(kSorted), as_bytes("2"));
  TakenImage taken(assemble(assembler));
  const auto page = Bytes(taken.pages()).first(format::kPageBytes);
  const auto header = value_of(format::read_page_header(page));
  const auto empty = format::Model::empty();
  auto columns = value_of(format::decompress_payload(
      page.subspan(format::kPageHeaderBytes, header.payload_bytes), header.decoded_bytes, *empty));
  const auto at = std::search(columns.begin(), columns.end(), kSorted.begin(), kSorted.end());
  EXPECT_TRUE(at != columns.end() && second.size() == kSorted.size());
  std::copy(second.begin(), second.end(), at);
  const auto payload = value_of(format::compress_payload(columns, {}, *empty, 1));
  const auto damaged = format::make_page(header, payload);
  std::copy(damaged.begin(), damaged.end(), taken.pages().begin());
  taken.reseal_page(0);
  return taken.image();
}

}  // namespace dgfs::test
