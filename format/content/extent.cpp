// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/content/extent.h"

#include <zstd.h>

#include <algorithm>
#include <string>

#include "format/checksum.h"
#include "format/coding.h"
#include "format/content/seek_table.h"
#include "format/zstd/frame.h"

namespace dgfs::format {
namespace {

static_assert(kZstdFrameStoredBytesMax == ZSTD_COMPRESSBOUND(kZstdFrameBytes));

Error corrupt_extent(std::uint16_t code, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text)).in_section("extent").at_offset(0);
}

Bytes content_of_frame(Bytes content, std::uint64_t frame, std::size_t frame_bytes) {
  const auto begin = static_cast<std::size_t>(frame) * frame_bytes;
  return content.subspan(begin, std::min(frame_bytes, content.size() - begin));
}

Status check_frame(std::uint64_t frame, Bytes stored, std::uint64_t checksum) {
  if (frame_checksum(frame, stored) == checksum) return ok();  // F-300
  return corrupt_extent(2721, "checksum of frame " + std::to_string(frame) + " does not match");
}

Status decompress(Bytes frame, MutableBytes out, const FrameOptions& options) {
  auto status = decompress_zstd_frame(frame, out, options.dictionaries);
  if (!status) return std::move(status).assume_error().in_section("extent");
  return ok();
}

}  // namespace

void store_raw_extent(Bytes content, MutableBytes out) {
  for (std::uint64_t i = 0; i < frame_count(ExtentCodec::kRaw, content.size()); ++i) {
    const auto frame = content_of_frame(content, i, kFrameBytes);
    const auto at = static_cast<std::size_t>(raw_frame_offset(i));
    store(out, at, frame_checksum(i, frame));
    std::copy(frame.begin(), frame.end(), out.subspan(at + kChecksumBytes).begin());
  }
}

void append_raw_extent(Bytes content, Buffer& out) {
  const auto begin = out.size();
  out.resize(begin + static_cast<std::size_t>(raw_extent_bytes(content.size())));
  store_raw_extent(content, MutableBytes(out).subspan(begin));
}

Status append_zstd_extent(Bytes content, int level, Buffer& out,
                          const ContentDictionary* dictionary) {
  const auto frames = frame_count(ExtentCodec::kZstd, content.size());
  if (frames > kZstdFramesMax) {  // F-305
    return Error(ErrorKind::kLimit, 2727, "too much content to compress");
  }
  ZstdCompressor compressor;
  SeekTable table;
  for (std::uint64_t i = 0; i < frames; ++i) {
    const auto begin = out.size();
    if (frames == 1) out.resize(begin + kChecksumBytes);
    const auto frame = content_of_frame(content, i, kZstdFrameBytes);
    DGFS_CHECK(compressor.append(frame, level, out, frames == 1 ? dictionary : nullptr));
    if (frames > 1) {
      table.add(Bytes(out).subspan(begin));
    } else {
      store(MutableBytes(out), begin,
            frame_checksum(i, Bytes(out).subspan(begin + kChecksumBytes)));
    }
  }
  if (frames > 1) table.encode(content.size(), out);
  return ok();
}

Status open_frame(ExtentCodec codec, std::uint64_t frame, Bytes stored, MutableBytes out,
                  const FrameOptions& options) {
  if (stored.size() < kChecksumBytes || out.empty() || out.size() > frame_bytes(codec)) {
    return corrupt_extent(2720, "frame has an impossible length");  // F-301
  }
  const auto payload = stored.subspan(kChecksumBytes);
  if (options.checked) {
    DGFS_CHECK(check_frame(frame, payload, load<std::uint64_t>(stored, 0)));
  }
  if (codec == ExtentCodec::kZstd) return decompress(payload, out, options);
  if (codec != ExtentCodec::kRaw || payload.size() != out.size()) {
    return corrupt_extent(2722,
                          "frame " + std::to_string(frame) + " has the wrong length");  // F-301
  }
  std::copy(payload.begin(), payload.end(), out.begin());
  return ok();
}

Result<Buffer> open_fragment_frame(Bytes stored, const FrameOptions& options) {
  if (stored.size() <= kChecksumBytes) {
    return corrupt_extent(2728, "fragment frame has an impossible length");
  }
  // Verified before any byte of the frame's header is used.
  if (options.checked) {
    DGFS_CHECK(check_frame(0, stored.subspan(kChecksumBytes), load<std::uint64_t>(stored, 0)));
  }
  const auto frame = stored.subspan(kChecksumBytes);
  const auto bytes = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (bytes == 0 || bytes > kFragmentFrameBytesMax) {  // zstd's two error values are large numbers
    return corrupt_extent(2729, "fragment frame does not say a length within its bounds");
  }
  Buffer content(static_cast<std::size_t>(bytes));
  DGFS_CHECK(decompress(frame, content, options));
  return content;
}

Status open_listed_frame(std::uint64_t frame, Bytes stored, std::uint64_t checksum,
                         MutableBytes out, const FrameOptions& options) {
  if (options.checked) {
    DGFS_CHECK(check_frame(frame, stored, checksum));
  }
  return decompress(stored, out, options);
}

}  // namespace dgfs::format
