// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/salvage/scan.h"

#include <algorithm>
#include <optional>

#include "format/coding.h"
#include "format/limits.h"
#include "format/page/header.h"

namespace dgfs::reader {
namespace {

using format::SectionKind;

constexpr std::size_t kScanWindowBytes = std::size_t{1} << 20;
constexpr std::uint64_t kNothing = 0;  // no bytes taken
constexpr std::size_t kScannedStoredOffset = 8;
constexpr std::size_t kDecodedBytesOffset = 12;
constexpr std::size_t kKindOffset = 16;
constexpr std::size_t kCodecOffset = 20;
constexpr std::size_t kReservedOffset = 21;

// Bytes of a file, with zeros for unreadable parts: zeros are never a piece.
class ScanWindow {
 public:
  explicit ScanWindow(const IndexRegion& region) : region_(region) {}

  // Bytes from `at` on: `length`, at most kScanWindowBytes, or fewer at the region's end.
  Bytes get(std::uint64_t at, std::size_t length) {
    length = static_cast<std::size_t>(
        std::min<std::uint64_t>(length, at < region_.end ? region_.end - at : 0));
    if (length == 0) return {};
    if (at < begin_ || at + length > begin_ + bytes_.size()) fill(at);
    const auto from = static_cast<std::size_t>(at - begin_);
    return Bytes(bytes_).subspan(from, std::min(length, bytes_.size() - from));
  }

 private:
  void fill(std::uint64_t at) {
    begin_ = at;
    bytes_.assign(
        static_cast<std::size_t>(std::min<std::uint64_t>(2 * kScanWindowBytes, region_.end - at)),
        0);
    if (storage::read_exactly(*region_.file, at, bytes_)) return;
    for (std::size_t from = 0; from < bytes_.size(); from += format::kPageBytes) {
      const auto piece = MutableBytes(bytes_).subspan(
          from, std::min<std::size_t>(format::kPageBytes, bytes_.size() - from));
      const auto read = region_.file->read_at(at + from, piece);
      const auto count = read ? read.assume_value() : 0;
      std::fill(piece.begin() + static_cast<std::ptrdiff_t>(count), piece.end(), std::uint8_t{0});
    }
  }

  const IndexRegion& region_;
  Buffer bytes_;
  std::uint64_t begin_ = 0;
};

bool may_be_block(Bytes header) {
  if (header.size() < format::kSealedBlockHeaderBytes) return false;
  const auto kind = static_cast<SectionKind>(format::load<std::uint32_t>(header, kKindOffset));
  const auto stored = format::load<std::uint32_t>(header, kScannedStoredOffset);
  const auto decoded = format::load<std::uint32_t>(header, kDecodedBytesOffset);
  return format::section_shape(kind) == format::SectionShape::kBlocks &&
         header[kCodecOffset] <= 1 &&
         std::all_of(header.begin() + kReservedOffset,
                     header.begin() + format::kSealedBlockHeaderBytes,
                     [](auto byte) { return byte == 0; }) &&
         stored <= decoded && decoded <= format::kSectionBlockBytesMax;
}

class RegionScan {
 public:
  RegionScan(const IndexRegion& region, const std::atomic<bool>* stop)
      : region_(region), stop_(stop), window_(region) {}

  Result<FoundPieces> run() {
    DGFS_CHECK(scan([this](auto at) { return take_page(at); },
                    [this](auto at) { return region_.has_contents ? kNothing : take_block(at); }));
    if (region_.has_contents && !found_.pages.empty()) {
      at_ = found_.pages.back().offset + format::kPageBytes;
      DGFS_CHECK(scan([](auto) { return kNothing; }, [this](auto at) { return take_block(at); }));
    }
    return std::move(found_);
  }

 private:
  template <class TakePage, class TakeBlock>
  Status scan(const TakePage& take_page, const TakeBlock& take_block) {
    at_ = std::max(at_, region_.begin);
    while (at_ < region_.end) {
      if (stop_ != nullptr && stop_->load()) {
        return Error(ErrorKind::kInterrupted, 3200, "interrupted");
      }
      // Bytes up to the next place of a page can only be blocks.
      const auto into_page = (at_ - region_.base) % format::kPageBytes;
      std::uint64_t taken = into_page == 0 ? take_page(at_) : 0;
      for (auto step = into_page; taken == 0 && step < format::kPageBytes; ++step) {
        taken = take_block(at_);
        if (taken == 0) ++at_;
      }
      at_ += taken;
    }
    return ok();
  }

  std::uint64_t take_page(std::uint64_t at) {
    const auto bytes = window_.get(at, format::kPageBytes);
    if (bytes.size() < format::kPageBytes) return 0;
    const auto header = format::read_page_header(bytes);
    if (!header) return 0;
    found_.pages.push_back({at, header.assume_value().checksum});
    return format::kPageBytes;
  }

  std::uint64_t take_block(std::uint64_t at) {
    const auto header = window_.get(at, format::kSealedBlockHeaderBytes);
    if (!may_be_block(header)) return 0;
    const auto kind = static_cast<SectionKind>(format::load<std::uint32_t>(header, kKindOffset));
    const auto length = format::kSealedBlockHeaderBytes +
                        std::uint64_t{format::load<std::uint32_t>(header, kScannedStoredOffset)};
    if (length > region_.end - at) return 0;
    Buffer apart;
    auto bytes = window_.get(
        at, static_cast<std::size_t>(std::min<std::uint64_t>(length, kScanWindowBytes)));
    if (bytes.size() < length) {
      apart.resize(static_cast<std::size_t>(length));
      if (!storage::read_exactly(*region_.file, at, apart)) return 0;
      bytes = apart;
    }
    if (!format::open_block(kind, bytes)) return 0;
    found_.blocks.push_back({kind, at, length, format::load<std::uint64_t>(bytes, 0)});
    return length;
  }

  const IndexRegion& region_;
  const std::atomic<bool>* stop_;
  ScanWindow window_;
  std::uint64_t at_ = 0;
  FoundPieces found_;
};

}  // namespace

Result<FoundPieces> scan_region(const IndexRegion& region, const std::atomic<bool>* stop) {
  return RegionScan(region, stop).run();
}

}  // namespace dgfs::reader
