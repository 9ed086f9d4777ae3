// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/volume_header.h"

#include "format/coding.h"
#include "format/entry/key.h"
#include "format/header/header_page.h"

namespace dgfs::format {
namespace {

constexpr std::string_view kVolumeMagic = "DGFSVOL1";
constexpr const char* kVolumeSection = "volume header";
constexpr std::size_t kNumberOffset = 56;
constexpr std::size_t kDataEndOffset = 64;
constexpr std::size_t kIndexOffsetOffset = 72;
constexpr std::size_t kVolumeIndexBytesOffset = 80;
constexpr std::size_t kFileBytesOffset = 88;
constexpr std::size_t kVolumeFieldBytes = 96;

Error corrupt_volume_header(std::uint16_t code, std::size_t offset, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text))
      .in_section(kVolumeSection)
      .at_offset(offset);
}

VolumeHeader load_fields(Bytes page, const HeaderCommon& common) {
  VolumeHeader header;
  header.incompat = common.incompat;
  header.image_uuid = common.uuid;
  header.number = load<VolumeNumber>(page, kNumberOffset);
  header.data_end = load<std::uint64_t>(page, kDataEndOffset);
  header.index_offset = load<std::uint64_t>(page, kIndexOffsetOffset);
  header.index_bytes = load<std::uint64_t>(page, kVolumeIndexBytesOffset);
  header.file_bytes = load<std::uint64_t>(page, kFileBytesOffset);
  return header;
}

// F-032: an index lies behind the data and before the trailing header.
bool is_index_place_valid(const VolumeHeader& header) {
  if (header.index_offset == 0) return header.index_bytes == 0;
  const auto end = header.file_bytes - kPageBytes;
  return header.index_offset % kPageBytes == 0 && header.index_bytes % kPageBytes == 0 &&
         header.index_bytes != 0 && header.index_offset >= header.data_end &&
         header.index_offset <= end && header.index_bytes <= end - header.index_offset;
}

Status check_places(const VolumeHeader& header) {
  if (header.file_bytes % kPageBytes != 0 || header.file_bytes < 2 * kPageBytes ||
      header.file_bytes > kFileBytesMax) {  // F-030
    return corrupt_volume_header(
        2601, kFileBytesOffset,
        "volume length " + std::to_string(header.file_bytes) + " is not a whole number of pages");
  }
  if (header.data_end < kPageBytes || header.data_end > header.file_bytes - kPageBytes) {  // F-031
    return corrupt_volume_header(2602, kDataEndOffset, "data ends outside the volume");
  }
  if (!is_index_place_valid(header)) {
    return corrupt_volume_header(2603, kIndexOffsetOffset, "index lies outside its place");
  }
  return ok();
}

constexpr std::size_t kVolumeRowBytesMin = 3;  ///< three varints of one byte each

Result<VolumeRecord> decode_volume(Decoder& decoder) {
  VolumeRecord record;
  DGFS_TRY(number, decoder.varint_up_to(0xffff));
  record.number = static_cast<VolumeNumber>(number);
  const auto data_end_offset = decoder.offset();
  DGFS_TRY(data_end, decoder.varint_up_to(kFileBytesMax));
  if (data_end < kPageBytes) {  // F-031
    return Error(ErrorKind::kCorrupt, 2620, "data ends inside the volume header")
        .at_offset(data_end_offset);
  }
  record.data_end = data_end;
  const auto hint_offset = decoder.offset();
  DGFS_TRY(hint, decoder.string(kNameBytesMax));
  // F-036: a reader opens the hint beside the index, so it must not lead elsewhere.
  if (!hint.empty() && !is_valid_name(hint)) {
    return Error(ErrorKind::kCorrupt, 2621, "volume hint is not a file name")
        .at_offset(hint_offset);
  }
  record.hint = hint;
  return record;
}

Result<std::vector<VolumeRecord>> decode_volumes(Bytes body) {
  Decoder decoder(body);
  DGFS_TRY(count, decoder.varint());
  if (count > decoder.remaining() / kVolumeRowBytesMin) {  // F-002
    return Error(ErrorKind::kCorrupt, 2622, "more volumes than bytes").at_offset(0);
  }
  std::vector<VolumeRecord> volumes;
  volumes.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto offset = decoder.offset();
    DGFS_TRY(record, decode_volume(decoder));
    if (!volumes.empty() && record.number <= volumes.back().number) {  // F-035
      return Error(ErrorKind::kCorrupt, 2623, "volume numbers do not rise").at_offset(offset);
    }
    volumes.push_back(std::move(record));
  }
  DGFS_CHECK(decoder.finish());
  return volumes;
}

}  // namespace

Buffer encode_volume_header(const VolumeHeader& header) {
  Buffer page(kPageBytes);
  store(page, kNumberOffset, header.number);
  store(page, kDataEndOffset, header.data_end);
  store(page, kIndexOffsetOffset, header.index_offset);
  store(page, kVolumeIndexBytesOffset, header.index_bytes);
  store(page, kFileBytesOffset, header.file_bytes);
  seal_header_page(
      kVolumeMagic,
      {kVersionMajor, kVersionMinor, kVolumeFieldBytes, 0, 0, header.incompat, header.image_uuid},
      page);
  return page;
}

Result<VolumeHeader> decode_volume_header(Bytes page) {
  DGFS_TRY(common, open_header_page(kVolumeMagic, kVolumeSection, kVolumeFieldBytes, page));
  const auto header = load_fields(page, common);
  if (load<std::uint16_t>(page, kNumberOffset + 2) != 0 ||
      load<std::uint32_t>(page, kNumberOffset + 4) != 0) {
    return corrupt_volume_header(2600, kNumberOffset + 2, "reserved bytes are not zero");
  }
  DGFS_CHECK(check_places(header));
  DGFS_CHECK(check_header_rest(kVolumeSection, common.header_bytes, page));
  return header;
}

bool is_volume_header(Bytes bytes) {
  return as_text(bytes).substr(0, kVolumeMagic.size()) == kVolumeMagic;
}

void encode_volume_table(const std::vector<VolumeRecord>& volumes, Buffer& out) {
  Encoder encoder(out);
  encoder.varint(volumes.size());
  for (const auto& volume : volumes) {
    encoder.varint(volume.number);
    encoder.varint(volume.data_end);
    encoder.string(volume.hint);
  }
}

Result<std::vector<VolumeRecord>> decode_volume_table(Bytes body) {
  return in_section(SectionKind::kVolumes, decode_volumes(body));
}

}  // namespace dgfs::format
