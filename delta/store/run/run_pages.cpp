// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/run_pages.h"

#include <algorithm>
#include <utility>

#include "delta/store/disk/block_file.h"
#include "delta/store/disk/decode_error.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/run/run_cuts.h"
#include "format/checksum.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

// Lower codecs are those of delta/store/disk/block_codec.h.
constexpr std::uint8_t kPaged = 2;

// The node also holds the low key of each page, unabbreviated. For long keys with long common
// prefixes these low keys could take as much as the run; then pages are longer.
constexpr std::size_t kLowsShare = 16;

std::size_t bytes_of_lows(const std::vector<RunCut>& cuts) {
  std::size_t bytes = 0;
  for (const RunCut& cut : cuts) bytes += cut.low.size();
  return bytes;
}

// All pages have about the same length.
std::vector<RunCut> page_cuts(const Run& run, std::size_t page_bytes) {
  for (auto count = run.size_bytes() / page_bytes; count > 1; count /= 2) {
    auto cuts = cuts_of(run, run.size_bytes() / count);
    if (bytes_of_lows(cuts) <= run.size_bytes() / kLowsShare) return cuts;
  }
  return {};
}

// Reads the pages of a block one after the other. Takes no memory in advance, whatever number of
// pages the block states.
class StoredPages {
 public:
  [[nodiscard]] static Result<StoredPages> make(Bytes stored) {
    Decoder in(stored.subspan(1));
    DGFS_TRY(count, in.varint_up_to(in.remaining()));
    const Decoder lengths = in;
    for (std::uint64_t i = 0; i < count; ++i) {
      DGFS_CHECK(in.varint());
    }
    return StoredPages(static_cast<std::size_t>(count), lengths, in);
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] Result<Bytes> next() {
    DGFS_TRY(length, lengths_.varint());
    return pages_.raw(length);
  }
  /// kCorrupt unless the pages fill the block.
  [[nodiscard]] Status finish() const { return pages_.finish(); }

 private:
  StoredPages(std::size_t count, const Decoder& lengths, const Decoder& pages)
      : count_(count), lengths_(lengths), pages_(pages) {}

  std::size_t count_;
  Decoder lengths_;
  Decoder pages_;
};

// The most memory of a page, or of the first pages together, of a run that takes `bytes`.
std::size_t with_clipped(std::size_t bytes) {
  return bytes + std::min(kClippedBytesMax, SIZE_MAX - bytes);
}

// The most bytes to which a run of this memory, or one of its pages, is encoded: no message takes
// more bytes than memory.
std::size_t encoded_bytes_max(std::size_t size_bytes_max) {
  constexpr std::size_t kCountsBytes = 20;  // two varints
  constexpr auto kSlackBytes = kCountsBytes + kClippedBytesMax;
  return std::min(size_bytes_max, kCompressedBlockBytesMax - kSlackBytes) + kSlackBytes;
}

}  // namespace

RunPages::RunPages(const std::vector<Page>& pages) {
  entries_.reserve(pages.size());
  for (const Page& page : pages) {
    add(page.low, {page.offset_bytes, page.checksum, 0, page.has_tombstones});
    end_bytes_ = page.offset_bytes + page.length_bytes;
  }
}

void RunPages::add(std::string_view low, const Entry& entry) {
  lows_ += low;
  entries_.push_back(entry);
  entries_.back().low_end = static_cast<std::uint32_t>(lows_.size());
}

std::string_view RunPages::low(std::size_t page) const {
  const std::size_t begin = page == 0 ? 0 : entries_[page - 1].low_end;
  return std::string_view(lows_).substr(begin, entries_[page].low_end - begin);
}

RunPages::Page RunPages::operator[](std::size_t page) const {
  const Entry& entry = entries_[page];
  return {std::string(low(page)), entry.offset_bytes, end_bytes(page) - entry.offset_bytes,
          entry.checksum, entry.has_tombstones};
}

std::size_t RunPages::find(std::string_view key) const {
  const auto behind =
      std::upper_bound(entries_.begin() + 1, entries_.end(), key,
                       [this](std::string_view wanted, const Entry& entry) {
                         return wanted < low(static_cast<std::size_t>(&entry - entries_.data()));
                       });
  return static_cast<std::size_t>(behind - entries_.begin()) - 1;
}

std::size_t RunPages::find_before(const KeyEnd& end) const {
  if (!end) return size() - 1;
  const auto at = find(*end);
  return at > 0 && low(at) == *end ? at - 1 : at;
}

KeyRange RunPages::range(std::size_t page) const {
  return {std::string(low(page)),
          page + 1 == size() ? KeyEnd() : KeyEnd(std::string(low(page + 1)))};
}

std::size_t RunPages::size_bytes() const { return entries_.size() * sizeof(Entry) + lows_.size(); }

