// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/fuzz/image_recipe.h"

#include <algorithm>

#include "format/coding.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page.h"
#include "format/zstd_payload.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;

constexpr std::uint8_t kCountsChunk = 0;
constexpr std::uint8_t kPageChunk = 1;
constexpr std::uint8_t kDataChunk = 255;
// A fuzzer's time is better spent on many small images.
constexpr std::size_t kChunksMax = 200;

void add_chunk(Buffer& recipe, std::uint8_t what, Bytes bytes) {
  format::Encoder encoder(recipe);
  encoder.fixed(what);
  encoder.fixed(static_cast<std::uint32_t>(bytes.size()));
  encoder.raw(bytes);
}

Buffer decoded_page(Bytes page) {
  const auto header = format::read_page_header(page).value();
  Buffer out;
  format::Encoder encoder(out);
  encoder.fixed(header.codec);
  encoder.fixed(header.model_id);
  encoder.fixed(header.attribute_table);
  encoder.fixed(header.entry_count);
  const auto payload = page.subspan(format::kPageHeaderBytes, header.payload_bytes);
  const auto columns =
      format::decompress_payload(payload, header.decoded_bytes, *format::Model::empty());
  if (columns) encoder.raw(columns.value());
  return out;
}

Buffer encoded_page(Bytes bytes) {
  FuzzInput input(bytes);
  format::PageHeader header;
  header.codec = input.take<std::uint8_t>();
  header.model_id = input.take<std::uint16_t>();
  header.attribute_table = input.take<std::uint16_t>();
  header.entry_count = input.take<std::uint16_t>();
  const auto columns = input.rest();
  header.decoded_bytes = static_cast<std::uint32_t>(columns.size());
  auto payload = format::compress_payload(columns, {}, *format::Model::empty(), 1).value();
  payload.resize(std::min(payload.size(), format::kPagePayloadBytesMax));
  return format::make_page(header, payload);
}

/// Bodies of the records of a section, by the lengths that the pages' entries would know. Without
/// them the whole section is one: mutations within it keep all offsets.
void add_record(Buffer& section, SectionKind kind, Bytes body) {
  Buffer page;
  if (kind == SectionKind::kDigests) {  // all of one length
    page.assign(body.begin(), body.end());
    page.resize(kPageBytes - format::kRecordChecksumBytes);
    body = page;
  }
  const auto record = format::seal_record(kind, section.size(), body);
  section.insert(section.end(), record.begin(), record.end());
}

void add_ingredient(TakenImage& image, std::uint8_t what, Bytes bytes) {
  const auto kind = static_cast<SectionKind>(what);
  if (what == kCountsChunk) {
    FuzzInput input(bytes);
    image.superblock.namespace_entries = input.take<std::uint64_t>();
    image.superblock.link_entries = input.take<std::uint64_t>();
    image.superblock.next_inode = input.take<std::uint64_t>();
    image.superblock.compat = input.take<std::uint64_t>();
    // Others end at once, and not in a decoder.
    image.superblock.incompat = input.take<std::uint64_t>() & format::feature::kIncompatKnown;
  } else if (what == kPageChunk) {
    const auto page = encoded_page(bytes);
    image.pages().insert(image.pages().end(), page.begin(), page.end());
  } else if (what == kDataChunk) {
    image.data.insert(image.data.end(), bytes.begin(), bytes.end());
  } else if (has_blocks(kind)) {
    if (bytes.size() <= format::kSectionBlockBytesMax) {
      image.bodies(kind).emplace_back(bytes.begin(), bytes.end());
    }
  } else if (what < format::kSectionKinds) {
    add_record(image.raw(kind), kind, bytes);
  }
}

/// The page directory repeats the checksums of pages.
void reseal_pages(TakenImage& image) {
  std::size_t page = 0;
  for (auto& body : image.bodies(SectionKind::kPageDirectory)) {
    auto records = format::decode_page_block(body);
    if (!records) continue;
    for (auto& record : records.value()) {
      if (page >= image.pages().size() / kPageBytes) break;
      record.checksum = format::load<std::uint64_t>(image.pages(), kPageBytes * page++);
    }
    body = format::encode_page_block(records.value());
  }
}

}  // namespace

Buffer recipe_of(Bytes image, std::size_t data_bytes) {
  TakenImage taken(image);
  Buffer recipe;
  Buffer counts;
  format::Encoder encoder(counts);
  encoder.fixed(taken.superblock.namespace_entries);
  encoder.fixed(taken.superblock.link_entries);
  encoder.fixed(taken.superblock.next_inode);
  encoder.fixed(taken.superblock.compat);
  encoder.fixed(taken.superblock.incompat);
  add_chunk(recipe, kCountsChunk, counts);
  for (std::size_t at = 0; at < taken.pages().size(); at += kPageBytes) {
    add_chunk(recipe, kPageChunk, decoded_page(Bytes(taken.pages()).subspan(at, kPageBytes)));
  }
  for (std::uint8_t what = 2; what < format::kSectionKinds; ++what) {
    const auto kind = static_cast<SectionKind>(what);
    for (const auto& body : taken.bodies(kind)) add_chunk(recipe, what, body);
    const auto& records = taken.raw(kind);
    const auto record_bytes = kind == SectionKind::kDigests ? kPageBytes : records.size();
    for (std::size_t at = 0; at < records.size(); at += record_bytes) {
      const auto record = Bytes(records).subspan(at, record_bytes);
      add_chunk(recipe, what, record.subspan(format::kRecordChecksumBytes));
    }
  }
  add_chunk(recipe, kDataChunk, Bytes(taken.data).first(std::min(data_bytes, taken.data.size())));
  return recipe;
}

Buffer bake(Bytes recipe) {
  TakenImage image;
  for (std::size_t chunks = 0; recipe.size() > 5 && chunks < kChunksMax; ++chunks) {
    const auto what = recipe[0];
    const std::size_t wanted = format::load<std::uint32_t>(recipe, 1);
    const auto bytes = recipe.subspan(5, std::min(wanted, recipe.size() - 5));
    add_ingredient(image, what, bytes);
    recipe = recipe.subspan(5 + bytes.size());
  }
  reseal_pages(image);
  return image.image();
}

}  // namespace dgfs::test
