// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/check/index_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "format/header/section.h"
#include "format/limits.h"
#include "format/section/side_refs.h"
#include "reader/index/section_blocks.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

using format::SectionKind;
using format::SectionShape;

constexpr std::uint64_t kPieceChunkBytes = std::uint64_t{64} << 10;

Error at_place(const IndexCopy& copy, SectionKind kind, std::uint64_t offset, const Error& error) {
  const auto* name = kind == SectionKind::kNone ? "unused bytes" : format::section_name(kind);
  return placed(Error(error.kind(), error.code(), error.text()), copy.path(), name,
                copy.base_bytes() + offset);
}

class PieceWalk {
 public:
  PieceWalk(std::span<const IndexCopy* const> copies, const IndexTables& tables,
            PieceVisitor& visitor, const std::atomic<bool>* stop)
      : copies_(copies),
        tables_(tables),
        visitor_(visitor),
        stop_(stop),
        superblock_(copies.front()->superblock()) {}

  Status run() {
    DGFS_CHECK(visit_superblock());
    std::vector<format::SectionPlace> places;
    for (const auto& place : superblock_.sections) {
      if (place.length_bytes != 0) places.push_back(place);
    }
    std::sort(places.begin(), places.end(),
              [](const auto& a, const auto& b) { return a.offset_bytes < b.offset_bytes; });
    std::uint64_t end = format::kPageBytes;
    for (const auto& place : places) {
      DGFS_CHECK(visit_zeros(end, place.offset_bytes));
      DGFS_CHECK(visit_section(place));
      end = place.offset_bytes + place.length_bytes;
    }
    DGFS_CHECK(visit_zeros(end, superblock_.index_bytes));
    return visit_records();
  }

 private:
  // Checks the bytes of a piece.
  using Check = std::function<Status(Bytes bytes)>;

  [[nodiscard]] Status check_stop() const {
    if (stop_ == nullptr || !stop_->load()) return ok();
    return Error(ErrorKind::kInterrupted, 3171, "interrupted");
  }

