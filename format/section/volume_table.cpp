// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
// The volume table: declared in format/header/volume_header.h.
#include "format/coding.h"
#include "format/entry/key.h"
#include "format/header/volume_header.h"

namespace dgfs::format {
namespace {

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
  // F-036: the hint is opened beside the index; it must not lead elsewhere.
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
