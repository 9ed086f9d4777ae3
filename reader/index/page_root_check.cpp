// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/page_root_check.h"

#include <fmt/format.h>

#include "format/page/root.h"
#include "reader/index/section_blocks.h"

namespace dgfs::reader {
namespace {

using format::PageDirectory;
using format::PageRootRow;
using format::SectionKind;

Error not_covering() { return Error(ErrorKind::kCorrupt, 3018, "does not cover the pages"); }

class PageRootCheck {
 public:
  PageRootCheck(const IndexCopy& copy, const PageDirectory& pages) : copy_(copy), pages_(pages) {}

  [[nodiscard]] Status check_block(Bytes body) {
    DGFS_TRY(rows, format::decode_page_root(body));
    for (const auto& row : rows) {
      DGFS_CHECK(check_row(row));
      next_page_ += row.page_count;
      next_offset_ += row.length_bytes;
    }
    return ok();
  }
  [[nodiscard]] bool covers_all() const {
    return next_page_ == pages_.size() &&
           next_offset_ == copy_.superblock().section(SectionKind::kPageDirectory).length_bytes;
  }

 private:
  [[nodiscard]] Status check_row(const PageRootRow& row) const {
    if (row.first_page != next_page_ || row.offset_bytes != next_offset_ ||
        row.page_count > pages_.size() - next_page_) {  // F-070
      return not_covering();
    }
    const auto first = static_cast<std::size_t>(row.first_page);
    if (row.zone != pages_.record(first).zone || row.bound != pages_.bound(first) ||
        row.first_ordinal != pages_.first_ordinal(first)) {  // F-073
      return disagreement(row);
    }
    const auto block = read_block(copy_, SectionKind::kPageDirectory, row.offset_bytes);
    if (!block && block.error().kind() != ErrorKind::kCorrupt) return block.error();
    if (!block) return disagreement(row);
    const auto records = format::decode_page_block(block.assume_value().body);
    if (block.assume_value().consumed_bytes != row.length_bytes || !records ||
        records.assume_value().size() != row.page_count) {
      return disagreement(row);
    }
    return ok();
  }
  static Error disagreement(const PageRootRow& row) {
    return Error(
        ErrorKind::kCorrupt, 3021,
        fmt::format("the row of page {} is not what the page directory says", row.first_page));
  }

  const IndexCopy& copy_;
  const PageDirectory& pages_;
  std::uint64_t next_page_ = 0;
  std::uint64_t next_offset_ = 0;
};

}  // namespace

Status check_page_root(const IndexCopy& copy, const PageDirectory& pages) {
  constexpr auto kKind = SectionKind::kPageRoot;
  if (copy.superblock().section(kKind).length_bytes == 0) return ok();
  PageRootCheck check(copy, pages);
  DGFS_CHECK(for_each_block(copy, kKind, [&](Bytes body) { return check.check_block(body); }));
  if (check.covers_all()) return ok();
  return not_covering()
      .in_file(copy.path())
      .in_section(format::section_name(kKind))
      .at_offset(copy.section_offset(kKind));
}

}  // namespace dgfs::reader