  // Checks a piece in each copy. A copy that fails is reported as damaged if the other passes, else
  // the piece is reported as lost.
  Status visit(SectionKind kind, std::uint64_t offset, std::size_t length, const Check& check) {
    std::optional<Buffer> intact;
    std::vector<std::pair<std::size_t, Error>> failures;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      Buffer bytes(length);
      auto status = copies_[i]->read_section(SectionKind::kNone, offset, bytes);
      if (status) status = check(bytes);
      if (!status) {
        failures.emplace_back(i, at_place(*copies_[i], kind, offset, status.assume_error()));
      } else if (!intact) {
        intact = std::move(bytes);
      } else if (*intact != bytes) {
        const Error differ(ErrorKind::kCorrupt, 3172, "intact in both copies, but not the same");
        visitor_.lost(at_place(*copies_[i], kind, offset, differ));
        return ok();
      }
    }
    if (!intact) {
      visitor_.lost(failures.front().second);
      return ok();
    }
    for (const auto& [copy, error] : failures) visitor_.damaged(copy, offset, length, error);
    return visitor_.intact(offset, *intact);
  }

  Status visit_superblock() {
    return visit(SectionKind::kNone, 0, format::kPageBytes, [&](Bytes bytes) -> Status {
      DGFS_TRY(decoded, format::decode_superblock(bytes));
      if (decoded == superblock_) return ok();
      return Error(ErrorKind::kCorrupt, 3173, "a different superblock");
    });
  }

  Status visit_zeros(std::uint64_t begin, std::uint64_t end) {  // F-027
    for (; begin < end; begin += std::min(kPieceChunkBytes, end - begin)) {
      const auto length = static_cast<std::size_t>(std::min(kPieceChunkBytes, end - begin));
      DGFS_CHECK(visit(SectionKind::kNone, begin, length, [](Bytes bytes) -> Status {
        if (std::all_of(bytes.begin(), bytes.end(), [](auto byte) { return byte == 0; })) {
          return ok();
        }
        return Error(ErrorKind::kCorrupt, 3174, "not zero");
      }));
    }
    return ok();
  }

  Status visit_section(const format::SectionPlace& place) {
    switch (format::section_shape(place.kind)) {
      case SectionShape::kPages:
        return visit_pages(place);
      case SectionShape::kBlocks:
        return visit_blocks(place);
      case SectionShape::kRecords:
        return visit_record_bytes(place);
      case SectionShape::kRecordPages:
        return visit_record_pages(place);
      case SectionShape::kNone:
        break;
    }
    return ok();
  }

  Status visit_pages(const format::SectionPlace& place) {
    for (std::size_t page = 0; page < tables_.pages.size(); ++page) {
      DGFS_CHECK(check_stop());
      const auto expected = tables_.pages.record(page).checksum;
      DGFS_CHECK(visit(place.kind, place.offset_bytes + page * format::kPageBytes,
                       format::kPageBytes, [&](Bytes bytes) -> Status {
                         DGFS_TRY(header, format::read_page_header(bytes));
                         if (header.checksum == expected) return ok();
                         return Error(ErrorKind::kCorrupt, 3175, "a page from another place");
                       }));
    }
    return ok();
  }

  // F-336
  Status visit_record_pages(const format::SectionPlace& place) {
    for (std::uint64_t at = 0; at < place.length_bytes; at += format::kPageBytes) {
      DGFS_CHECK(check_stop());
      const auto length = std::min<std::uint64_t>(format::kPageBytes, place.length_bytes - at);
      DGFS_CHECK(visit(place.kind, place.offset_bytes + at, static_cast<std::size_t>(length),
                       [&](Bytes bytes) -> Status {
                         DGFS_CHECK(format::open_record(place.kind, at, bytes));
                         return ok();
                       }));
    }
    return ok();
  }

  // The walk of a section ends at a block that is lost in both copies: its length, and so the place
  // of the next block, are unknown.
  Status visit_blocks(const format::SectionPlace& place) {
    for (std::uint64_t at = 0; at < place.length_bytes;) {
      DGFS_CHECK(check_stop());
      std::size_t length = 0;
      std::optional<Error> failure;
      for (const auto* copy : copies_) {
        const auto block = read_block(*copy, place.kind, at);
        if (block) length = block.assume_value().consumed_bytes;
        if (!block && !failure) failure = block.assume_error();
      }
      if (length == 0) {
        visitor_.lost(*failure);
        return ok();
      }
      DGFS_CHECK(visit(place.kind, place.offset_bytes + at, length, [&](Bytes bytes) -> Status {
        DGFS_CHECK(format::open_block(place.kind, bytes));
        return ok();
      }));
      at += length;
    }
    return ok();
  }

  // Passes the bytes on unchecked. visit_records() checks the records in them at the end, because
  // only the pages tell where the records are.
  Status visit_record_bytes(const format::SectionPlace& place) {
    Buffer bytes;
    for (std::uint64_t at = 0; at < place.length_bytes; at += kPieceChunkBytes) {
      bytes.resize(static_cast<std::size_t>(std::min(kPieceChunkBytes, place.length_bytes - at)));
      for (const auto* copy : copies_) {
        if (!copy->read_section(place.kind, at, bytes)) continue;
        DGFS_CHECK(visitor_.intact(place.offset_bytes + at, bytes));
        break;
      }
    }
    return ok();
  }

  Status visit_records() {
    const bool none = std::ranges::none_of(format::kSideRefs, [this](const auto& side) {
      return superblock_.section(side.kind).length_bytes != 0;
    });
    for (std::size_t page = 0; !none && page < tables_.pages.size(); ++page) {
      DGFS_CHECK(check_stop());
      const auto rows = rows_of(page);
      for (std::size_t i = 0; rows && i < rows->size(); ++i) {
        const auto entry = rows->entry(i);
        for (const auto& side : format::kSideRefs) {
          DGFS_CHECK(visit_record(side.kind, entry.*side.ref));
        }
      }
    }
    return ok();
  }

  // Null for a page that is lost in all copies; visit_pages() has reported it.
  [[nodiscard]] std::shared_ptr<const format::DecodedPage> rows_of(std::size_t page) const {
    Buffer bytes(format::kPageBytes);
    for (const auto* copy : copies_) {
      if (!copy->read_page(page, bytes)) continue;
      auto rows = format::decode_page(bytes, tables_.dictionaries);
      if (rows) return std::move(rows).assume_value();
    }
    return nullptr;
  }

  Status visit_record(SectionKind kind, const format::SideRef& ref) {
    const auto& place = superblock_.section(kind);
    const bool inside = ref.length_bytes <= place.length_bytes &&
                        ref.offset_bytes <= place.length_bytes - ref.length_bytes;
    if (!ref.present() || !inside) return ok();  // a record outside its section cannot be mended
    if (!seen_[static_cast<std::size_t>(kind)].insert(ref.offset_bytes).second) return ok();
    return visit(kind, place.offset_bytes + ref.offset_bytes, ref.length_bytes,
                 [&](Bytes bytes) -> Status {
                   DGFS_CHECK(format::open_record(kind, ref.offset_bytes, bytes));
                   return ok();
                 });
  }

  std::span<const IndexCopy* const> copies_;
  const IndexTables& tables_;
  PieceVisitor& visitor_;
  const std::atomic<bool>* stop_;
  const format::Superblock& superblock_;
  std::array<std::unordered_set<std::uint64_t>, format::kSectionKinds> seen_;
};

}  // namespace

Status visit_pieces(std::span<const IndexCopy* const> copies, const IndexTables& tables,
                    PieceVisitor& visitor, const std::atomic<bool>* stop) {
  return PieceWalk(copies, tables, visitor, stop).run();
}

}  // namespace dgfs::reader
