// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/page_store.h"

#include <array>

#include "format/limits.h"
#include "format/page/whole_page.h"
#include "reader/index/page_keys.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

// Decoding a page takes as long as about thirty lookups in it, and tens of times its memory.
constexpr unsigned kGetsBeforeDecoding = 32;
// A page that is used less often than once in so many reads of other pages is not worth decoding.
constexpr std::uint64_t kReadsForAGet = 16;
// Approximate memory of a decoded entry.
constexpr std::size_t kEntryBytesGuess = 64;

std::optional<std::string_view> next_bound(const IndexTables& tables, std::size_t next,
                                           std::uint64_t zone) {
  if (next >= tables.pages.size()) return std::nullopt;
  // Zones change only once, at the end of the names, so the ordinal gives the zone and no record is
  // built.
  const bool next_is_link = tables.pages.first_ordinal(next) >= tables.directories.entry_count();
  if (next_is_link != (zone == format::kLinkZone)) return std::nullopt;
  return tables.pages.bound(next);
}

Result<LoadedPage> open_page(Bytes bytes, const IndexTables& tables, std::size_t page) {
  const auto record = tables.pages.record(page);
  DGFS_TRY(header, format::read_page_header(bytes));
  // F-111, F-114
  if (header.checksum != record.checksum || header.entry_count != record.entry_count) {
    return Error(ErrorKind::kCorrupt, 3040, "not the page that the page directory describes");
  }
  DGFS_TRY(opened, format::open_page(header, bytes, tables.dictionaries));
  DGFS_CHECK(check_first_key(opened->first_key(), record));
  LoadedPage loaded{record, std::move(opened)};
  // A page that opens decoded is checked here, and never again.
  if (loaded.page->is_decoded()) {
    DGFS_CHECK(slice_of(loaded, 0, loaded.size(), tables));
  }
  return loaded;
}

/// Drops the offset, which counts from the page's payload and would mislead; the caller sets the
/// page's place.
Error without_offset(const Error& error) { return {error.kind(), error.code(), error.text()}; }

}  // namespace

Result<LoadedPage> read_checked_page(const IndexCopy& copy, const IndexTables& tables,
                                     std::size_t page, CounterCells& counters) {
  std::array<std::uint8_t, format::kPageBytes> bytes;  // NOLINT(*-member-init): all is read
  CounterCells::add(counters.index_reads);
  CounterCells::add(counters.index_read_bytes, bytes.size());
  DGFS_CHECK(copy.read_page(page, bytes));
  auto opened = open_page(bytes, tables, page);
  if (opened) return opened;
  return placed(without_offset(opened.assume_error()), copy.path(), "pages",
                copy.page_offset(page));
}

Result<format::PageSlice> slice_of(const LoadedPage& page, std::size_t begin, std::size_t end,
                                   const IndexTables& tables) {
  DGFS_TRY(slice, page.page->slice(begin, end));
  DGFS_CHECK(check_keys(*slice.rows, page.record));
  const auto rows = slice.rows->size();
  if (slice.first_index + rows == page.size()) {
    const auto next = tables.pages.find_ordinal(page.ordinal(0)).value_or(0) + 1;
    DGFS_CHECK(check_last_key(slice.rows->key(rows - 1), page.record,
                              next_bound(tables, next, page.record.zone)));
  }
  return slice;
}

Result<EntryRange> PageStore::range(const PagePointer& page, std::size_t begin,
                                    std::size_t end) const {
  // A decoded page was checked when it was loaded.
  auto slice = page->page->is_decoded() ? page->page->slice(begin, end)
                                        : slice_of(*page, begin, end, tables_);
  if (slice) return EntryRange{page, std::move(slice).assume_value()};
  return in_page(slice.assume_error(), page->record.first_ordinal);
}

Result<PagePointer> PageStore::get(std::size_t page) const {
  DGFS_TRY(cached, values_.get(first_number_ + page, [&] { return load(page); }));
  PagePointer loaded(cached, &cached->loaded);
  if (loaded->page->is_decoded()) return loaded;
  const auto gets = cached->gets.fetch_add(1, std::memory_order_relaxed) + 1;
  return is_worth_decoding(*cached, gets) ? decode(page, std::move(loaded)) : loaded;
}

bool PageStore::is_worth_decoding(const CachedPage& page, unsigned gets) const {
  if (gets % kGetsBeforeDecoding != 0) return false;
  const auto reads = cache_.totals->reads.load(std::memory_order_relaxed) - page.reads_before;
  return reads <= gets * kReadsForAGet;
}

Result<PageCache::Values::Loaded> PageStore::load(std::size_t page) const {
  DGFS_TRY(read, source_.read(counters_, [&](const IndexCopy& copy) {
    return read_checked_page(copy, tables_, page, counters_);
  }));
  auto cached = std::make_shared<CachedPage>(std::move(read));
  cached->reads_before = cache_.totals->reads.fetch_add(1, std::memory_order_relaxed) + 1;
  const auto bytes = sizeof *cached + cached->loaded.memory_bytes();
  return PageCache::Values::Loaded{std::move(cached), bytes};
}

// Returns the page undecoded if that fails: a caller that needs the damaged entries gets the error.
PagePointer PageStore::decode(std::size_t page, PagePointer opened) const {
  const auto bytes_guess = opened->size() * kEntryBytesGuess;
  if (cache_.totals->decoded_bytes + bytes_guess > cache_.decoded_bytes_max) return opened;
  auto whole = slice_of(*opened, 0, opened->size(), tables_);
  if (!whole) return opened;
  auto rows = std::make_shared<const format::WholePage>(std::move(whole).assume_value().rows);
  auto cached = std::make_shared<CachedPage>(LoadedPage{opened->record, std::move(rows)});
  const auto bytes = sizeof *cached + cached->loaded.memory_bytes();
  cached->decoded.emplace(cache_.totals, bytes);
  values_.replace(first_number_ + page, {cached, bytes});
  return {cached, &cached->loaded};
}

Error PageStore::in_page(const Error& error, format::Ordinal ordinal) const {
  const auto& copy = source_.first();
  const auto page = tables_.pages.find_ordinal(ordinal).value_or(0);
  return placed(without_offset(error), copy.path(), "pages", copy.page_offset(page));
}

void PageStore::announce(std::size_t first_page, std::size_t count) const {
  source_.first().announce_pages(first_page, count);
}

}  // namespace dgfs::reader
