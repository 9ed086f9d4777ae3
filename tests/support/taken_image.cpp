// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/taken_image.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/header/header_page.h"
#include "format/limits.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;

// If test input cannot be taken apart, the test is wrong.
template <class T>
T sound(Result<T> result) {
  if (result) return std::move(result).assume_value();
  std::fprintf(stderr, "%s\n", result.assume_error().message().c_str());
  std::abort();
}

void pad_to(Buffer& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

std::vector<Buffer> open_blocks(SectionKind kind, Bytes section) {
  std::vector<Buffer> bodies;
  while (!section.empty()) {
    auto block = sound(format::open_block(kind, section));
    bodies.push_back(std::move(block.body));
    section = section.subspan(block.consumed_bytes);
  }
  return bodies;
}

}  // namespace

bool has_blocks(SectionKind kind) {
  return format::section_shape(kind) == format::SectionShape::kBlocks;
}

std::vector<Buffer> record_bodies(SectionKind kind, Bytes section) {
  std::vector<Buffer> bodies;
  std::size_t begin = 0;
  for (auto end = format::kRecordChecksumBytes; end <= section.size(); ++end) {
    const auto body = format::open_record(kind, begin, section.subspan(begin, end - begin));
    if (!body) continue;
    bodies.emplace_back(body.assume_value().begin(), body.assume_value().end());
    begin = end;
  }
  if (begin == section.size()) return bodies;
  std::fprintf(stderr, "section %s has no record at %zu\n", format::section_name(kind), begin);
  std::abort();
}

void reseal_header_page(MutableBytes bytes, std::size_t at) {
  const auto page = bytes.subspan(at, kPageBytes);
  format::store(page, format::kHeaderChecksumOffset,
                format::checksum64(page.first(format::kHeaderChecksumOffset)));
}

void reseal_block(MutableBytes bytes, std::size_t at, SectionKind kind) {
  const auto block = bytes.subspan(at);
  const std::size_t stored = format::load<std::uint32_t>(block, 8);
  const auto end = std::min(block.size(), format::kSealedBlockHeaderBytes + stored);
  format::store(block, 0,
                format::checksum64(block.first(end).subspan(8), static_cast<std::uint64_t>(kind)));
}

TakenImage::TakenImage(Bytes image)
    : header(sound(format::decode_volume_header(image.first(kPageBytes)))) {
  data.assign(image.begin() + kPageBytes, image.begin() + static_cast<long>(header.data_end));
  const auto whole = image.subspan(header.index_offset, header.index_bytes);
  superblock = sound(format::decode_superblock(whole.first(kPageBytes)));
  for (const auto& place : superblock.sections) {
    if (place.length_bytes == 0) continue;
    const auto section = whole.subspan(place.offset_bytes, place.length_bytes);
    if (has_blocks(place.kind)) {
      bodies(place.kind) = open_blocks(place.kind, section);
    } else {
      raw(place.kind).assign(section.begin(), section.end());
    }
  }
  for (const auto& body : bodies(SectionKind::kPageDirectory)) {
    const auto block = sound(format::decode_page_block(body));
    records.insert(records.end(), block.begin(), block.end());
  }
}

void TakenImage::reseal_page(std::size_t page) {
  const auto bytes = MutableBytes(pages()).subspan(page * kPageBytes, kPageBytes);
  records[page].checksum = format::checksum64(bytes.subspan(8));
  format::store(bytes, 0, records[page].checksum);
  reseal_records();
}

void TakenImage::reseal_records() {
  auto& blocks = bodies(SectionKind::kPageDirectory);
  blocks.clear();
  for (std::size_t at = 0; at < records.size(); at += format::kPageDirectoryBlockRecords) {
    const auto end = std::min(records.size(), at + format::kPageDirectoryBlockRecords);
    blocks.push_back(
        format::encode_page_block({records.begin() + static_cast<std::ptrdiff_t>(at),
                                   records.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
}

const Buffer& TakenImage::sealed(SectionKind kind, std::size_t number) const {
  const auto& body = bodies_[static_cast<std::size_t>(kind)][number];
  auto& known = sealed_[static_cast<std::size_t>(kind)];
  if (known.size() <= number) known.resize(number + 1);
  auto& [sealed_body, block] = known[number];
  if (block.empty() || sealed_body != body) {
    sealed_body = body;
    block.clear();
    format::seal_block(kind, body, block);
  }
  return block;
}

Buffer TakenImage::index() const {
  Buffer index(kPageBytes);
  auto placed = superblock;
  for (std::size_t i = 1; i < format::kSectionKinds; ++i) {
    const auto kind = static_cast<SectionKind>(i);
    const auto begin = index.size();
    for (std::size_t number = 0; number < bodies_[i].size(); ++number) {
      const auto& block = sealed(kind, number);
      index.insert(index.end(), block.begin(), block.end());
    }
    index.insert(index.end(), raw_[i].begin(), raw_[i].end());
    placed.sections[i] = {};
    if (index.size() > begin) placed.sections[i] = {kind, begin, index.size() - begin};
    pad_to(index, 8);
  }
  pad_to(index, kPageBytes);
  placed.index_bytes = index.size();
  const auto page = format::encode_superblock(placed);
  std::copy(page.begin(), page.end(), index.begin());
  return index;
}

Buffer TakenImage::image() const {
  Buffer image(kPageBytes + data.size());
  std::copy(data.begin(), data.end(), image.begin() + kPageBytes);
  auto placed = header;
  placed.incompat = superblock.incompat;
  placed.data_end = image.size();
  pad_to(image, kPageBytes);
  const auto behind = index();
  placed.index_offset = image.size();
  placed.index_bytes = behind.size();
  image.insert(image.end(), behind.begin(), behind.end());
  placed.file_bytes = image.size() + kPageBytes;
  const auto page = format::encode_volume_header(placed);
  std::copy(page.begin(), page.end(), image.begin());
  image.insert(image.end(), page.begin(), page.end());
  return image;
}

}  // namespace dgfs::test
