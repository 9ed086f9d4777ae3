// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/fuzz/image_recipe.h"

#include <algorithm>

#include "format/coding.h"
#include "format/header/header_page.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/zstd/payload.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {
namespace {

using format::kPageBytes;
using format::SectionKind;

constexpr std::uint8_t kCountsChunk = 0;
constexpr std::uint8_t kColumnsChunk = 1;
constexpr std::uint8_t kStoredPageChunk = 253;
constexpr std::uint8_t kVolumeChunk = 254;
constexpr std::uint8_t kDataChunk = 255;
// Many small images are a better use of a fuzzer's time than a few large ones.
constexpr std::size_t kChunksMax = 200;

std::uint64_t header_checksum(Bytes page) {
  return format::load<std::uint64_t>(page, format::kHeaderChecksumOffset);
}

void add_chunk(Buffer& recipe, std::uint8_t what, Bytes bytes) {
  format::Encoder encoder(recipe);
  encoder.fixed(what);
  encoder.fixed(static_cast<std::uint32_t>(bytes.size()));
  encoder.raw(bytes);
}

void add_counts(Buffer& recipe, const format::Superblock& superblock) {
  Buffer counts;
  format::Encoder encoder(counts);
  encoder.fixed(superblock.namespace_entries);
  encoder.fixed(superblock.link_entries);
  encoder.fixed(superblock.next_inode);
  encoder.fixed(superblock.compat);
  encoder.fixed(superblock.incompat);
  add_chunk(recipe, kCountsChunk, counts);
}

Buffer compressed(Bytes columns) {
  return format::compress_payload(columns, {}, *format::Model::empty(), 1).value();
}

bool is_dictionary(TakenImage& taken, std::uint16_t model_id) {
  for (const auto& body : taken.bodies(SectionKind::kModels)) {  // id u16, kind u8, bytes
    if (format::load<std::uint16_t>(body, 0) != model_id) continue;
    return body[2] == static_cast<std::uint8_t>(format::ModelKind::kZstdDictionary);
  }
  return false;
}

/// The columns of a page, if they fit into a page again without a dictionary and with little
/// effort; otherwise nothing.
Buffer columns_of(TakenImage& taken, const format::PageHeader& header, Bytes payload) {
  if (header.codec != format::kColumnCodec || is_dictionary(taken, header.model_id)) return {};
  auto columns =
      format::decompress_payload(payload, header.decoded_bytes, *format::Model::empty()).value();
  return compressed(columns).size() <= format::kPagePayloadBytesMax ? std::move(columns) : Buffer();
}

void add_page(Buffer& recipe, TakenImage& taken, Bytes page) {
  const auto header = format::read_page_header(page).value();
  const auto payload = page.subspan(format::kPageHeaderBytes, header.payload_bytes);
  const auto columns = columns_of(taken, header, payload);
  Buffer chunk;
  format::Encoder encoder(chunk);
  encoder.fixed(header.codec);
  encoder.fixed(header.flags);
  encoder.fixed(header.model_id);
  encoder.fixed(header.attribute_table);
  encoder.fixed(header.entry_count);
  if (columns.empty()) encoder.fixed(header.decoded_bytes);
  encoder.raw(columns.empty() ? payload : Bytes(columns));
  add_chunk(recipe, columns.empty() ? kStoredPageChunk : kColumnsChunk, chunk);
}

void add_section(Buffer& recipe, TakenImage& taken, std::uint8_t what) {
  const auto kind = static_cast<SectionKind>(what);
  for (const auto& body : taken.bodies(kind)) add_chunk(recipe, what, body);
  for (const auto& body : record_bodies(kind, taken.raw(kind))) add_chunk(recipe, what, body);
}

/// The rows of the section, if it is sound.
std::vector<format::VolumeOrigin> origins_of(TakenImage& taken) {
  const auto& bodies = taken.bodies(SectionKind::kVolumeOrigins);
  if (bodies.size() != 1) return {};
  auto origins = format::decode_volume_origins(bodies.front());
  return origins ? std::move(origins).value() : std::vector<format::VolumeOrigin>();
}

/// @param origins  of the image that has the volume
void add_volume(Buffer& recipe, const std::vector<format::VolumeOrigin>& origins, Bytes volume,
                std::size_t data_bytes) {
  const auto header = format::decode_volume_header(volume.first(kPageBytes)).value();
  const auto data = volume.first(static_cast<std::size_t>(header.data_end)).subspan(kPageBytes);
  const auto origin = std::find_if(origins.begin(), origins.end(),
                                   [&](const auto& each) { return is_volume(volume, each); });
  Buffer chunk;
  format::Encoder encoder(chunk);
  encoder.fixed(origin == origins.end() ? header.number : origin->number);
  encoder.raw(data.first(std::min(data_bytes, data.size())));
  add_chunk(recipe, kVolumeChunk, chunk);
}

Buffer baked_page(bool is_stored, Bytes bytes) {
  FuzzInput input(bytes);
  format::PageHeader header;
  header.codec = input.take<std::uint8_t>();
  header.flags = input.take<std::uint8_t>() & format::kPageGaps;  // others would end the run
  header.model_id = input.take<std::uint16_t>();
  header.attribute_table = input.take<std::uint16_t>();
  header.entry_count = input.take<std::uint16_t>();
  if (is_stored) header.decoded_bytes = input.take<std::uint32_t>();
  auto payload = input.rest();
  if (!is_stored) {
    header.decoded_bytes = static_cast<std::uint32_t>(payload.size());
    payload = compressed(payload);
  }
  payload.resize(std::min(payload.size(), format::kPagePayloadBytesMax));
  return format::make_page(header, payload);
}

/// A further volume of the image with this superblock. If it has an origin, it becomes that volume
/// of the other image, and the origin gets the checksum of its header.
Buffer baked_volume(const format::Superblock& superblock,
                    std::vector<format::VolumeOrigin>& origins, Bytes bytes) {
  FuzzInput input(bytes);
  format::VolumeHeader header;
  header.incompat = superblock.incompat;
  header.image_uuid = superblock.uuid;
  header.number = input.take<format::VolumeNumber>();
  const auto origin = std::find_if(origins.begin(), origins.end(),
                                   [&](const auto& each) { return each.number == header.number; });
  if (origin != origins.end()) {
    header.image_uuid = origin->image;
    header.number = origin->own_number;
  }
  const auto data = input.rest();
  header.data_end = kPageBytes + data.size();
  header.file_bytes = (header.data_end + kPageBytes - 1) / kPageBytes * kPageBytes + kPageBytes;
  auto volume = format::encode_volume_header(header);
  volume.insert(volume.end(), data.begin(), data.end());
  volume.resize(static_cast<std::size_t>(header.file_bytes - kPageBytes));
  const auto last = format::encode_volume_header(header);
  volume.insert(volume.end(), last.begin(), last.end());
  if (origin != origins.end()) origin->header_checksum = header_checksum(last);
  return volume;
}

void take_counts(format::Superblock& superblock, Bytes bytes) {
  FuzzInput input(bytes);
  superblock.namespace_entries = input.take<std::uint64_t>();
  superblock.link_entries = input.take<std::uint64_t>();
  superblock.next_inode = input.take<std::uint64_t>();
  superblock.compat = input.take<std::uint64_t>();
  // Other bits would end the run at once, before a decoder.
  superblock.incompat = input.take<std::uint64_t>() & format::feature::kIncompatKnown;
}

void append(Buffer& out, Bytes bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

void add_ingredient(TakenImage& image, std::uint8_t what, Bytes bytes) {
  const auto kind = static_cast<SectionKind>(what);
  if (what == kCountsChunk) {
    take_counts(image.superblock, bytes);
  } else if (what == kColumnsChunk || what == kStoredPageChunk) {
    append(image.pages(), baked_page(what == kStoredPageChunk, bytes));
  } else if (what == kDataChunk) {
    append(image.data, bytes);
  } else if (has_blocks(kind)) {
    if (bytes.size() <= format::kSectionBlockBytesMax) {
      image.bodies(kind).emplace_back(bytes.begin(), bytes.end());
    }
  } else if (what < format::kSectionKinds) {
    Buffer body(bytes.begin(), bytes.end());
    // All records get one length, so that later ones keep their places.
    const auto shape = format::section_shape(kind);
    if (shape == format::SectionShape::kRecordPages) {
      body.resize(kPageBytes - format::kRecordChecksumBytes);
    }
    append(image.raw(kind), format::seal_record(kind, image.raw(kind).size(), body));
  }
}

/// Updates the page directory, which repeats the checksums of pages.
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

bool is_volume(Bytes bytes, const format::VolumeOrigin& origin) {
  if (bytes.size() < kPageBytes) return false;
  const auto page = bytes.first(kPageBytes);
  const auto header = format::decode_volume_header(page);
  return header && header.assume_value().image_uuid == origin.image &&
         header.assume_value().number == origin.own_number &&
         header_checksum(page) == origin.header_checksum;
}

Buffer recipe_of(Bytes image, const std::vector<Buffer>& volumes, std::size_t data_bytes) {
  TakenImage taken(image);
  Buffer recipe;
  add_counts(recipe, taken.superblock);
  for (std::size_t at = 0; at < taken.pages().size(); at += kPageBytes) {
    add_page(recipe, taken, Bytes(taken.pages()).subspan(at, kPageBytes));
  }
  for (std::uint8_t what = 2; what < format::kSectionKinds; ++what) {
    add_section(recipe, taken, what);
  }
  const auto origins = origins_of(taken);
  for (const auto& volume : volumes) add_volume(recipe, origins, volume, data_bytes);
  add_chunk(recipe, kDataChunk, Bytes(taken.data).first(std::min(data_bytes, taken.data.size())));
  return recipe;
}

BakedImage bake(Bytes recipe) {
  TakenImage image;
  std::vector<Bytes> volumes;
  for (std::size_t chunks = 0; recipe.size() > 5 && chunks < kChunksMax; ++chunks) {
    const auto what = recipe[0];
    const std::size_t wanted = format::load<std::uint32_t>(recipe, 1);
    const auto bytes = recipe.subspan(5, std::min(wanted, recipe.size() - 5));
    if (what != kVolumeChunk) {
      add_ingredient(image, what, bytes);
    } else if (volumes.size() < kBakedVolumesMax) {
      volumes.push_back(bytes);
    }
    recipe = recipe.subspan(5 + bytes.size());
  }
  reseal_pages(image);
  BakedImage baked;
  auto origins = origins_of(image);
  for (const auto volume : volumes) {
    baked.volumes.push_back(baked_volume(image.superblock, origins, volume));
  }
  if (!origins.empty()) {
    auto& body = image.bodies(SectionKind::kVolumeOrigins).front();
    body.clear();
    format::encode_volume_origins(origins, body);
  }
  baked.image = image.image();
  return baked;
}

}  // namespace dgfs::test
