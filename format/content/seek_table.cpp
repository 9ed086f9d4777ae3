// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/content/seek_table.h"

#include <algorithm>

#include "format/checksum.h"
#include "format/coding.h"

namespace dgfs::format {
namespace {

// Skippable frames of zstd (RFC 8878, 3.1.2); the second is the one of zstd's seekable format.
constexpr std::uint32_t kChecksumsMagic = 0x184D2A5D;
constexpr std::uint32_t kSeekTableMagic = 0x184D2A5E;
constexpr std::uint32_t kSeekableMagic = 0x8F92EAB1;
// Length of the magic and length fields of a skippable frame.
constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kEntryBytes = 8;
constexpr std::size_t kFooterBytes = 9;
constexpr std::uint8_t kNoChecksums = 0;  // descriptor: no checksums of zstd's

Error corrupt_seek_table(std::uint16_t code, std::uint64_t offset, const char* text) {
  return Error(ErrorKind::kCorrupt, code, text).in_section("extent").at_offset(offset);
}

std::uint64_t content_of(std::uint64_t frame, std::uint64_t content_bytes) {
  return std::min<std::uint64_t>(kZstdFrameBytes, content_bytes - frame * kZstdFrameBytes);
}

// Whether all fields that do not depend on the frames' contents are right.
bool is_framed(Bytes table, std::size_t frames) {
  const auto second = kHeaderBytes + kChecksumBytes * (frames + 1);
  const auto footer = table.size() - kFooterBytes;
  return load<std::uint32_t>(table, 0) == kChecksumsMagic &&
         load<std::uint32_t>(table, 4) == second - kHeaderBytes &&
         load<std::uint32_t>(table, second) == kSeekTableMagic &&
         load<std::uint32_t>(table, second + 4) == table.size() - second - kHeaderBytes &&
         load<std::uint32_t>(table, footer) == frames && table[footer + 4] == kNoChecksums &&
         load<std::uint32_t>(table, footer + 5) == kSeekableMagic;
}

// The seed is the number of frames, which is the seed of no frame of the extent.
std::uint64_t table_checksum(std::uint64_t frames, Bytes behind) {
  return checksum64(behind, frames);
}

}  // namespace

void SeekTable::add(std::uint64_t stored_bytes, std::uint64_t checksum) {
  offsets_.push_back(offsets_.back() + stored_bytes);
  checksums_.push_back(checksum);
}

void SeekTable::encode(std::uint64_t content_bytes, Buffer& out) const {
  const auto frames = static_cast<std::uint32_t>(frame_count());
  Encoder encoder(out);
  encoder.fixed(kChecksumsMagic);
  encoder.fixed(static_cast<std::uint32_t>(kChecksumBytes * (frames + 1)));
  const auto checksum_at = out.size();
  encoder.fixed(std::uint64_t{0});
  for (const auto checksum : checksums_) encoder.fixed(checksum);
  encoder.fixed(kSeekTableMagic);
  encoder.fixed(static_cast<std::uint32_t>(kEntryBytes * frames + kFooterBytes));
  for (std::uint64_t frame = 0; frame < frames; ++frame) {
    encoder.fixed(static_cast<std::uint32_t>(begin(frame + 1) - begin(frame)));
    encoder.fixed(static_cast<std::uint32_t>(content_of(frame, content_bytes)));
  }
  encoder.fixed(frames);
  encoder.fixed(kNoChecksums);
  encoder.fixed(kSeekableMagic);
  store(MutableBytes(out), checksum_at,
        table_checksum(frames, Bytes(out).subspan(checksum_at + kChecksumBytes)));
}

Result<SeekTable> SeekTable::decode(Bytes table, std::uint64_t content_bytes,
                                    std::uint64_t stored_bytes) {
  const auto frames = format::frame_count(ExtentCodec::kZstd, content_bytes);
  if (frames < 2 || frames > kZstdFramesMax || table.size() != seek_table_bytes(frames) ||
      table.size() > stored_bytes) {
    return corrupt_seek_table(2723, 0, "seek table has an impossible length");
  }
  const auto table_offset = stored_bytes - table.size();
  const auto behind = kHeaderBytes + kChecksumBytes;
  if (table_checksum(frames, table.subspan(behind)) != load<std::uint64_t>(table, kHeaderBytes) ||
      !is_framed(table, static_cast<std::size_t>(frames))) {  // F-303
    return corrupt_seek_table(2724, table_offset, "checksum of the seek table does not match");
  }
  SeekTable decoded;
  decoded.offsets_.reserve(static_cast<std::size_t>(frames) + 1);
  decoded.checksums_.reserve(static_cast<std::size_t>(frames));
  auto at = behind + static_cast<std::size_t>(frames) * kChecksumBytes + kHeaderBytes;
  for (std::uint64_t frame = 0; frame < frames; ++frame, at += kEntryBytes) {
    const auto length = load<std::uint32_t>(table, at);
    if (length == 0 || length > kZstdFrameStoredBytesMax ||
        load<std::uint32_t>(table, at + 4) != content_of(frame, content_bytes)) {  // F-304
      return corrupt_seek_table(2725, table_offset + at, "frame length is impossible");
    }
    decoded.add(length, load<std::uint64_t>(
                            table, behind + static_cast<std::size_t>(frame) * kChecksumBytes));
  }
  if (decoded.offsets_.back() != table_offset) {  // F-304
    return corrupt_seek_table(2726, table_offset, "frame lengths do not add up to the extent");
  }
  return decoded;
}

}  // namespace dgfs::format