void RunPages::encode(Encoder& out) const {
  out.varint(size());
  if (empty()) return;
  out.varint(entries_.front().offset_bytes);
  for (std::size_t i = 0; i < size(); ++i) {
    const Entry& entry = entries_[i];
    if (i > 0) out.string(low(i));
    out.varint((end_bytes(i) - entry.offset_bytes) << 1 | (entry.has_tombstones ? 1 : 0));
    out.fixed(entry.checksum);
  }
}

Result<RunPages> RunPages::decode(Decoder& in, std::uint64_t block_bytes) {
  constexpr std::size_t kEncodedPageBytesMin = 9;
  DGFS_TRY(count, in.varint_up_to(in.remaining() / kEncodedPageBytesMin));
  if (count == 0) return RunPages();
  if (count == 1) return corrupt(7052, in, "a run of one page");
  RunPages pages;
  pages.entries_.reserve(static_cast<std::size_t>(count));
  DGFS_TRY(offset, in.varint_up_to(block_bytes));
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string_view low;
    if (i > 0) {
      DGFS_TRY(read_low, in.string(kKeyBytesMax));
      if (read_low <= pages.low(pages.size() - 1)) {
        return corrupt(7053, in, "pages of a run out of order");
      }
      low = read_low;
    }
    DGFS_TRY(length, in.varint_up_to((block_bytes - offset) << 1 | 1));
    DGFS_TRY(checksum, in.fixed<std::uint64_t>());
    pages.add(low, {offset, checksum, 0, (length & 1) != 0});
    offset += length >> 1;
  }
  pages.end_bytes_ = offset;
  pages.lows_.shrink_to_fit();
  return pages;
}

Result<RunPages> pack_run(const Run& run, std::size_t page_bytes, BlockPacker& packer,
                          Buffer& stored) {
  stored.clear();
  Buffer encoded;
  const auto cuts = page_cuts(run, page_bytes);
  if (cuts.empty()) {
    run.encode(encoded);
    DGFS_TRY(block, packer.pack(encoded));
    stored.assign(block.begin(), block.end());
    return RunPages();
  }
  std::vector<RunPages::Page> pages;
  Buffer body;
  RunCut begin;
  // The pages together are compressed only up to the limit of one block, so that no block of a run
  // needs more memory than that.
  std::size_t compressed_left = kCompressedBlockBytesMax;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const bool is_last = i == cuts.size();
    const auto end = is_last ? run.size() : cuts[i].point;
    const auto tombstones =
        run.tombstones().clipped({begin.low, is_last ? KeyEnd() : KeyEnd(cuts[i].low)});
    encoded.clear();
    run.encode_page(begin.point, end, tombstones, encoded);
    DGFS_TRY(page, packer.pack(encoded, compressed_left));
    compressed_left -= std::min(compressed_left, encoded.size());
    pages.push_back({std::move(begin.low), body.size(), page.size(), format::checksum64(page),
                     !tombstones.empty()});
    body.insert(body.end(), page.begin(), page.end());
    if (!is_last) begin = cuts[i];
  }
  Encoder out(stored);
  out.fixed(kPaged);
  out.varint(pages.size());
  for (const auto& page : pages) out.varint(page.length_bytes);
  for (auto& page : pages) page.offset_bytes += stored.size();
  out.raw(body);
  return RunPages(pages);
}

Result<RunRef> Run::unpack(Bytes stored, std::size_t size_bytes_max) {
  Buffer room;
  const auto encoded_max = encoded_bytes_max(size_bytes_max);
  if (stored.empty() || stored.front() != kPaged) {
    DGFS_TRY(block, unpack_block(stored, room, encoded_max));
    return Run::decode(block, size_bytes_max);
  }
  DGFS_TRY(pages, StoredPages::make(stored));
  RunBuilder points;
  RangeTombstones tombstones;
  std::size_t room_left = kCompressedBlockBytesMax;
  for (std::size_t i = 0; i < pages.count(); ++i) {
    DGFS_TRY(page, pages.next());
    DGFS_TRY(block, unpack_block(page, room, std::min(room_left, encoded_max)));
    room_left -= room.size();
    DGFS_CHECK(decode_page(block, pages.count(), with_clipped(size_bytes_max), points, tombstones));
  }
  DGFS_CHECK(pages.finish());
  if (points.size_bytes() + tombstones.size_bytes() > size_bytes_max) {
    return Error(ErrorKind::kCorrupt, 7011, "pages take more memory than announced");
  }
  return whole(points, std::move(tombstones));
}

Result<RunRef> unpack_page(Bytes page, std::size_t run_bytes) {
  return Run::unpack(page, with_clipped(run_bytes));
}

}  // namespace dgfs::delta
