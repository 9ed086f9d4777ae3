// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/header/section.h"

#include <string>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/zstd/frame.h"

namespace dgfs::format {
namespace {

// All sections together are small beside data and pages, and are read far more often than written.
constexpr int kSectionZstdLevel = 15;
constexpr std::uint8_t kCodecRaw = 0;
constexpr std::uint8_t kCodecZstd = 1;

Error corrupt(SectionKind kind, std::uint16_t code, std::size_t offset, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text))
      .in_section(section_name(kind))
      .at_offset(offset);
}

SealedBlockHeader load_header(Bytes bytes) {
  SealedBlockHeader header;
  header.checksum = load<std::uint64_t>(bytes, 0);
  header.stored_bytes = load<std::uint32_t>(bytes, 8);
  header.decoded_bytes = load<std::uint32_t>(bytes, 12);
  header.kind = load<std::uint32_t>(bytes, 16);
  header.codec = bytes[20];
  for (std::size_t i = 0; i < sizeof header.reserved; ++i) header.reserved[i] = bytes[21 + i];
  return header;
}

// F-041, F-042: checks that do not need the body.
Status check_header(SectionKind kind, const SealedBlockHeader& header, std::size_t bytes_left) {
  if (header.stored_bytes > bytes_left) {
    return corrupt(kind, 2501, 8, "block is longer than its section");
  }
  if (header.decoded_bytes > kSectionBlockBytesMax) {
    return corrupt(kind, 2502, 12, "block decodes to more than 16 MiB");
  }
  if (header.kind != static_cast<std::uint32_t>(kind)) {
    return corrupt(kind, 2503, 16, "block belongs to section " + std::to_string(header.kind));
  }
  if (header.codec > kCodecZstd) {
    return corrupt(kind, 2504, 20, "unknown block codec " + std::to_string(header.codec));
  }
  if ((header.reserved[0] | header.reserved[1] | header.reserved[2]) != 0) {
    return corrupt(kind, 2505, 21, "reserved bytes are not zero");
  }
  const bool sizes_agree = header.codec == kCodecRaw ? header.stored_bytes == header.decoded_bytes
                                                     : header.stored_bytes < header.decoded_bytes;
  if (!sizes_agree) return corrupt(kind, 2506, 8, "stored and decoded length contradict the codec");
  return ok();
}

// F-043: no two records of an index have the same seed, since no section reaches 2^56 bytes.
std::uint64_t record_seed(SectionKind kind, std::uint64_t offset_bytes) {
  return offset_bytes << 8 | static_cast<std::uint64_t>(kind);
}

// Stores the body raw if compression fails or does not help.
std::uint8_t compress_if_smaller(Bytes body, Buffer& out) {
  const auto begin = out.size();
  ZstdCompressor compressor;
  if (compressor.append(body, kSectionZstdLevel, out) && out.size() - begin < body.size()) {
    return kCodecZstd;
  }
  out.resize(begin);
  out.insert(out.end(), body.begin(), body.end());
  return kCodecRaw;
}

}  // namespace

void seal_block(SectionKind kind, Bytes body, Buffer& out) {
  const auto begin = out.size();
  out.resize(begin + kSealedBlockHeaderBytes);
  const auto codec = compress_if_smaller(body, out);
  const MutableBytes block(out.data() + begin, out.size() - begin);
  store(block, 8, static_cast<std::uint32_t>(block.size() - kSealedBlockHeaderBytes));
  store(block, 12, static_cast<std::uint32_t>(body.size()));
  store(block, 16, static_cast<std::uint32_t>(kind));
  store(block, 20, codec);
  store(block, 0, checksum64(block.subspan(8), static_cast<std::uint64_t>(kind)));
}

Result<OpenedBlock> open_block(SectionKind kind, Bytes bytes) {
  if (bytes.size() < kSealedBlockHeaderBytes) {
    return corrupt(kind, 2500, 0, "section ends inside a block header");
  }
  const auto header = load_header(bytes);
  DGFS_CHECK(check_header(kind, header, bytes.size() - kSealedBlockHeaderBytes));
  const auto block = bytes.first(kSealedBlockHeaderBytes + header.stored_bytes);
  if (checksum64(block.subspan(8), static_cast<std::uint64_t>(kind)) != header.checksum) {  // F-040
    return corrupt(kind, 2507, 0, "block checksum does not match");
  }
  const auto stored = block.subspan(kSealedBlockHeaderBytes);
  OpenedBlock opened{Buffer(header.decoded_bytes), block.size()};
  if (header.codec == kCodecRaw) {
    opened.body.assign(stored.begin(), stored.end());
    return opened;
  }
  DGFS_CHECK(in_section(kind, decompress_zstd_frame(stored, opened.body)));
  return opened;
}

Buffer seal_record(SectionKind kind, std::uint64_t offset_bytes, Bytes body) {
  Buffer record;
  record.reserve(kRecordChecksumBytes + body.size());
  Encoder encoder(record);
  encoder.fixed(checksum64(body, record_seed(kind, offset_bytes)));
  encoder.raw(body);
  return record;
}

Result<Bytes> open_record(SectionKind kind, std::uint64_t offset_bytes, Bytes record) {
  if (record.size() < kRecordChecksumBytes) {
    return corrupt(kind, 2508, 0, "record is shorter than its checksum");
  }
  const auto body = record.subspan(kRecordChecksumBytes);
  if (checksum64(body, record_seed(kind, offset_bytes)) != load<std::uint64_t>(record, 0)) {
    return corrupt(kind, 2509, 0, "record checksum does not match");  // F-043
  }
  return body;
}

}  // namespace dgfs::format
