// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/extent.h"

#include <zstd.h>

#include <algorithm>
#include <limits>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/zstd_frame.h"

namespace dgfs::format {
namespace {

static_assert(kZstdFrameStoredBytesMax == kChecksumBytes + ZSTD_COMPRESSBOUND(kFrameBytes));

Error corrupt(std::uint16_t code, std::uint64_t offset, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text)).in_section("extent").at_offset(offset);
}

void store_at(Buffer& out, std::size_t offset, std::uint64_t value) {
  store(MutableBytes(out), offset, value);
}

// Calls `append(frame content)` for each frame and puts the checksum before what it appended.
template <class Append>
Status append_frames(Bytes content, Buffer& out, Append append) {
  for (std::uint64_t frame = 0; frame < frame_count(content.size()); ++frame) {
    const auto begin = static_cast<std::size_t>(frame) * kFrameBytes;
    const auto at = out.size();
    out.resize(at + kChecksumBytes);
    DGFS_CHECK(append(content.subspan(begin, std::min(kFrameBytes, content.size() - begin))));
    store_at(out, at, frame_checksum(frame, Bytes(out).subspan(at + kChecksumBytes)));
  }
  return ok();
}

// Seeded with the number of frames, which no frame of the extent has.
std::uint64_t trailer_checksum(std::uint64_t frames, Bytes lengths) {
  return checksum64(lengths, frames);
}

void append_trailer(const std::vector<std::uint32_t>& lengths, Buffer& out) {
  if (lengths.size() < 2) return;
  const auto begin = out.size();
  Encoder encoder(out);
  for (const auto length : lengths) encoder.fixed(length);
  encoder.fixed(trailer_checksum(lengths.size(), Bytes(out).subspan(begin)));
}

}  // namespace

std::uint64_t raw_content_bytes(std::uint64_t stored_bytes) {
  constexpr std::uint64_t kStoredFrameBytes = kFrameBytes + kChecksumBytes;
  const auto full = stored_bytes / kStoredFrameBytes * kFrameBytes;
  const auto rest = stored_bytes % kStoredFrameBytes;
  if (rest == 0) return full;
  if (rest <= kChecksumBytes) return std::numeric_limits<std::uint64_t>::max();
  return full + rest - kChecksumBytes;
}

std::uint64_t frame_checksum(std::uint64_t frame, Bytes stored) noexcept {
  return checksum64(stored, frame);
}

void append_raw_extent(Bytes content, Buffer& out) {
  const auto copied = append_frames(content, out, [&](Bytes frame) -> Status {
    out.insert(out.end(), frame.begin(), frame.end());
    return ok();
  });
  static_cast<void>(copied);  // copying has no failures
}

Status append_zstd_extent(Bytes content, int level, Buffer& out) {
  // One compressor an extent: its bytes then depend on the content alone, whatever was packed
  // before on the same thread.
  ZstdCompressor compressor;
  std::vector<std::uint32_t> lengths;
  DGFS_CHECK(append_frames(content, out, [&](Bytes frame) -> Status {
    const auto begin = out.size();
    DGFS_CHECK(compressor.append(frame, level, out));
    lengths.push_back(static_cast<std::uint32_t>(out.size() - begin + kChecksumBytes));
    return ok();
  }));
  append_trailer(lengths, out);
  return ok();
}

Status open_frame(ExtentCodec codec, std::uint64_t frame, Bytes stored, MutableBytes out) {
  if (stored.size() >= kChecksumBytes && frame_checksum(frame, stored.subspan(kChecksumBytes)) !=
                                             load<std::uint64_t>(stored, 0)) {  // F-300
    return corrupt(2721, 0, "checksum of frame " + std::to_string(frame) + " does not match");
  }
  return open_frame_unchecked(codec, frame, stored, out);
}

Status open_frame_unchecked(ExtentCodec codec, std::uint64_t frame, Bytes stored,
                            MutableBytes out) {
  if (stored.size() < kChecksumBytes || out.empty() || out.size() > kFrameBytes) {
    return corrupt(2720, 0, "frame has an impossible length");  // F-301
  }
  const auto payload = stored.subspan(kChecksumBytes);
  if (codec == ExtentCodec::kZstd) {
    auto status = decompress_zstd_frame(payload, out);
    if (!status) return std::move(status).assume_error().in_section("extent");
    return ok();
  }
  if (codec != ExtentCodec::kRaw || payload.size() != out.size()) {
    return corrupt(2722, 0, "frame " + std::to_string(frame) + " has the wrong length");  // F-301
  }
  std::copy(payload.begin(), payload.end(), out.begin());
  return ok();
}

Result<std::vector<std::uint64_t>> zstd_frame_offsets(Bytes trailer, std::uint64_t frames,
                                                      std::uint64_t stored_bytes) {
  if (frames < 2 || trailer.size() < kChecksumBytes || trailer.size() > stored_bytes ||
      (trailer.size() - kChecksumBytes) / 4 != frames || trailer.size() % 4 != 0) {
    return corrupt(2723, 0, "frame table has an impossible length");
  }
  const auto table_offset = stored_bytes - trailer.size();
  const auto lengths = trailer.first(trailer.size() - kChecksumBytes);
  if (trailer_checksum(frames, lengths) != load<std::uint64_t>(trailer, lengths.size())) {  // F-303
    return corrupt(2724, table_offset, "checksum of the frame table does not match");
  }
  std::vector<std::uint64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(frames) + 1);
  offsets.push_back(0);
  for (std::size_t at = 0; at < lengths.size(); at += 4) {
    const auto length = load<std::uint32_t>(lengths, at);
    if (length <= kChecksumBytes || length > kZstdFrameStoredBytesMax) {  // F-304
      return corrupt(2725, table_offset + at, "frame length is impossible");
    }
    offsets.push_back(offsets.back() + length);
  }
  if (offsets.back() != table_offset) {  // F-304
    return corrupt(2726, table_offset, "frame lengths do not add up to the extent");
  }
  return offsets;
}

}  // namespace dgfs::format
