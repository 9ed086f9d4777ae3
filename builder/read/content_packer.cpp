// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/content_packer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "format/coding.h"
#include "format/limits.h"

namespace dgfs::builder {
namespace {

using format::ExtentCodec;
using format::kChecksumBytes;
using format::kZstdFrameBytes;
using format::kZstdFrameStoredBytesMax;

// Tries parts of a larger file first, to avoid compressing all of it in vain.
constexpr std::size_t kPartBytes = std::size_t{16} << 10;
constexpr int kTrialLevel = 1;

// Compression must save at least a 32nd, because reading compressed files costs more.
std::size_t worthwhile_bytes(std::size_t content_bytes) {
  return content_bytes - content_bytes / 32 - (content_bytes == 0 ? 0 : 1);
}

}  // namespace

StoredExtent store_raw(Bytes content, MutableBytes out, std::vector<std::uint64_t>& checksums) {
  format::store_raw_extent(content, out);
  for (std::uint64_t i = 0; i < format::frame_count(ExtentCodec::kRaw, content.size()); ++i) {
    const auto at = static_cast<std::size_t>(format::raw_frame_offset(i));
    checksums.push_back(format::load<std::uint64_t>(out, at));
  }
  return {.codec = ExtentCodec::kRaw, .bytes = format::raw_extent_bytes(content.size())};
}

std::uint64_t packed_bytes_max(std::uint64_t content_bytes) {
  if (!format::has_seek_table(content_bytes)) return format::raw_extent_bytes(content_bytes);
  const auto frames = format::frame_count(ExtentCodec::kZstd, content_bytes);
  return frames * kZstdFrameStoredBytesMax + format::seek_table_bytes(frames);
}

class ContentPacker::Lease {
 public:
  explicit Lease(ContentPacker& packer) : packer_(packer) {
    std::unique_lock lock(packer_.mutex_);
    packer_.freed_.wait(lock, [&] { return !packer_.free_.empty(); });
    compressor_ = std::move(packer_.free_.back());
    packer_.free_.pop_back();
  }
  ~Lease() {
    const std::lock_guard lock(packer_.mutex_);
    packer_.free_.push_back(std::move(compressor_));  // never allocates
    packer_.freed_.notify_one();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  format::ZstdCompressor* operator->() const { return compressor_.get(); }

 private:
  ContentPacker& packer_;
  std::unique_ptr<format::ZstdCompressor> compressor_;
};

ContentPacker::ContentPacker(int level, const DictionarySet& dictionaries, unsigned at_a_time,
                             StopFlag stop)
    : level_(level), dictionaries_(dictionaries), stop_(stop) {
  for (unsigned i = 0; i < std::max(at_a_time, 1U); ++i) {
    free_.push_back(std::make_unique<format::ZstdCompressor>());
  }
}

Result<StoredExtent> ContentPacker::pack(const NamedPosition& file, Bytes content, MutableBytes out,
                                         std::vector<std::uint64_t>& checksums) {
  const bool is_large = format::has_seek_table(content.size());
  const auto chosen = is_large ? ChosenDictionary() : dictionaries_.choose(file, content);
  if (!chosen.is_by_name) {
    std::vector<Bytes> parts;
    for (const auto& part : parts_of(content.size())) {
      parts.push_back(content.subspan(static_cast<std::size_t>(part.begin), part.bytes));
    }
    if (!parts.empty()) {
      DGFS_TRY(compressible, pays(parts));
      if (!compressible) return store_raw(content, out, checksums);
    }
  }
  return is_large ? pack_large(content, out, checksums)
                  : pack_small(chosen.dictionary, content, out, checksums);
}

Result<StoredExtent> ContentPacker::pack_small(const format::ContentDictionary* dictionary,
                                               Bytes content, MutableBytes out,
                                               std::vector<std::uint64_t>& checksums) {
  const auto room = out.subspan(kChecksumBytes, worthwhile_bytes(content.size()));
  std::optional<std::size_t> bytes;
  {
    const Lease compressor(*this);
    DGFS_CHECK(stop_.check());
    DGFS_TRY(compressed, compressor->compress(content, level_, dictionary, room));
    bytes = compressed;
  }
  if (!bytes) return store_raw(content, out, checksums);
  checksums.push_back(format::frame_checksum(0, room.first(*bytes)));
  format::store(out, 0, checksums.back());
  return StoredExtent{.codec = ExtentCodec::kZstd, .bytes = kChecksumBytes + *bytes};
}

Result<std::optional<StoredExtent>> ContentPacker::pack_fragments(
    const NamedPosition& file, Bytes content, MutableBytes out,
    std::vector<std::uint64_t>& checksums) {
  const auto frames = checksums.size();
  const auto* dictionary = dictionaries_.choose(file, content).dictionary;
  DGFS_TRY(stored, pack_small(dictionary, content, out, checksums));
  if (stored.codec == ExtentCodec::kZstd) return std::optional(stored);
  checksums.resize(frames);
  return std::optional<StoredExtent>();
}

Result<StoredExtent> ContentPacker::pack_large(Bytes content, MutableBytes out,
                                               std::vector<std::uint64_t>& checksums) {
  format::SeekTable table;
  DGFS_CHECK(pack_frames(0, content, out, table));
  const auto frames_bytes = static_cast<std::size_t>(table.begin(table.frame_count()));
  Buffer encoded;
  table.encode(content.size(), encoded);
  std::copy(encoded.begin(), encoded.end(), out.subspan(frames_bytes).begin());
  for (std::uint64_t i = 0; i < table.frame_count(); ++i) checksums.push_back(table.checksum(i));
  return StoredExtent{.codec = ExtentCodec::kZstd, .bytes = frames_bytes + encoded.size()};
}

Status ContentPacker::pack_frames(std::uint64_t first_frame, Bytes content, MutableBytes out,
                                  format::SeekTable& frames) {
  const Lease compressor(*this);
  std::size_t at = 0;
  for (auto number = first_frame; !content.empty(); ++number) {
    DGFS_CHECK(stop_.check());
    const auto frame = content.first(std::min(content.size(), kZstdFrameBytes));
    DGFS_TRY(bytes, compressor->compress(frame, level_, nullptr,
                                         out.subspan(at, kZstdFrameStoredBytesMax)));
    if (!bytes) return Error(ErrorKind::kLimit, 4056, "zstd needs more room than it says");
    frames.add(*bytes, format::frame_checksum(number, out.subspan(at, *bytes)));
    at += *bytes;
    content = content.subspan(frame.size());
  }
  return ok();
}

std::vector<ContentPacker::Part> ContentPacker::parts_of(std::uint64_t content_bytes) {
  if (content_bytes <= 3 * kPartBytes) return {};
  return {
      {0, kPartBytes}, {content_bytes / 2, kPartBytes}, {content_bytes - kPartBytes, kPartBytes}};
}

Result<bool> ContentPacker::pays(const std::vector<Bytes>& parts) {
  std::array<std::uint8_t, kPartBytes> room;
  const Lease compressor(*this);
  for (const Bytes part : parts) {
    const auto wanted = MutableBytes(room).first(worthwhile_bytes(part.size()));
    DGFS_TRY(bytes, compressor->compress(part, kTrialLevel, nullptr, wanted));
    if (bytes) return true;
  }
  return false;
}

}  // namespace dgfs::builder
